"""Tests install, uninstall and counts, and the errors if a package or a matching version is missing."""

import doctest
import inspect
import pathlib
import subprocess
import sys
import textwrap

import pytest
import strew.torch
import strew_torch
import torch
from strew.torch import __main__ as command_line
from install_support import difference, threads

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/torch-install.md"
ROWS = torch.arange(4000) % 50
SOURCE = torch.arange(4000 * 16, dtype=torch.float32).view(4000, 16)


def add():
    return torch.zeros(50, 16).index_add(0, ROWS, SOURCE)


def test_a_call_is_taken_only_while_it_is_installed():
    strew.torch.counts(reset=True)
    add()
    assert strew.torch.counts() == {}
    with strew.torch.installed():
        add()
    add()
    assert strew.torch.counts(reset=True) == {"aten::index_add": strew.torch.CallCounts(1, 0, {})}
    assert strew.torch.counts() == {}


def test_the_examples_of_the_functions_give_what_they_say():
    strew.torch.counts(reset=True)
    for function in (strew.torch.install, strew.torch.installed, strew.torch.counts):
        example = doctest.DocTestParser().get_doctest(function.__doc__, {}, function.__name__, None, None)
        assert doctest.DocTestRunner().run(example).failed == 0


def test_installing_again_changes_the_options_and_uninstalling_twice_does_no_harm():
    strew.torch.counts(reset=True)
    strew.torch.install(["gather"])
    add()
    strew.torch.install(["index_add"])
    add()
    strew.torch.uninstall()
    strew.torch.uninstall()
    add()
    assert strew.torch.counts(reset=True) == {"aten::index_add": strew.torch.CallCounts(1, 0, {})}


def test_every_name_that_counts_gives_can_be_installed():
    table, mask = SOURCE.clone().requires_grad_(), ROWS == 1
    calls = [
        lambda: torch.nn.functional.embedding(ROWS, table).sum().backward(),
        lambda: torch.nn.functional.embedding_bag(ROWS.view(-1, 8), table, mode="sum").sum().backward(),
        lambda: SOURCE.clone().index_put_((ROWS,), SOURCE, accumulate=True),
        lambda: SOURCE.clone().put_(ROWS, SOURCE[:, 0]),
        lambda: SOURCE.clone().index_fill_(0, ROWS, 2).scatter_(0, ROWS[:, None].expand(4000, 16), SOURCE),
        lambda: (add(), SOURCE.take(ROWS), SOURCE[mask], SOURCE[ROWS], torch.gather(SOURCE[:, 0], 0, ROWS, out=table[:0, 0])),
    ]
    strew.torch.counts(reset=True)
    with torch.no_grad(), strew.torch.installed(min_elements=0):
        for call in calls:
            with torch.set_grad_enabled(call in calls[:2]):
                call()
    names = list(strew.torch.counts(reset=True))
    assert {"aten::_embedding_bag_dense_backward", "aten::_index_put_impl_", "aten::put_", "aten::index.Tensor"} <= set(names)
    for name in [*names, *(name.removeprefix("aten::") for name in names)]:
        with strew.torch.installed([name]):
            pass
    with strew.torch.installed(["aten::index_add_"]):
        add()
    assert strew.torch.counts(reset=True) == {"aten::index_add": strew.torch.CallCounts(1, 0, {})}


def test_an_error_inside_the_block_uninstalls():
    with pytest.raises(ZeroDivisionError), strew.torch.installed():
        1 // 0
    assert not torch.ops.strew_torch.is_installed()


