"""Tests compiled programs on Strew: layers, batches, other compilers, caches, errors, and how to turn Strew off."""

import contextlib
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from compile_support import Other, added, are_near, are_same_bits, compiled_step, eager, fused, fusing, operands, step
from compile_support import without_code
from install_support import threads
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.utils.checkpoint import checkpoint

import strew.torch
from strew.torch import _compile, _compile_pass

WIDTH = 8


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, 4)

    def forward(self, x, edges, weight):
        hidden = added(self.first(x)[edges[0]] * weight[:, None], edges[1], x.shape[0]).relu()
        return added(self.last(hidden)[edges[0]] * weight[:, None], edges[1], x.shape[0])


def batch(nodes=50, edges=300, seed=0):
    generator = torch.Generator().manual_seed(seed)
    indices = torch.randint(0, nodes, (2, edges), generator=generator)
    return torch.randn(nodes, WIDTH, generator=generator), indices, torch.rand(edges, generator=generator)


def gradients(function, network, arguments):
    network.zero_grad()
    function(*arguments).sin().sum().backward()
    return [parameter.grad.clone() for parameter in network.parameters()]


def check(function, network, arguments):
    are_near(gradients(network, network, arguments), gradients(function, network, arguments), torch.float32)


def test_edges_of_several_layers_are_sorted_once_in_each_direction():
    sorts = []

    class Seen(CustomGraphPass):
        def __call__(self, graph):
            ours(graph)
            sorts.append(sum("sort_edges" in str(node.target) for node in graph.nodes))

        def uuid(self):
            return "seen"

    network = Network()
    with fusing():
        ours = torch._inductor.config.joint_custom_post_pass
        with torch._inductor.config.patch(joint_custom_post_pass=Seen()):
            check(torch.compile(network, backend=without_code), network, batch())
    assert sorts == [2]


@pytest.mark.parametrize("backend", [without_code, "inductor"], ids=["graphs", "inductor"])
def test_batches_of_changing_sizes_take_few_graphs(backend):
    network = Network()
    with fusing():
        compiled = torch.compile(network, backend=backend)
        for seed, (nodes, edges) in enumerate([(500, 6000), (600, 7000), (1000, 5000), (77, 8000), (10, 4), (300, 0)]):
            check(compiled, network, batch(nodes, edges, seed))
        graphs = strew.torch.compiled().graphs
    assert 1 <= len(graphs) <= 3
    assert all(len(graph.fused) == 4 for graph in graphs)


def test_indices_that_change_in_place_are_read_again():
    network, arguments = Network(), batch()
    with fusing():
        compiled = torch.compile(network, backend=without_code)
        check(compiled, network, arguments)
        arguments[1].random_(0, 50)
        check(compiled, network, arguments)


WAYS = {
    "max-autotune": {"mode": "max-autotune"},
    "cpp_wrapper": {"options": {"cpp_wrapper": True}},
    "backend strew": {"backend": "strew"},
}


@pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)
def test_other_ways_to_compile_fuse_as_well(how):
    network = Network()
    with fusing():
        check(torch.compile(network, **how), network, batch())
        assert fused() == 4


def test_the_backend_needs_no_install_and_changes_no_other_program():
    torch._dynamo.reset()
    network = Network()
    strew.torch.install(), strew.torch.uninstall()  # clears the record of compiled graphs
    with threads(2), torch._inductor.config.patch(force_disable_caches=True):
        check(torch.compile(network, backend="strew"), network, batch())
    assert torch._inductor.config.joint_custom_post_pass is None
    assert fused() == 4


def test_the_backend_keeps_the_mode_and_a_pass_in_the_options(monkeypatch):
    seen = []

    def compile_fx(module, inputs, config_patches):
        seen.append(config_patches)
        return module

    monkeypatch.setattr("torch._inductor.compile_fx.compile_fx", compile_fx)
    other = Other()
    for how in ({"mode": "max-autotune"}, {"options": {"joint_custom_post_pass": other, "max_autotune": True}}):
        torch.compile(Network(), backend="strew", **how)(*batch())
        torch._dynamo.reset()
    assert all(patches["max_autotune"] for patches in seen)
    assert [patches["joint_custom_post_pass"].before for patches in seen] == [None, other]


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_inference_is_fused(context):
    network = Network()
    with fusing(), context():
        torch.testing.assert_close(torch.compile(network, backend=without_code)(*batch()), network(*batch()))
    assert fused() == 2


