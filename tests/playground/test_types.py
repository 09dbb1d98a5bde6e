"""Tests types and operators on the page, links to the pages of operators, and the speed of the page."""

import base64
import html
import json
import re
import sys

import ml_dtypes
import numpy as np
import pytest
import strew
from conftest import PAGE, ROOT
from test_page import EXAMPLES, read_call


def types_of(playground, operand, group):
    return playground.page.locator(f"[aria-label='type of {operand}'] {group}option").all_text_contents()


def test_a_type_of_a_later_version_is_one_click_away(playground):
    playground.open("ScatterND-11?data=[1,2]:bfloat16&indices=[[1]]&updates=[3]")
    page = playground.page
    assert "bfloat16" in playground.text("#message") and playground.text("#offer") == "ScatterND-13 has these types. Use ScatterND-13"
    assert page.input_value("[aria-label='type of data']") == "bfloat16"
    playground.after(lambda: page.click("#offer button"))
    assert page.is_hidden("#message") and page.is_hidden("#offer")
    assert page.evaluate("location.hash").startswith("#ScatterND-13?data=[1,2]:bfloat16&")
    assert playground.text("#output") == "output: bfloat16 [2]\n[1, 3]"


def test_a_call_that_is_rejected_for_another_reason_offers_no_version(playground):
    playground.open("ScatterND-11?data=[1,2]&indices=[[7]]&updates=[3]")
    assert "is outside" in playground.text("#message") and playground.page.is_hidden("#offer")


def test_types_beyond_onnx_can_be_chosen(playground):
    playground.open("ScatterND-18?data=[1,2]:float32&indices=[[1]]:int32&updates=[3]")
    assert playground.page.is_hidden("#message")
    assert playground.text("#output") == "output: float32 [2]\n[1, 3]"
    assert types_of(playground, "indices", "> ") == ["int64"]
    assert set(types_of(playground, "indices", "optgroup > ")) == {
        "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}
    assert "float8_e5m2" in types_of(playground, "data", "optgroup > ")
    playground.page.click("#tongues button:text-is('ONNX')")
    assert playground.text("#code-text") == "# ONNX does not support int32 as the type of indices; Strew does."


def test_the_link_of_a_python_call_with_types_beyond_onnx_shows_its_picture(playground):
    data = np.array([1, 2, 3], ml_dtypes.float8_e4m3fn)
    picture = strew.picture(strew.gather, data, np.array([2, 0], np.uint8))
    playground.open(picture.url().removeprefix("#"))
    assert playground.page.is_hidden("#message")
    assert playground.text("#output") == "output: float8_e4m3fn [2]\n[3, 1]"


sys.path.append(str(ROOT / "site"))
import operator_pages  # noqa: E402


@pytest.fixture(scope="module")
def links(tmp_path_factory):
    folder = tmp_path_factory.mktemp("operators")
    operator_pages.main(folder)
    return [html.unescape(link) for page in sorted(folder.glob("*.md")) for link in re.findall(r'href="[^"#]*#([A-Z][A-Za-z]+-[^"]+)"', page.read_text("utf-8"))]


def test_a_link_opens_its_call(playground, links):
    assert len(links) > 60
    playground.open()
    for link in links:
        call, _ = read_call(playground, link)
        assert "error" not in call, f"{link}: {call}"
        answer = playground.call({"do": "run", **call, "inputs": list(call["operands"].values())})
        assert "error" not in answer, f"{link}: {answer['error']}"
        assert f"<title>{link.partition('?')[0]}" in answer["svg"]


SMALL_ENOUGH = 250_000  # bytes of the module: half a second at 4 Mbit/s


def times_of(playground, fragment=""):
    """Return milliseconds: the time of the page's load event, and the times of its first picture and first answer."""
    playground.open(fragment)
    playground.page.wait_for_function("() => performance.getEntriesByName('library').length > 0")
    load, ready, library = playground.page.evaluate("""() => {
        const [page] = performance.getEntriesByType("navigation");
        return [page.loadEventEnd, ...["ready", "library"].map((name) => performance.getEntriesByName(name)[0].startTime)];
    }""")
    return round(load), round(ready - load), round(library - load)


def test_it_is_small_and_answers_at_once(playground):
    library = json.loads((PAGE / "strew.js").read_text("utf-8").removeprefix("const STREW = ").split(";\n", 1)[0])
    size = len(base64.b64decode(library["wasm"]))  # compressed by gzip -9
    load, ready, answer = times_of(playground)
    for i in range(20):
        text = f"[[3], [{i % 4}], [{i % 3}]]"
        playground.after(lambda text=text: playground.page.fill("#operand-indices", text))
    pictures = sorted(playground.page.evaluate("performance.getEntriesByName('picture').map((one) => one.duration)"))
    _, link, _ = times_of(playground, EXAMPLES["The last one wins"])
    figures = {"gzip": size, "load_ms": load, "ready_ms": ready, "answer_ms": answer, "link_ms": link, "picture_ms": round(pictures[10], 1)}
    print(json.dumps(figures))
    logs = ROOT / "build" / "test-logs"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "playground_figures.json").write_text(json.dumps(figures))
    assert size < SMALL_ENOUGH
    assert answer < 3000 and link < 3000 and pictures[10] < 200


def test_a_call_that_takes_long_does_not_hold_up_the_page(playground):
    """Check that only a small first call runs outside the worker."""
    playground.open()
    made = playground.page.evaluate("""async () => {
        let calls = 0;
        const counted = STREW_WORKER.loadCompiled;
        STREW_WORKER.loadCompiled = (message) => { calls += 1; return counted(message); };
        const tensor = (n, dtype) => ({dtype, shape: [n], values: Array(n).fill("0")});
        const ask = (n) => playground.module.firstCall({do: "run", operator: "Gather", version: 13, attributes: {axis: 0},
            inputs: [tensor(n, "float32"), tensor(n, "int64")]});
        const lengths = [(await ask(2)).output.shape[0], calls, (await ask(3000)).output.shape[0], calls];
        return lengths;
    }""")
    assert made == [2, 1, 3000, 1]
