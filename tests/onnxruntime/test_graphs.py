"""Tests nodes in subgraphs and functions, nodes with unknown shapes, and models without nodes to claim."""

import numpy as np
import pytest
from onnx import parser
from support import STREW, assert_all_on_strew, one_node, operands, run, strew_session, text_model

UPDATE = "ScatterND(data, indices, updates)"
DATA = np.zeros((4, 3), np.float32)
INDICES = np.array([[1], [3]])
UPDATES = np.full((2, 3), 7, np.float32)
FEEDS = {"data": DATA, "indices": INDICES, "updates": UPDATES}
WANTED = np.array([[0] * 3, [7] * 3, [0] * 3, [7] * 3], np.float32)
INPUTS = "float[n, f] data, int64[m, 1] indices, float[m, f] updates"


def test_both_branches_of_an_if_run_on_strew():
    model = text_model(
        f"""g (bool flag, {INPUTS}) => (float[n, f] y) {{
          y = If (flag) <
            then_branch = t () => (float[n, f] a) {{ a = {UPDATE} }},
            else_branch = e () => (float[n, f] b) {{ c = {UPDATE} b = ScatterND(c, indices, updates) }}
          >
        }}"""
    )
    session = strew_session(model)
    assert_all_on_strew(session, "ScatterND")
    for flag in (True, False):
        assert np.array_equal(session.run(None, FEEDS | {"flag": np.array(flag)})[0], WANTED)


def test_the_body_of_a_loop_runs_on_strew():
    model = text_model(
        """g (int64 count, float[n, f] data, int64[m, 1] indices, float[m, f] updates) => (float[n, f] y) {
          go = Constant<value = bool {1}>()
          y = Loop (count, go, data) <
            body = b (int64 i, bool c, float[n, f] state) => (bool next, float[n, f] after) {
              next = Identity(c)
              after = ScatterND<reduction = "add">(state, indices, updates)
            }
          >
        }"""
    )
    session = strew_session(model)
    assert_all_on_strew(session, "ScatterND")
    result = session.run(None, FEEDS | {"count": np.array(3)})[0]
    assert np.array_equal(result, 3 * WANTED)


def test_a_function_of_the_model_runs_on_strew():
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
        g ({INPUTS}) => (float[n, f] y) {{ y = own.write(data, indices, updates) }}
        <domain: "own", opset_import: ["" : 18]>
        write (data, indices, updates) => (y) {{ y = {UPDATE} }}"""
    )
    session = strew_session(model)
    assert_all_on_strew(session, "ScatterND")
    assert np.array_equal(session.run(None, FEEDS)[0], WANTED)


@pytest.mark.parametrize("shape", [["n", "f"], [None, None], [None, 3], None, [4, 3]])
def test_shapes_may_be_named_or_anonymous_or_unknown_and_change(shape):
    inputs = operands([], [], []) if shape is None else operands(shape, [None, 1], [None, *shape[1:]])
    inputs = {name: (type_, None if shape is None else given) for name, (type_, given) in inputs.items()}
    session = strew_session(one_node("ScatterND", inputs))
    assert_all_on_strew(session, "ScatterND")
    assert np.array_equal(run(session, FEEDS), WANTED)
    if shape != [4, 3]:
        data = np.zeros((9, 3), np.float32)
        feeds = {"data": data, "indices": np.array([[8]]), "updates": UPDATES[:1]}
        assert np.array_equal(run(session, feeds)[8], UPDATES[0])


def chain(dims, length=6):
    """Return a chain of ScatterND between Abs and Neg, in which each node may write to the memory of its predecessor."""
    rows, columns = dims
    inputs = f"float[{rows}, {columns}] data, int64[m, 1] indices, float[m, {columns}] updates"
    scatters = [f'v{i + 1} = ScatterND<reduction = "add">(v{i}, indices, updates)' for i in range(length)]
    nodes = f"v0 = Abs(data) {' '.join(scatters)} y = Neg(v{length})"
    return text_model(f"g ({inputs}) => (float[{rows}, {columns}] y) {{ {nodes} }}")


@pytest.mark.parametrize("dims", [["n", "f"], [4, 3], ["?", "?"]])
def test_scatters_in_a_row_are_right_in_place_or_not(dims):
    session = strew_session(chain(dims))
    assert_all_on_strew(session, "ScatterND")
    before = DATA.copy()
    assert np.array_equal(session.run(None, FEEDS)[0], -6 * WANTED)
    assert np.array_equal(before, DATA)


def test_data_that_is_read_again_is_not_written():
    model = text_model(
        f"""g ({INPUTS}) => (float[n, f] y, float[n, f] z) {{
          a = Abs(data)
          b = ScatterND(a, indices, updates)
          y = Neg(b)
          z = Neg(a)
        }}"""
    )
    session = strew_session(model)
    assert_all_on_strew(session, "ScatterND")
    written, kept = session.run(None, FEEDS)
    assert np.array_equal(written, -WANTED)
    assert not kept.any()


def test_the_name_of_the_provider_is_what_the_session_says():
    session = strew_session(chain([4, 3]))
    assert session.get_providers() == [STREW, "CPUExecutionProvider"]