def test_halves_of_autocast_run_on_eager_kernels():
    network = Network()
    with fusing(), torch.autocast("cpu", torch.bfloat16):
        found = torch.compile(network, backend=without_code)(*batch())
        expected = network(*batch())
    torch.testing.assert_close(found, expected, rtol=0.05, atol=0.1)
    assert eager()
    assert fused() == 0


def test_gradients_inside_of_a_program_are_fused():
    network = Network()

    def forces(x, edges, weight):
        x = x.clone().requires_grad_()
        return torch.autograd.grad(network(x, edges, weight).sin().sum(), x, create_graph=True)[0]

    with fusing():
        torch.testing.assert_close(torch.compile(forces, backend=without_code)(*batch()), forces(*batch()))
    assert fused() >= 4


def two_layers(x, source, target, weight):
    hidden = added(x[source] * weight[:, None], target)
    return added(hidden[source] * weight[:, None], target)


def checkpointed(*arguments):
    return checkpoint(two_layers, *arguments, use_reentrant=False)


@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("program", [two_layers, checkpointed])
def test_gradients_are_those_of_copied_and_recomputed_tensors(program, copies):
    hooks = torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda saved: saved)
    with hooks if copies else contextlib.nullcontext():
        found = compiled_step(program, operands())
    are_near(step(two_layers, operands()), found, torch.float32)
    assert fused() == 6


def test_both_sides_of_a_graph_break_are_fused():
    def program(x, source, target, weight):
        hidden = added(x[source] * weight[:, None], target)
        torch._dynamo.graph_break()
        return added(hidden[source], target)

    are_near(step(program, operands()), compiled_step(program, operands()), torch.float32)
    assert fused() == 5


def test_a_second_derivative_from_outside_is_refused_as_by_pytorch():
    network, (x, edges, weight) = Network(), batch()
    with fusing():
        result = torch.compile(network, backend=without_code)(x.requires_grad_(), edges, weight)
        (along,) = torch.autograd.grad(result.sin().sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match="does not currently support double backward"):
            along.sum().backward()


def test_programs_compiled_in_another_thread_are_fused():
    network = Network()
    with fusing(), ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: torch.compile(network, backend="inductor")(*batch())).result()
    torch.testing.assert_close(found, network(*batch()))
    assert fused() == 4


def test_ten_runs_on_two_threads_have_the_bits_of_eager_pytorch_on_one():
    generator = torch.Generator().manual_seed(3)
    edges = torch.randint(0, 5000, (2, 60_000), generator=generator)
    x = torch.randn(5000, 32, generator=generator).requires_grad_()

    def two_layers(x, edges, weight):
        return added(added(x[edges[0]] * weight, edges[1], 5000)[edges[0]], edges[1], 5000)

    weight = torch.rand(60_000, 1, generator=generator)
    with threads(1):
        expected = step(two_layers, (x, edges, weight))
    with threads(2), fusing():
        compiled = torch.compile(two_layers)
        for _ in range(10):
            assert are_same_bits(expected, step(compiled, (x, edges, weight)))


@pytest.mark.parametrize("bad", [50, -51])
@pytest.mark.parametrize("program", ["fused", "sorted", "eager"])
def test_an_index_out_of_range_is_an_index_error(program, bad):
    programs = {
        "fused": lambda x, edges, weight: added(x[edges[0]] * weight[:, None], edges[1], 50),
        "sorted": Network(),
        "eager": lambda x, edges, weight: added(weight, edges[1], 50),
    }
    x, edges, weight = batch()
    with fusing():
        compiled = torch.compile(programs[program], backend=without_code)
        compiled(x, edges, weight)
        edges[1, 5] = bad
        with pytest.raises(IndexError, match=str(bad)):
            compiled(x, edges, weight)


def test_negative_indices_count_from_the_end():
    x, edges, weight = batch()
    with fusing():
        compiled = torch.compile(Network(), backend=without_code)
        found = compiled(x, edges - 50, weight)
    torch.testing.assert_close(found, Network()(x, edges, weight))


@pytest.mark.parametrize("several", [False, True])
def test_a_pass_of_the_user_runs_too_and_is_put_back(several):
    config, other = torch._inductor.config, Other()
    with config.patch(joint_custom_post_pass=[other] if several else other):
        before = config.joint_custom_post_pass
        with fusing():
            network, ran = Network(), Other.ran
            check(torch.compile(network, backend=without_code), network, batch())
            assert Other.ran == ran + 1
            assert fused() == 4
            strew.torch.install()
            assert config.joint_custom_post_pass.before == before
        assert config.joint_custom_post_pass == before


