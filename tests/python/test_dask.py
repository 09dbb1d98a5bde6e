"""strew.dask gives the bytes of one call for any chunks and shuffle. Tests bad indices, numbers of tasks, and folders of shuffles too."""

import doctest
import gc
import pathlib
import runpy
import subprocess
import sys
import time

import dask
import dask.array as da
from dask_cases import REDUCTIONS, assert_same_bits, lazy_call, one_call, random_call, rule_call
import numpy as np
import pytest
import strew
import strew.dask
from strew.dask import _shuffle, _tables, _tasks
from support import run_python

SHUFFLE_METHODS = ["direct", "disk", "tasks"]
ROOT = pathlib.Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples/dask/particles.py")


def assert_left_empty(folder):
    """Assert that a folder becomes empty within 10 seconds: tasks that run on after an error hold files for a moment."""
    deadline = time.monotonic() + 10
    while list(folder.iterdir()) and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert not list(folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    """Return a test folder as Dask's temporary directory, in which shuffles make their folders."""
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        yield tmp_path


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_random_calls_give_the_bytes_of_one_call(folder, shuffle_method):
    rng = np.random.default_rng(SHUFFLE_METHODS.index(shuffle_method))
    for n in range(80):
        call = random_call(rng)
        lazy = lazy_call(rng, call, shuffle_method=shuffle_method)
        got = np.asarray(lazy.compute(scheduler="threads"))
        assert lazy.shape == got.shape and lazy.dtype == got.dtype
        assert_same_bits(got, call, n)
        del lazy
    assert_left_empty(folder)


def test_the_random_calls_know_every_reduction_and_what_goes_beyond_onnx():
    rng = np.random.default_rng(0)
    seen = [attributes for attributes in (random_call(rng)[2] for _ in range(240)) if "reduction" in attributes]
    assert {attributes["reduction"] for attributes in seen} == set().union(*REDUCTIONS.values())
    assert {"include_self", "acc_dtype", "alpha"} <= set().union(*seen)


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
@pytest.mark.parametrize("draw", [random_call, rule_call])
def test_neighbouring_owners_that_share_parts_and_index_rules_change_no_byte(monkeypatch, draw, shuffle_method):
    rng = np.random.default_rng(10)
    for n in range(40):
        monkeypatch.setattr(_shuffle, "MOST_PARTS", int(rng.choice([1, 3, 11, 1 << 18])))
        call = draw(rng)
        assert_same_bits(np.asarray(lazy_call(rng, call, shuffle_method=shuffle_method).compute()), call, n)


def test_what_needs_all_updates_at_once_gets_them(monkeypatch):
    """Treat every reduction like mean, which needs all updates at once because it is no left fold."""
    monkeypatch.setattr(_tasks, "folds_in_parts", lambda reduction, attributes: False)
    rng = np.random.default_rng(25)
    scatters = [call for call in (random_call(rng) for _ in range(120)) if "reduction" in call[2]]
    for n, call in enumerate(scatters):
        assert_same_bits(lazy_call(rng, call).compute(), call, n)


def test_processes_give_the_same_bytes_and_leave_no_folder(folder):
    rng = np.random.default_rng(30)
    calls = [random_call(rng) for _ in range(12)]
    lazies = [lazy_call(rng, call, n % 2, shuffle_method=SHUFFLE_METHODS[n % 3]) for n, call in enumerate(calls)]
    results = dask.compute(*lazies, scheduler="processes", num_workers=2)
    for n, (got, call) in enumerate(zip(results, calls, strict=True)):
        assert_same_bits(np.asarray(got), call, n)
    assert_left_empty(folder)


@pytest.mark.parametrize("shuffle_method", ["auto", "tasks", "disk"])
def test_operands_whose_extents_are_all_0_may_be_cut_in_any_way(shuffle_method):
    data, none = da.ones(6, chunks=3), da.concatenate([da.zeros(0)] * 2)
    indices = none.astype(int)
    for call in (
        strew.dask.scatter_nd(data, da.concatenate([da.zeros((0, 1), dtype=int)] * 2), da.zeros(0), shuffle_method=shuffle_method),
        strew.dask.scatter_elements(data, indices, da.zeros(0), shuffle_method=shuffle_method),
        strew.dask.scatter_elements(da.ones(6, chunks=-1), da.zeros(0, dtype=int), none, shuffle_method=shuffle_method),
    ):
        assert call.compute(scheduler="sync").tolist() == [1] * 6
    assert strew.dask.gather_elements(none, da.zeros(0, dtype=int), shuffle_method=shuffle_method).compute(scheduler="sync").shape == (0,)


def test_operands_without_elements_that_are_in_memory_need_no_chunks_of_their_own():
    assert strew.dask.gather(np.zeros((3, 500, 0)), [1, 2]).compute().shape == (2, 500, 0)
    data = np.ones((4, 2))
    for updates in (1.0, np.zeros((0, 500, 2)), da.ones((), chunks=())):
        got = strew.dask.scatter_nd(da.from_array(data, chunks=2), np.zeros((0, 500, 1), int), updates)
        assert np.array_equal(got.compute(), data)
    empty = strew.dask.scatter_nd(da.zeros((1, 1, 0)), np.zeros((500, 1), int), 1.0, "add")
    assert empty.compute().shape == (1, 1, 0)


@pytest.mark.parametrize("limit", ["100B", "2kiB", "128MiB"])
def test_grids_of_indices_that_are_no_row_major_runs_keep_the_order(limit):
    rng = np.random.default_rng(50)
    data = rng.standard_normal(11).astype(np.float32)
    indices, updates = rng.integers(-11, 11, (6, 8, 10, 1)), rng.standard_normal((6, 8, 10)).astype(np.float32)
    grid = da.from_array(indices, chunks=(4, 3, 5, 1))
    with dask.config.set({"array.chunk-size": limit}):
        got = strew.dask.scatter_nd(da.from_array(data, chunks=4), grid, da.from_array(updates, chunks=(3, 8, 2)), "add")
    assert_same_bits(got.compute(), ("scatter_nd", [data, indices, updates], {"reduction": "add"}))


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_array_likes_and_scalars_are_taken_as_by_one_call(reduction):
    data = np.arange(12, dtype=np.float32).reshape(4, 3)
    got = strew.dask.scatter_nd(data, [[3], [0], [3]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], reduction)
    assert_same_bits(got.compute(), ("scatter_nd", [data, [[3], [0], [3]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]], {"reduction": reduction}))
    got = strew.dask.scatter_elements(da.from_array(data, chunks=2), [[1, 0, 1]], 5, 0, reduction)
    assert_same_bits(got.compute(), ("scatter_elements", [data, [[1, 0, 1]], 5], {"axis": 0, "reduction": reduction}))
    assert_same_bits(strew.dask.gather(data, 2, 1).compute(), ("gather", [data, 2], {"axis": 1}))
    assert strew.dask.gather(data, []).compute().shape == (0, 3)


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_any_byte_order_gives_the_type_and_bytes_of_one_call(shuffle_method):
    rng = np.random.default_rng(55)
    for n in range(40):
        op, operands, attributes = random_call(rng)
        call = op, [operand.astype(operand.dtype.newbyteorder(">")) for operand in operands], attributes
        lazy = lazy_call(rng, call, shuffle_method=shuffle_method)
        assert lazy.dtype == one_call(call).dtype
        assert_same_bits(np.asarray(lazy.compute()), call, n)


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_records_and_dates_of_any_byte_order_keep_their_type_and_bytes(shuffle_method, order):
    records = np.zeros(6, [("place", f"{order}i4"), ("value", f"{order}f8", 2)])
    records["place"], records["value"] = np.arange(6), np.arange(12).reshape(6, 2) / 2
    days = np.arange(6).astype(f"{order}M8[D]")
    for call in (
        ("scatter_elements", [days, np.array([5, 0]), days[:2]], {}),
        ("gather", [records, np.array([5, 0, -6])], {}),
        ("scatter_nd", [records, np.array([[5], [0]]), records[1:3]], {}),
    ):
        lazy = lazy_call(np.random.default_rng(57), call, shuffle_method=shuffle_method)
        assert lazy.dtype == call[1][0].dtype
        assert_same_bits(lazy.compute(), call)


@pytest.mark.parametrize("update", [da.from_array(np.array(7.0)), da.arange(8.0, chunks=3).max()])
def test_a_lazy_scalar_stands_for_all_updates(update):
    data = np.arange(12.0).reshape(4, 3)
    for op, indices in (("scatter_nd", [[0], [3]]), ("scatter_elements", [[0, 1, 0]]), ("scatter_nd", np.zeros((0, 1), int))):
        got = getattr(strew.dask, op)(da.from_array(data, chunks=2), indices, update, reduction="add")
        assert_same_bits(got.compute(), (op, [data, indices, 7.0], {"reduction": "add"}))


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_a_cache_without_positions_stays_so(mode):
    nothing, starts = da.zeros((4, 0), chunks=(2, 1)), da.zeros(4, dtype=int, chunks=2)
    assert strew.dask.tensor_scatter(nothing, nothing, starts, axis=1, mode=mode).compute().shape == (4, 0)


def spoiled(rng):
    """Return a call with one to three bad index values."""
    while True:
        op, operands, attributes = random_call(rng)
        which = 2 if op == "tensor_scatter" else 1
        indices = operands[which] = np.array(operands[which], np.int64)
        if indices.size:
            break
    for _ in range(int(rng.integers(1, 4))):
        indices.reshape(-1)[rng.integers(0, indices.size)] = int(rng.choice([-1000, -13, 1000, 37]))
    return op, operands, attributes


def message(function):
    with pytest.raises(IndexError) as caught:
        function()
    return str(caught.value)


@pytest.mark.parametrize("shuffle_method", SHUFFLE_METHODS)
def test_bad_indices_give_the_message_of_one_call_and_nothing_is_stored(folder, shuffle_method):
    rng = np.random.default_rng(60 + SHUFFLE_METHODS.index(shuffle_method))
    seen = 0
    for _ in range(40):
        call = spoiled(rng)
        try:
            one_call(call)
            continue  # circular writes take any position
        except IndexError as error:
            wanted = str(error)
        lazy = lazy_call(rng, call, shuffle_method=shuffle_method)
        store = np.full(lazy.shape, 42, lazy.dtype)
        untouched = store.tobytes()
        assert message(lambda lazy=lazy, store=store: da.store(lazy, store)) == wanted
        assert store.tobytes() == untouched
        assert message(lambda call=call: getattr(strew.dask, call[0])(*call[1], **call[2])) == wanted  # operands in memory: the call itself raises
        seen += 1
        del lazy
    assert seen > 25
    assert_left_empty(folder)


def test_an_axis_without_positions_has_no_index():
    call = "gather", [np.zeros((0, 2)), np.array([0])], {"axis": 0}
    wanted = message(lambda: one_call(call))
    data, indices = (da.from_array(operand, chunks=1) for operand in call[1])
    assert message(lambda: strew.dask.gather(data, indices).compute()) == wanted


def tasks_of(op, sources, owners, shuffle_method):
    data = da.zeros((owners * 2, 3), chunks=(2, 3))
    indices = da.zeros((sources * 2, 1), dtype=int, chunks=(2, 1))
    operands = [data, indices[:, 0]] if op == "gather" else [data, indices, da.zeros((sources * 2, 3), chunks=(2, 3))]
    result = getattr(strew.dask, op)(*operands, shuffle_method=shuffle_method)
    return len(result.dask) - len(set().union(*(operand.dask for operand in operands)))


@pytest.mark.parametrize(
    ("op", "shuffle_method", "wanted"),
    [
        # Each source has the tasks route, bad and pack, each owner has apply, and the check is a tree of tasks.
        ("scatter_nd", "direct", 3 * 100 + 80 + 5 + 1),
        ("scatter_nd", "disk", 3 * 100 + 80 + 5 + 2),  # one task more, for the folder
        ("scatter_nd", "tasks", 3 * 100 + 80 + 5 + 100 * 80 + 80),
        # Each source has the tasks route, bad, ask and assemble, each owner has fetch.
        ("gather", "direct", 4 * 100 + 80 + 5 + 2),
        ("gather", "disk", 5 * 100 + 80 + 5 + 3),  # a write of each source, and the folder
    ],
)
def test_the_number_of_tasks_is_known_and_linear_in_chunks(op, shuffle_method, wanted):
    assert tasks_of(op, 100, 80, shuffle_method) == wanted
    if shuffle_method != "tasks":
        assert tasks_of(op, 1000, 800, shuffle_method) < 10.5 * wanted


def test_parts_are_bounded_by_owners_that_share(monkeypatch):
    monkeypatch.setattr(_shuffle, "MOST_PARTS", 400)
    graph = _shuffle.Graph("scatter_nd", "tasks")
    graph.choose(1, 20, 100, 0)
    assert graph.share == 5  # 20 sources for 20 buckets
    graph.choose(1, 20, 10**6, 0)
    assert graph.share == 50_000


def test_axes_that_are_not_cut_need_no_shuffle():
    data, indices = da.zeros((6, 8), chunks=(6, 2)), da.zeros((4, 8), dtype=int, chunks=(4, 2))
    result = strew.dask.gather_elements(data, indices, axis=0)
    assert len(result.dask) - len(data.dask) - len(indices.dask) == 4 * 3 + 1  # three tasks of each chunk, and the check
    assert result.chunks == indices.chunks


def test_a_shuffle_method_is_chosen_from_what_is_known(monkeypatch):
    graph = _shuffle.Graph("scatter_nd", "auto")
    graph.choose(1, 10, 10, 1000)
    assert graph.method == "direct"
    graph.choose(1, 10, 10, _shuffle.memory_bytes())
    assert graph.method == "disk"
    with dask.config.set(scheduler="processes"):
        graph.choose(1, 10, 10, 1000)
        assert graph.method == "tasks"
        graph.choose(1, 100, 100, 1000)
        assert graph.method == "disk"
    monkeypatch.setattr(_shuffle, "scheduler_in_use", lambda: "distributed")
    graph.choose(1, 100, 100, 1000)
    assert graph.method == "p2p"


def test_a_folder_is_removed_by_its_name_alone_and_its_absence_is_told(folder):
    neighbour = folder / "strew-dask-neighbour"
    neighbour.mkdir()
    made = _shuffle.Folder()
    assert made.path.parent == folder and made.path.is_dir()
    path = made.path
    del made
    gc.collect()
    assert not path.exists() and neighbour.is_dir()
    gone = _shuffle.Folder()
    gone.path.rmdir()
    table = _shuffle.Table(np.array([0, 1]), [np.array([5])])
    with pytest.raises(FileNotFoundError, match="this worker cannot see .*strew-dask-.* or shuffle_method='p2p'"):
        _shuffle.StoredTable(table, gone, "0")


def test_importing_strew_imports_no_dask():
    run_python("import sys, strew; assert not {'dask', 'distributed'} & {name.split('.')[0] for name in sys.modules}")
    run_python("import sys, strew.dask; assert 'distributed' not in sys.modules")


def test_inputs_are_not_written_to():
    data, updates = np.zeros(6, np.float32), np.ones(4, np.float32)
    operands = da.from_array(data, chunks=2), np.array([[0], [5], [0], [3]]), da.from_array(updates, chunks=3)
    lazy = strew.dask.scatter_nd(*operands, "add")
    assert (lazy.compute() == lazy.compute()).all() and not data.any()


@pytest.mark.parametrize("shuffle_method", [None, "disk"])
def test_the_documented_way_from_disk_to_disk_gives_the_bytes_of_one_call(folder, monkeypatch, shuffle_method):
    zarr = pytest.importorskip("zarr")
    rng = np.random.default_rng(80)
    operands = [rng.standard_normal((90, 4)).astype("f4"), rng.integers(-90, 90, (50, 1)), rng.standard_normal((50, 4)).astype("f4")]
    stores = folder / "stores"
    for name, operand, rows in zip(("bins", "where", "mass"), operands, (40, 15, 20), strict=True):
        chunks = (rows, *operand.shape[1:])
        zarr.create_array(stores / f"{name}.zarr", shape=operand.shape, chunks=chunks, dtype=operand.dtype)[...] = operand
    page = (ROOT / "docs/dask.md").read_text()
    (shown,) = (block.split("```")[0] for block in page.split("```python\n")[1:] if "to_zarr" in block)
    monkeypatch.chdir(stores)
    if shuffle_method:
        shown = shown.replace('"add")', f'"add", shuffle_method="{shuffle_method}")')
    exec(shown, {"da": da, "strew": strew})
    total = zarr.open_array(stores / "total.zarr", mode="r")
    assert total.chunks == (40, 4)
    assert_same_bits(total[...], ("scatter_nd", operands, {"reduction": "add"}))
    assert [path.name for path in folder.iterdir()] == ["stores"]


@pytest.mark.parametrize("name", [None, *strew.dask.__all__])
def test_the_examples_of_the_functions_give_what_they_say(name):
    documented = getattr(strew.dask, name) if name else strew.dask
    example = doctest.DocTestParser().get_doctest(documented.__doc__, {}, str(name), None, None)
    results = doctest.DocTestRunner().run(example)
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize("chunk", [5000, 1700])
def test_the_example_gives_the_bits_of_one_call(chunk):
    example = runpy.run_path(EXAMPLE)
    positions, masses = (array.rechunk({0: chunk}) for array in example["particles"](5000, 2500))
    got = example["mass_by_bin"](positions, masses, 16).compute()
    cells = np.floor(positions.compute() * 16).astype(np.int64)
    rules = {"reduction": "add", "out_of_bounds": "drop", "negative_indices": "out_of_bounds"}
    assert_same_bits(got, ("scatter_nd", [np.zeros((16, 16), np.float32), cells, masses.compute()], rules))
    assert got.sum() < masses.sum().compute()  # some particles are out of bounds


def test_the_example_runs_as_a_program():
    ran = subprocess.run([sys.executable, EXAMPLE, "--particles", "4000", "--bins", "8"], check=True, capture_output=True, text=True)
    assert "4,000 particles; 9" in ran.stdout and "64 bins" in ran.stdout
    assert runpy.run_path(EXAMPLE)["mass_by_bin"](da.ones((3, 2), chunks=3) / 2, da.ones(3, dtype="f4"), 1).compute() == [[3]]


def test_a_temporary_directory_that_is_missing_is_made(tmp_path):
    with dask.config.set({"temporary-directory": str(tmp_path / "new" / "deep")}):
        got = strew.dask.gather(da.arange(6, chunks=2), da.from_array([5, 0], chunks=1), shuffle_method="disk")
        assert got.compute(scheduler="threads").tolist() == [5, 0]


@pytest.fixture
def written(folder, monkeypatch):
    """Return a list of the bytes of each write to a file, in batches of 4096 bytes."""
    sizes, write = [], _tables._write
    monkeypatch.setattr(_tables, "BATCH_BYTES", 4096)
    monkeypatch.setattr(_tables, "_write", lambda file, array: (sizes.append(array.nbytes), write(file, array)))
    return sizes


def test_answers_of_a_crowded_chunk_are_never_all_in_memory(written, monkeypatch):
    rng = np.random.default_rng(5)
    data = da.from_array(rng.integers(0, 9, (400, 16)), chunks=(100, 16))
    where = rng.integers(0, 100, 9000)
    got = strew.dask.gather(data, da.from_array(where, chunks=1000), shuffle_method="disk").compute(scheduler="threads")
    assert np.array_equal(got, data.compute()[where])
    assert sum(written) == 9000 * (4 + 128)  # bytes of an offset and a row for each index
    assert max(written) == 4096


def test_updates_of_a_crowded_chunk_are_never_all_in_memory(written, monkeypatch):
    monkeypatch.setattr(_tasks, "BATCH_BYTES", 4096)
    at_once, batches = [], _tasks._batches

    def counted(parts):
        for some in batches(parts):
            at_once.append(sum(values.nbytes for _, values in some))
            yield some

    monkeypatch.setattr(_tasks, "_batches", counted)
    rng = np.random.default_rng(6)
    operands = [np.zeros((400, 16), np.float32), rng.integers(0, 100, (9000, 1)), rng.random((9000, 16), np.float32)]
    lazy = [da.from_array(operand, chunks=(100, 16)) for operand in operands]
    got = strew.dask.scatter_nd(*lazy, "add", shuffle_method="disk").compute(scheduler="threads")
    assert_same_bits(got, ("scatter_nd", operands, {"reduction": "add"}))
    assert sum(written) == 9000 * (4 + 64) and max(written) <= 4096  # 90 chunks with 6,400 bytes of updates each
    assert sum(at_once) == 9000 * 64 and max(at_once) == 6400
