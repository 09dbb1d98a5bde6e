"""Tests which nodes Strew claims, and the reasons that `placement` returns for others."""

import onnxruntime
import onnxruntime_ep_strew
import pytest
from onnx import TensorProto
from support import CPU, STREW, in_ort_format, one_node, operands, refuses, session_options, strew_session, text_model


def places(session):
    """Return the operator and provider of each gather and scatter node, and the reason for unclaimed nodes."""
    family = onnxruntime_ep_strew.placement(session)
    return {
        (p.operator, p.provider, p.reason if p.provider == CPU else "")
        for p in family
        if "Gather" in p.operator or "Scatter" in p.operator
    }


BETWEEN = "(float[n, 8] data, int64[m, 8] indices) => (uint8[a, b] y)"
STRINGS = "ONNX Runtime is faster with its own strings"
SHAPE = "it reads a shape, which ONNX Runtime simplifies"
EMBEDDINGS = "<float[2, 2] words = {1, 2, 3, 4}, float[2, 2] places = {5, 6, 7, 8}>"
# Graphs, and the placement of their gathers and scatters. S stands for constants of quantisation.
PLACED = {
    "a gather between quantisation nodes": (
        f"{BETWEEN} S {{ g = Gather(data, indices) y = QuantizeLinear(g, scale, zero) }}",
        ("Gather", CPU, "its output goes into QuantizeLinear, which ONNX Runtime removes or fuses"),
    ),
    "a gather of elements between quantisation nodes": (
        f"{BETWEEN} S {{ g = GatherElements(data, indices) y = QuantizeLinear(g, scale, zero) }}",
        ("GatherElements", CPU, "its output goes into QuantizeLinear, which ONNX Runtime removes or fuses"),
    ),
    "scatters between quantisation nodes": (
        "(uint8[n] data, int64[m, 1] i, float[m] u) => (uint8[n] y)"
        " S { d = DequantizeLinear(data, scale, zero) s = ScatterND(d, i, u) y = QuantizeLinear(s, scale, zero) }",
        ("ScatterND", STREW, ""),
    ),
    "a gather of a shape": (
        "(float[n, m] x, int64 i) => (int64 y) { s = Shape(x) y = Gather(s, i) }",
        ("Gather", CPU, SHAPE),
    ),
    "summed embeddings": (
        "(int64[b, s] i, int64[b, s] j) => (float[b, s, 2] y) "
        + EMBEDDINGS + " { w = Gather(words, i) p = Gather(places, j) y = Add(w, p) }",
        ("Gather", CPU, "it is summed with other embeddings, which ONNX Runtime fuses"),
    ),
    "rows of nodes that are summed over edges": (
        "(float[n, 8] nodes, int64[e] sources, int64[e] targets) => (float[e, 8] y)"
        " { s = Gather(nodes, sources) t = Gather(nodes, targets) y = Add(s, t) }",
        ("Gather", STREW, ""),
    ),
    "nodes without a name": (
        "(float[n, m] x, string[k] words, int64 i, int64[j] many) => (int64 y, string[j] z)"
        " { shape = Shape(x) y = Gather(shape, i) z = Gather(words, many) }",
        ("Gather", CPU, f"{STRINGS}; or {SHAPE}"),
    ),
    "a reduction that is newer than the opset": (
        '(float[4] data, int64[2, 1] i, float[2] u) => (float[4] y) { y = ScatterND<reduction = "max">(data, i, u) }',
        ("ScatterND", CPU, "reduction 'max' is not in version 16 of the operator"),
    ),
    "scattered strings": (
        "(string[4] d, int64[2, 1] i, string[2] u) => (string[4] y) { y = ScatterND(d, i, u) }",
        ("ScatterND", CPU, STRINGS),
    ),
    "scattered elements that are strings": (
        "(string[4] d, int64[2] i, string[2] u) => (string[4] y) { y = ScatterElements(d, i, u) }",
        ("ScatterElements", CPU, STRINGS),
    ),
    "gathered strings": (
        "(string[4] d, int64[2, 1] i) => (string[2] y) { y = GatherND(d, i) }",
        ("GatherND", CPU, STRINGS),
    ),
    "gathered elements that are strings": (
        "(string[4] d, int64[2] i) => (string[2] y) { y = GatherElements(d, i) }",
        ("GatherElements", CPU, STRINGS),
    ),
}