@pytest.mark.parametrize(
    "call,reason",
    [
        (lambda: torch.zeros(5, 4).index_add(0, torch.tensor([1]), torch.ones(1, 4)), "too few elements to benefit"),
        (lambda: torch.zeros(50, 32)[:, :16].index_add_(0, ROWS[:600], SOURCE[:600]), "too few elements to benefit"),
        (lambda: torch.zeros(50, 16).index_add(0, ROWS, SOURCE, alpha=2), "alpha"),
        (lambda: torch.zeros(50, 16).index_add(0, ROWS - 1, SOURCE), "index out of range"),
        (lambda: torch.zeros(50, 16).index_add(0, ROWS, SOURCE[1:]), "shapes that torch refuses or treats differently"),
        (lambda: torch.zeros(50, 16).bool().index_add(0, ROWS, SOURCE.bool(), alpha=-1), "alpha"),
        (lambda: torch.zeros(50, 16).index_add(0, ROWS.short(), SOURCE), "type of the indices"),
        (lambda: torch.zeros(50, 16).index_add(0, ROWS, SOURCE.double()), "element type"),
        (lambda: torch.zeros(1, 16).expand(50, 16).index_add_(0, ROWS, SOURCE), "shape or type of out"),
    ],
)
def test_a_call_that_is_left_says_why(call, reason):
    strew.torch.counts(reset=True)
    assert difference(call) is None
    counts = [count for name, count in strew.torch.counts(reset=True).items() if name.startswith("aten::index_add")]
    assert [list(count.reasons) for count in counts] == [[reason]]


def test_single_elements_are_left_where_torch_moves_them_faster():
    table, rows = torch.zeros(64, 64), torch.arange(8192) % 64
    many = torch.arange((1 << 20) + 1)
    target, source = torch.zeros(len(many)), torch.ones(len(many))
    strew.torch.counts(reset=True)
    with strew.torch.installed():
        table[rows, rows]
        for count in (1, 2):
            with threads(count):
                target.put_(many, source)
                torch.gather(many, 0, many)
                torch.gather(source, 0, many)
    left = {name: count[:2] for name, count in strew.torch.counts(reset=True).items()}
    assert left == {"aten::index.Tensor": (0, 1), "aten::put_": (1, 1), "aten::gather": (3, 1)}


@pytest.mark.parametrize(
    "call",
    [
        lambda table, rows: table.index_add_(0, ROWS, rows),
        lambda table, rows: table.scatter_add_(0, ROWS[:, None].expand(4000, 16), rows),
        lambda table, rows: table.index_put_((ROWS,), rows),
        lambda table, rows: torch.gather(SOURCE, 0, ROWS.repeat(3)[:, None].expand(12_000, 16), out=table),
    ],
)
def test_rows_that_do_not_lie_together_are_left_to_torch(call):
    for transposed in (False, True):
        table = torch.zeros(16, 12_000).t() if transposed else torch.zeros(12_000, 16)
        strew.torch.counts(reset=True)
        with strew.torch.installed():
            call(table, SOURCE)
        for taken, _, why in strew.torch.counts(reset=True).values():
            assert (taken, "layout" in why) == (not transposed, transposed)


@pytest.mark.parametrize("columns", [(0,), (0, 2)])
def test_columns_of_a_table_of_indices_are_handled_with_the_layout_of_torch(columns):
    table = torch.randn(3000, 3000, 2) if len(columns) > 1 else torch.randn(3000, 16)
    at = torch.randint(0, 3000, (4000, 3), generator=torch.Generator().manual_seed(1))
    indices = tuple(at[:, column] for column in columns)
    wanted = table[indices]
    strew.torch.counts(reset=True)
    with strew.torch.installed():
        found = table[indices]
        table.index_put_(indices, wanted)
    assert all(handled and not fallback for handled, fallback, _ in strew.torch.counts(reset=True).values())
    assert torch.equal(found, wanted) and found.stride() == wanted.stride()


@pytest.mark.parametrize(
    "call",
    [
        lambda reduce: torch.scatter(SOURCE, 0, ROWS[:, None].expand(4000, 16), SOURCE, reduce=reduce),
        lambda reduce: torch.scatter(SOURCE, 0, ROWS[:, None].expand(4000, 16), 2, reduce=reduce),
        lambda reduce: torch.scatter_reduce(SOURCE, 0, ROWS[:, None].expand(4000, 16), SOURCE, reduce),
        lambda reduce: torch.index_reduce(SOURCE, 0, ROWS, SOURCE, reduce),
    ],
)
@pytest.mark.parametrize("reduce", ["add", "multiply", "sum", "prod", "mean", "amax", "amin", "max", ""])
def test_a_reduction_of_another_operator_is_refused_by_torch(call, reduce):
    assert difference(lambda: call(reduce), min_elements=0) is None


