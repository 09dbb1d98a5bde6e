"""Tables: what one source has for each owner, in memory or in a file, and folders for such files."""

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


class Table:
    """Columns that are sorted by owner: owner j has the rows [bounds[j], bounds[j + 1]) of each."""

    def __init__(self, bounds, columns):
        self.bounds, self.columns = bounds, columns

    def slice(self, first, last):
        """The table of the owners [first, last) alone."""
        bounds = self.bounds[first : last + 1]
        return Table(bounds - bounds[0], [column[bounds[0] : bounds[-1]] for column in self.columns])

    def part(self, owner):
        return self.slice(owner, owner + 1).columns


class StoredTable:
    """A table in a file of its own: its bounds, then column after column. Read part by part, so that one part at a time is in memory."""

    def __init__(self, table, folder, name):
        self.owners = len(table.bounds) - 1
        self.folder, self.path = folder, folder.path / name
        self.columns = []  # where each begins, its type, the shape of a row
        # Under another name first: a task that is run twice does no harm, and no half file is ever read.
        begun = self.path.with_name(f"{name}.{uuid.uuid4().hex}")
        folder.check()
        with begun.open("wb", buffering=0) as file:
            _write(file, table.bounds)
            for column in table.columns:
                self.columns.append((file.tell(), column.dtype, column.shape[1:]))
                _write(file, column)
        begun.replace(self.path)

    def slice(self, first, last):
        self.folder.check()
        with self.path.open("rb", buffering=0) as file:
            bounds = _read(file, first * 8, np.dtype(np.int64), (last + 1 - first,))
            rows = (bounds[-1] - bounds[0]).item()
            columns = []
            for begin, dtype, row in self.columns:
                row_bytes = dtype.itemsize * int(np.prod(row, dtype=object))
                columns.append(_read(file, begin + bounds[0].item() * row_bytes, dtype, (rows, *row)))
        return Table(bounds - bounds[0], columns)

    def part(self, owner):
        return self.slice(owner, owner + 1).columns


def _write(file, array):
    left = memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    while left:
        left = left[file.write(left) :]


def _read(file, begin, dtype, shape):
    array = np.empty(shape, dtype)
    left = memoryview(array.reshape(-1).view(np.uint8))
    file.seek(begin)
    while left:
        got = file.readinto(left)
        if not got:
            raise OSError(f"{file.name} is shorter than it was written")
        left = left[got:]
    return array


class Folder:
    """A fresh folder in Dask's temporary directory. The process that made it removes it, by its name, when the last task has let go of it."""

    def __init__(self):
        where = dask.config.get("temporary-directory", None) or tempfile.gettempdir()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="strew-dask-", dir=where))
        self._own()

    def _own(self):
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def check(self):
        if not self.path.is_dir():
            raise FileNotFoundError(
                f"strew.dask: this worker does not see {self.path}, a folder of the exchange 'files'. Workers on several machines need"
                " a file system that they share (dask.config 'temporary-directory'), or exchange='p2p'"
            )

    def __reduce__(self):
        # Copies own nothing, but for the one that a process of Dask's pool sends home: it is all that is left there.
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
    """What all sources have for some owners, from `first` on; tables in the order of sources."""

    def __init__(self, tables, first=0):
        self.tables, self.first = tables, first

    def parts(self, owner):
        return (table.part(owner - self.first) for table in self.tables)

    def collect(self, owner):
        """-> (how many rows are of each source, the columns of all of them)"""
        parts = list(self.parts(owner))
        lengths = np.array([len(part[0]) for part in parts], np.int64)
        return lengths, [np.concatenate(columns) for columns in zip(*parts, strict=True)]


class Bucket:
    """The same for neighbouring owners at once: one table, regrouped by owner."""

    def __init__(self, arrived, first, last):
        tables = [table.slice(first - arrived.first, last - arrived.first) for table in arrived.tables]
        self.first = first
        self.lengths = np.diff(np.array([table.bounds for table in tables]))  # [sources, owners]
        self.table = regroup(tables)

    def parts(self, owner):
        return iter([self.table.part(owner - self.first)])

    def collect(self, owner):
        return self.lengths[:, owner - self.first], self.table.part(owner - self.first)


def regroup(tables):
    """One table of several: the rows of an owner are those of the first table, then of the next."""
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
    """[1, len(cuts) - 1] objects: the table cut into those of neighbouring owners, as Dask's rechunk moves them."""
    box = np.empty((1, len(cuts) - 1), object)
    for b in range(len(cuts) - 1):
        box[0, b] = table.slice(cuts[b], cuts[b + 1])
    return box


def unboxed(column, first):
    return Arrived(list(column[:, 0]), first)
