"""Tables of the rows of one source (a block of indices), sorted by owner (a block of data), and folders for them."""

import math
import multiprocessing
import os
import pathlib
import shutil
import sys
import tempfile
import uuid
import weakref

import dask
import numpy as np

from .. import _strew

BATCH_BYTES = 1 << 18  # bytes of rows to read or gather at a time, few enough to stay in cache
_MOST_FILES = 200  # files open at once per process; the usual limit is about a thousand
_files: "weakref.WeakSet[StoredTable]" = weakref.WeakSet()


class Table:
    """Columns sorted by owner: owner j has the rows [bounds[j], bounds[j + 1]) of each column."""

    def __init__(self, bounds, columns):
        self.bounds, self.columns = bounds, columns

    def rows(self, begin, end):
        """Return rows [begin, end) of each column."""
        return [column[begin:end] for column in self.columns]

    def slice(self, first, last):
        """Return the table of the owners [first, last) only."""
        bounds = self.bounds[first : last + 1]
        return Table(bounds - bounds[0], self.rows(*bounds[[0, -1]].tolist()))


class Gathered:
    """Rows of a block of data or updates, gathered while they are written to a file, so that few are in memory."""

    def __init__(self, rows, offsets):
        self.rows, self.offsets = rows, offsets
        self.dtype, self.shape = rows.dtype, (len(offsets), *rows.shape[1:])

    def batches(self):
        size = max(1, BATCH_BYTES // max(1, self.dtype.itemsize * math.prod(self.shape[1:])))
        for begin in range(0, len(self.offsets), size):
            yield _strew.gather(self.rows, self.offsets[begin : begin + size])


class StoredTable(Table):
    """A table in a file, column after column. Rows are read on demand, so that few are in memory at a time."""

    def __init__(self, table, folder, name):
        self._file = None  # first attribute, destroyed first: the file is closed before the folder is removed
        self.bounds, self.folder, self.path = table.bounds, folder, str(folder.path / name)
        self.columns = []  # offset of each column, its type, and the shape and size in bytes of a row
        # The file gets its final name when it is complete: a task may run twice, and no task may read a partial file.
        begun = f"{self.path}.{uuid.uuid4().hex}"
        folder.check()
        with open(begun, "wb", buffering=0) as file:
            for column in table.columns:
                row = column.shape[1:]
                self.columns.append((file.tell(), column.dtype, row, column.dtype.itemsize * math.prod(row)))
                for rows in column.batches() if isinstance(column, Gathered) else [column]:
                    _write(file, rows)
        os.replace(begun, self.path)

    def rows(self, begin, end):
        file = self._file or self._open()
        count = end - begin
        return [
            np.ndarray((count, *row), dtype, _read(file.number, at + begin * size, count * size)) for at, dtype, row, size in self.columns
        ]

    def _open(self):
        try:
            file = _File(self.path)
        except FileNotFoundError:
            self.folder.check()
            raise
        if len(_files) <= _MOST_FILES:
            self._file = file
        return file

    def __getstate__(self):
        return self.__dict__ | {"_file": None}


class _File:
    """A file, open for the lifetime of the object. Reading a part takes microseconds; opening the file takes longer."""

    number = None

    def __init__(self, path):
        self.number = os.open(path, os.O_RDONLY)
        _files.add(self)

    def __del__(self):
        if self.number is not None:
            os.close(self.number)


def _write(file, array):
    left = memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    while left:
        left = left[file.write(left) :]


def _read(file, begin, count):
    read = os.pread(file, count, begin)
    while len(read) < count:
        more = os.pread(file, count - len(read), begin + len(read))
        if not more:
            raise OSError("strew.dask: a file of shuffle_method 'disk' is shorter than when it was written")
        read += more
    return read


class Folder:
    """A new folder in Dask's temporary directory. The process that creates the folder removes it after the last use."""

    def __init__(self):
        where = dask.config.get("temporary-directory", None) or tempfile.gettempdir()
        os.makedirs(where, exist_ok=True)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="strew-dask-", dir=where))
        self._own()

    def _own(self):
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def check(self):
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"strew.dask: this worker cannot see {self.path}, a folder of shuffle_method='disk'. Workers on several machines need"
                " a shared file system (dask.config 'temporary-directory'), or shuffle_method='p2p'"
            )

    def __reduce__(self):
        # A copy owns the folder only if a process in Dask's pool created it, since that process may end first.
        sent_home = self._remove is not None and _in_pool_process() and self._remove.detach() is not None
        return _copy_of_folder, (self.path, sent_home)


def _copy_of_folder(path, sent_home):
    folder = object.__new__(Folder)
    folder.path, folder._remove = path, None
    if sent_home:
        folder._own()
    return folder


def _in_pool_process():
    if multiprocessing.parent_process() is None:
        return False
    distributed = sys.modules.get("distributed")
    return distributed is None or not distributed.worker._global_workers


class Arrived:
    """Tables of all sources, in order, with the rows of consecutive owners from `first` on."""

    def __init__(self, tables, first=0):
        self.tables, self.first = tables, first
        self.bounds = np.array([table.bounds for table in tables])  # [sources, owners + 1]

    def parts(self, owner):
        """Yield the owner's rows of each column, from each source that has any."""
        ranges = self.bounds[:, owner - self.first :][:, :2]
        sources = np.flatnonzero(ranges[:, 0] < ranges[:, 1]).tolist()
        return (self.tables[i].rows(*bounds) for i, bounds in zip(sources, ranges[sources].tolist(), strict=True))

    def collect(self, owner):
        """Return the number of the owner's rows from each source, and the columns with the rows from all sources."""
        lengths = np.diff(self.bounds[:, owner - self.first :][:, :2])[:, 0]
        parts = list(self.parts(owner)) or [self.tables[0].rows(0, 0)]
        return lengths, [np.concatenate(columns) for columns in zip(*parts, strict=True)]


class Bucket(Arrived):
    """The tables of an Arrived, cut to the owners [first, last) and merged into one table."""

    def __init__(self, arrived, first, last):
        tables = [table.slice(first - arrived.first, last - arrived.first) for table in arrived.tables]
        super().__init__([regroup(tables)], first)
        self.lengths = np.diff(np.array([table.bounds for table in tables]))  # [sources, owners]

    def collect(self, owner):
        return self.lengths[:, owner - self.first], super().collect(owner)[1]


def regroup(tables):
    """Merge tables. The rows of an owner come from the first table, then from the second, and so on."""
    if len(tables) == 1:
        return tables[0]
    bounds = np.array([table.bounds for table in tables])
    begins = bounds[:, :-1] + np.concatenate([[0], np.cumsum(bounds[:-1, -1])])[:, None]
    begins, lengths = begins.T.reshape(-1), np.diff(bounds).T.reshape(-1)
    ends = np.cumsum(lengths)
    order = np.repeat(begins - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
    owners = np.concatenate([[0], np.cumsum(np.diff(bounds).sum(axis=0))])
    columns = zip(*(table.columns for table in tables), strict=True)
    return Table(owners, [_strew.gather(np.concatenate(column), order) for column in columns])


def boxed(table, cuts):
    """Return the parts of the table between `cuts` as an array of shape [1, len(cuts) - 1], for Dask's rechunk."""
    box = np.empty((1, len(cuts) - 1), object)
    for b in range(len(cuts) - 1):
        box[0, b] = table.slice(cuts[b], cuts[b + 1])
    return box


def unboxed(column, first):
    return Arrived(list(column[:, 0]), first)