@pytest.mark.parametrize("name", PLACED)
def test_nodes_are_taken_or_left_with_a_reason(name):
    graph, place = PLACED[name]
    graph = graph.replace(" S {", " <float scale = {0.5}, uint8 zero = {3}> {")
    assert places(strew_session(text_model(f"g {graph}", opset=16 if "opset" in name else 18))) == {place}


def test_a_gather_of_dequantised_data_stays_with_onnx_runtime():
    graph = "g (uint8[n, 8] table, int64[m] i) => (float[m, 8] y) <float scale = {0.5}, uint8 zero = {3}>"
    session = strew_session(text_model(graph + " { data = DequantizeLinear(table, scale, zero) y = Gather(data, i) }"))
    assert {provider for _, provider, _ in places(session)} <= {CPU}


def test_placement_of_a_session_made_by_onnx_runtime_itself_has_reasons():
    onnxruntime_ep_strew.register()
    device = next(d for d in onnxruntime.get_ep_devices() if d.ep_name == STREW)
    model = one_node("GatherElements", operands([4], [2], type_=TensorProto.STRING))

    def made(**entries):
        options = session_options(**entries)
        options.add_provider_for_devices([device], {"placement": "mine"})
        options.add_provider(CPU, {})
        return onnxruntime.InferenceSession(model.SerializeToString(), options)

    recorded = made(record_ep_graph_assignment_info="1")
    assert places(recorded) == {("GatherElements", CPU, STRINGS)}
    for function in (onnxruntime_ep_strew.placement, onnxruntime_ep_strew.summary):
        refuses(RuntimeError, "record_ep_graph_assignment_info' to '1'", function, made())


@pytest.mark.parametrize("function", ["placement", "summary"])
def test_what_is_no_session_is_refused(function):
    with pytest.raises(TypeError, match=f"^{function}: session is of type int; it must be an onnxruntime.InferenceSession"):
        getattr(onnxruntime_ep_strew, function)(3)


@pytest.mark.parametrize(("name", "hint"), [("sesion", "; did you mean 'session'?"), ("nonsense", "")])
def test_a_name_that_the_module_lacks_is_guessed(name, hint):
    with pytest.raises(AttributeError) as refusal:
        getattr(onnxruntime_ep_strew, name)
    assert str(refusal.value) == f"module 'onnxruntime_ep_strew' has no attribute {name!r}{hint}"


def test_the_option_operators_chooses():
    graph = "g (float[n, 3] data, int64[m, 1] i) => (float[m, 3] y) { a = GatherND(data, i) y = ScatterND(a, i, a) }"
    model = text_model(graph)
    session = strew_session(model, operators=["ScatterND", "Gather"])
    assert places(session) == {("ScatterND", STREW, ""), ("GatherND", CPU, "it is not listed in the option operators")}
    both = strew_session(model, operators="GatherND,ScatterND")
    assert places(both) == {("ScatterND", STREW, ""), ("GatherND", STREW, "")}


@pytest.mark.parametrize(
    ("shape", "provider"), [([1023], CPU), ([33, 31], CPU), ([1024], STREW), ([3, "columns"], STREW), ([2**40, 0], CPU)]
)
def test_a_gather_of_few_elements_is_taken_only_where_operators_are_named(shape, provider):
    model = one_node("GatherElements", operands(["rows", "columns"][: len(shape)], shape))
    reason = "it has so few elements that ONNX Runtime is faster; set the option operators to run it on Strew"
    left = onnxruntime_ep_strew.session(model, session_options())
    assert places(left) == {("GatherElements", provider, reason if provider == CPU else "")}
    named = strew_session(model, operators=["GatherElements"])
    assert places(named) == {("GatherElements", STREW, "")}


CHAIN = """g (float[n, 3] data, int64[m, 1] indices) => (float[m, 3] y) {
  a = Abs(data)
  b = GatherND(a, indices)
  y = ScatterND(b, indices, b)
}"""


@pytest.mark.parametrize("as_bytes", [False, True])
@pytest.mark.parametrize("ask", ["placement", "summary"])
def test_a_model_in_ort_format_has_no_placement(tmp_path, ask, as_bytes):
    path = in_ort_format(text_model(CHAIN), tmp_path)
    session = strew_session(path.read_bytes() if as_bytes else str(path))
    with pytest.raises(RuntimeError, match=r"recorded no node .* ORT format \(\.ort\): load the \.onnx file .* enable_profiling"):
        getattr(onnxruntime_ep_strew, ask)(session)