def test_an_expanded_int32_index_is_read_like_int64():
    index, narrow = (each[:, None].expand(4000, 16) for each in (ROWS, ROWS.int()))
    with strew.torch.installed(min_elements=1):
        assert torch.equal(SOURCE.gather(0, narrow), SOURCE.gather(0, index))
        assert torch.equal(SOURCE.scatter_add(0, narrow, SOURCE), SOURCE.scatter_add(0, index, SOURCE))


def test_out_of_another_shape_is_resized_by_torch():
    out = torch.empty(0)
    with strew.torch.installed():
        torch.index_select(SOURCE, 0, ROWS, out=out)
    assert torch.equal(out, SOURCE[ROWS])


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (ValueError, {"operators": ["index_ad"]}, "install: there is no operator 'index_ad'; did you mean 'index_add'?"),
        (ValueError, {"operators": ["aten::index_ad_"]}, "install: there is no operator 'aten::index_ad_'; did you mean 'index_add'?"),
        (ValueError, {"operators": ["embedding"]}, "install: there is no operator 'embedding'; did you mean 'index_select', "),
        (ValueError, {"operators": []}, "install: operators is empty; uninstall() lets PyTorch run all of them"),
        (ValueError, {"operators": ["defaults"]}, "install: there is no operator 'defaults'; did you mean 'default'?"),
        (ValueError, {"operators": ["bags"]}, "install: there is no operator 'bags'; choose from default, embedding_bag, embedding_bag_dense_backward, "),
        (ValueError, {"max_cached_bytes": 2**70}, "install: max_cached_bytes 1180591620717411303424 is not a 64-bit int"),
        (ValueError, {"threads": "mine"}, "install: threads is 'mine'; it must be 'torch' or 'strew'"),
        (ValueError, {"memory": "none"}, "install: memory is 'none'; it must be 'all', 'results' or 'torch'"),
        (ValueError, {"max_cached_bytes": -1}, "install: max_cached_bytes is -1; it must be 0 or more"),
        (ValueError, {"min_elements": -1}, "install: min_elements is -1; it must be 0 or more"),
        (TypeError, {"operators": "index_add"}, "install: operators is 'index_add'; it must be a list of names, such as ['index_add']"),
        (TypeError, {"operators": "put,gather"}, "install: operators is 'put,gather'; it must be a list of names, such as ['put', 'gather']"),
        (TypeError, {"operators": [3]}, "install: an operator is an int; it must be a str"),
        (TypeError, {"max_cached_bytes": 1e9}, "install: max_cached_bytes is a float; it must be an int"),
        (TypeError, {"min_elements": "8"}, "install: min_elements is a str; it must be an int"),
        (TypeError, {"min_elements": True}, "install: min_elements is a bool; it must be an int"),
    ],
)
def test_options_that_do_not_exist_or_are_of_another_type_are_refused(kind, options, message):
    with pytest.raises(kind) as refusal:
        strew.torch.install(**options)
    assert str(refusal.value).startswith(message)


def test_a_missing_package_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "strew_torch", None)
    monkeypatch.delitem(sys.modules, "strew_torch")
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ImportError, match="needs the package strew-torch.*`make torch PYTHON=...`"):
        strew.torch.install()
    monkeypatch.setattr(sys, "argv", ["strew.torch", __file__])
    with pytest.raises(SystemExit, match="2"):
        command_line.main()
    assert "error: strew.torch.install needs the package strew-torch" in capsys.readouterr().err