def test_a_pass_set_beside_it_stays():
    config, other = torch._inductor.config, Other()
    strew.torch.install()
    with config.patch(joint_custom_post_pass=[config.joint_custom_post_pass, other]):
        strew.torch.uninstall()
        assert config.joint_custom_post_pass == [other]


def test_nothing_is_compiled_otherwise_without_install_or_with_compiled_false():
    network = Network()
    for compiled in (True, False):
        strew.torch.install(compiled=compiled)
        if compiled:
            strew.torch.uninstall()
        assert torch._inductor.config.joint_custom_post_pass is None
        torch._dynamo.reset()
        before = strew.torch.compiled().graphs
        check(torch.compile(network, backend=without_code), network, batch())
        assert strew.torch.compiled().graphs == before
    strew.torch.uninstall()


def test_a_program_goes_on_after_uninstall():
    network = Network()
    with fusing():
        compiled = torch.compile(network, backend=without_code)
        check(compiled, network, batch())
    check(compiled, network, batch(seed=1))


def test_install_forgets_the_lines_of_earlier_runs():
    with fusing():
        compiled = torch.compile(Network(), backend=without_code)
        compiled(*batch())
    with strew.torch.installed():
        assert strew.torch.compiled().from_cache == ()
        compiled(*batch())
        assert strew.torch.compiled().from_cache


def test_an_unknown_version_of_pytorch_is_left_alone(monkeypatch):
    monkeypatch.setattr(_compile, "_LAST", (2, 9))
    with strew.torch.installed():
        assert torch._inductor.config.joint_custom_post_pass is None
        assert strew.torch.compiled().off == f"torch {torch.__version__} is not supported; versions 2.9 to 2.9 are"


def test_a_rewrite_that_fails_leaves_a_program_that_runs(monkeypatch):
    def fail(*_):
        raise RuntimeError("as it is")

    monkeypatch.setattr(_compile_pass.Rewrite, "fold", fail)
    network = Network()
    with fusing():
        monkeypatch.setattr(_compile_pass, "must_succeed", False)
        check(torch.compile(network, backend=without_code), network, batch())
        reasons = set(strew.torch.compiled().graphs[0].left.values())
    assert "failed: RuntimeError('as it is')" in reasons


def test_a_sum_of_another_type_is_left_with_the_reason():
    def program(x, source, target, weight):
        return (x[source] * x[target]).sum(-1, dtype=torch.float64)

    are_near(step(program, operands()), compiled_step(program, operands()), torch.float32)
    (graph,) = strew.torch.compiled().graphs
    assert list(graph.left.values()) == ["rows of torch.float32, added up in torch.float64"]


def test_what_is_exported_and_packed_by_aotinductor_runs_without_strew(tmp_path):
    network, arguments = Network().eval(), batch()
    with fusing():
        program = torch.export.export(network, arguments)
        package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "network.pt2"))
        torch.testing.assert_close(torch._inductor.aoti_load_package(package)(*arguments), network(*arguments))
    assert fused() == 0
    with zipfile.ZipFile(package) as files:
        assert not any(b"strew" in files.read(name) for name in files.namelist())


def test_the_report_names_lines_and_counts_name_them_as_they_run():
    def program(x, source, target, weight):
        return added(x[source].exp(), target)

    strew.torch.counts(reset=True)
    compiled_step(program, operands())
    (graph,) = strew.torch.compiled().graphs
    assert list(graph.eager.values())[0] == "no gather produces the message: aten.exp.default"
    lines = {name.partition(" ")[2] for name in strew.torch.counts() if name.startswith("strew::")}
    assert {*graph.fused, *graph.eager} == lines
    assert all(line.startswith(("compile_support.py:", "test_compiled_programs.py:")) for line in lines)


def test_a_printed_report_has_a_line_for_each_line_of_the_program():
    graph = strew.torch._library.CompiledGraph(("a.py:1 index_add",), {"a.py:2 relu": "why"}, {"a.py:3 scatter": "it assigns"})
    shown = ["off: reason", "graph 1", "  fused         a.py:1 index_add", "  eager kernel  a.py:2 relu: why"]
    shown += ["  Inductor      a.py:3 scatter: it assigns", "from cache      a.py:4 gather"]
    assert str(_compile.Compiled((graph,), ("a.py:4 gather",), "reason")).split("\n") == shown
    assert str(_compile.Compiled((), (), "")) == "no graph has been compiled since install"


def test_import_and_install_do_not_import_the_compiler():
    program = "import sys, strew.torch; strew.torch.install(); strew.torch.uninstall(); assert 'torch._inductor' not in sys.modules"
    subprocess.run([sys.executable, "-P", "-c", program], check=True)