def test_a_model_in_ort_format_has_no_placement_without_reasons_either(tmp_path):
    onnxruntime_ep_strew.register()
    options = session_options(record_ep_graph_assignment_info="1")
    options.add_provider_for_devices([d for d in onnxruntime.get_ep_devices() if d.ep_name == STREW], {})
    session = onnxruntime.InferenceSession(str(in_ort_format(text_model(CHAIN), tmp_path)), options)
    refuses(RuntimeError, "recorded no node", onnxruntime_ep_strew.placement, session)


def test_a_model_without_nodes_has_an_empty_placement():
    model = text_model("g () => (float[2] y) <float[2] a = {1, 2}, float[2] b = {3, 4}> { y = Add(a, b) }")
    session = strew_session(model)
    assert onnxruntime_ep_strew.placement(session) == []
    assert onnxruntime_ep_strew.summary(session) == onnxruntime_ep_strew.Summary([], 0)


def test_a_summary_counts_nodes_by_operator_and_reason():
    model = text_model(
        """g (float[n, 3] data, int64[m, 1] indices, int64 i, string[k] words) => (float[m, 3] y, int64 s, int64 t, string w) {
          a = GatherND(data, indices)
          b = GatherND(a, indices)
          y = ScatterND(b, indices, b)
          shape = Shape(data)
          [s] s = Gather(shape, i)
          [t] t = Gather(shape, s)
          [w] w = Gather(words, i)
        }"""
    )
    summary = onnxruntime_ep_strew.summary(strew_session(model))
    rows = "ScatterND reads its rows more than once; or its rows go into GatherND; only rows that reach a Concat or a scatter, with at most Mul, Add and Relu between, are fused"
    assert [count[:4] for count in summary.counts] == [
        ("GatherND", STREW, rows, 2),
        ("ScatterND", STREW, "it has no reduction", 1),
        ("Gather", CPU, SHAPE, 2),
        ("Gather", CPU, STRINGS, 1),
    ]
    assert summary.others == 1
    assert str(summary).splitlines() == [
        f"     2 GatherND        taken, not fused: {rows}",
        "     1 ScatterND       taken, not fused: it has no reduction",
        f"     2 Gather          left to CPUExecutionProvider: {SHAPE}",
        f"     1 Gather          left to CPUExecutionProvider: {STRINGS}",
        "     1 of other operators",
    ]


def test_a_session_without_reasons_has_no_summary():
    model = text_model(CHAIN)
    alone = onnxruntime.InferenceSession(
        model.SerializeToString(), session_options(record_ep_graph_assignment_info="1"), providers=[CPU]
    )
    refuses(RuntimeError, "the session recorded no reasons: use session", onnxruntime_ep_strew.summary, alone)
    changed = strew_session(model)
    with pytest.warns(UserWarning, match="providers"):
        changed.set_providers([CPU])
    refuses(RuntimeError, "the session recorded no reasons: use session", onnxruntime_ep_strew.summary, changed)


def test_the_placement_of_a_session_that_is_gone_is_forgotten():
    session = strew_session(one_node("GatherElements", operands([4], [2], type_=TensorProto.STRING)))
    token = session.get_session_options().get_session_config_entry("ep.strewexecutionprovider.placement")
    assert onnxruntime_ep_strew._where._record(token)[0] == 1
    del session
    assert onnxruntime_ep_strew._where._record(token) == (0, {})


def test_the_library_is_where_the_package_says():
    assert onnxruntime_ep_strew.get_library_path().startswith("/")
    with open(onnxruntime_ep_strew.get_library_path(), "rb") as library:
        assert library.read(4) == b"\x7fELF"
    assert onnxruntime_ep_strew.get_ep_names() == [onnxruntime_ep_strew.get_ep_name()]


def test_nodes_that_are_never_fused_have_no_reason():
    graph = """g (float[2, 3, n] past, float[2, 1, n] new, int64[2] at, int64[2, 3, n] indices) => (float[2, 3, n] y)
        { present = TensorScatter<axis = 1>(past, new, at) y = GatherElements(present, indices) }"""
    for place in onnxruntime_ep_strew.placement(strew_session(text_model(graph, opset=24))):
        assert (place.provider, place.reason, place.fused) == (STREW, "", "")