OTHER_COMMIT = (
    f"strew-torch {strew.__version__} of commit {{}} does not match strew {strew.__version__} of commit "
    f"{strew.__commit__[:12]}: both must be built from the same commit$"
)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("TORCH", "1.13", "strew-torch was built for torch 1.13, but this is torch"),
        ("STREW", "0.0.9", f"strew-torch 0.0.9 does not match strew {strew.__version__}: both must have the same version$"),
        ("COMMIT", "0123456789abcdef" * 2 + "01234567", OTHER_COMMIT.format("0123456789ab")),
        ("COMMIT", "", OTHER_COMMIT.format("unknown")),
    ],
)
def test_another_version_or_commit_is_refused(name, value, message, monkeypatch):
    monkeypatch.setattr(strew_torch, name, value)
    with pytest.raises(ImportError, match=f"^{message}"):
        strew.torch.install()


def run(*arguments, **where):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, **where)


def test_an_unchanged_program_runs_on_strew(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(
        textwrap.dedent("""
            import sys
            import torch
            assert __name__ == "__main__"
            print(sys.argv[1:], torch.zeros(50, 16).index_add(0, torch.arange(4000) % 50, torch.ones(4000, 16)).sum().item())
        """)
    )
    found = run("-m", "strew.torch", "--memory", "all", "--counts", str(program), "--epochs", "3")
    assert (found.stdout, found.returncode) == ("['--epochs', '3'] 64000.0\n", 0), found.stderr
    assert found.stderr.splitlines()[1].split() == ["aten::index_add", "1", "0"], found.stderr


def test_counts_print_the_table_of_the_document():
    strew.torch.counts(reset=True)
    assert "0 % handled" in str(strew.torch.counts())
    with strew.torch.installed(["index_add"]):
        add()
        torch.zeros(50, 16).index_add(0, ROWS, SOURCE, alpha=2)
        torch.zeros(50, 16).index_add_(0, ROWS[:2], SOURCE[:2])
    assert f"```text\n{strew.torch.counts(reset=True)}\n```\n" in DOCUMENT.read_text()

def test_the_command_line_has_the_options_of_install(tmp_path, monkeypatch):
    program = tmp_path / "train.py"
    program.write_text("")
    given = {}
    monkeypatch.setattr(command_line, "install", lambda names, **options: given.update(options, operators=names))
    monkeypatch.setattr(sys, "path", list(sys.path))
    options = ["--min-elements", "1", "--max-cached-bytes", "0", "--threads", "strew", "--memory", "torch", "--operators", "index_add_,gather", "--no-compiled"]
    monkeypatch.setattr(sys, "argv", ["strew.torch", *options, str(program)])
    command_line.main()
    numbers = {"max_cached_bytes": 0, "min_elements": 1}
    assert given == {"operators": ["index_add_", "gather"], "threads": "strew", "memory": "torch", "compiled": False} | numbers
    assert given.keys() == inspect.signature(strew.torch.install).parameters.keys()


def test_complex_infinities_are_multiplied_as_torch_does():
    table, rows = torch.zeros(4, 600, dtype=torch.complex64), torch.tensor([1])
    updates = torch.full((1, 600), complex(float("inf"), 2), dtype=torch.complex64)
    calls = [
        lambda: torch.index_add(table, 0, rows, updates, alpha=-1),
        lambda: torch.index_add(table, 0, rows, updates),
        lambda: torch.ops.aten.embedding_dense_backward(updates, rows, 4, -1, False),
    ]
    for call in calls:
        assert difference(call, min_elements=0) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "error: the following arguments are required: PROGRAM\n"),
        (["--operators", "index_add,mine", __file__], "error: there is no operator 'mine'; choose from "),
        (["--min-elements", "-1", __file__], "error: min_elements is -1; it must be 0 or more\n"),
        (["--max-cached-bytes", "1GiB", __file__], "error: argument --max-cached-bytes: invalid int value: '1GiB'\n"),
        (["--memory", "none", "train.py"], "error: argument --memory: invalid choice: 'none'"),
        (["--counts", "train.py"], "error: there is no file 'train.py'"),
        (["-m", "train.steps"], "error: there is no module 'train.steps'"),
    ],
)
def test_a_command_line_with_a_fault_names_it(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["strew.torch", *arguments])
    with pytest.raises(SystemExit) as exit:
        command_line.main()
    said = capsys.readouterr().err
    assert (exit.value.code, message in said) == (2, True), said
    assert said.startswith("usage: python -m strew.torch")
