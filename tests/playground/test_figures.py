"""How large the page is and how soon it answers. The bounds of times are far above what a quiet machine needs."""

import base64
import json

from calls import examples
from conftest import PAGE, ROOT

SMALL_ENOUGH = 220_000  # bytes of the module, half a second of a line of 4 Mbit/s
EXAMPLES = {example["title"]: example["call"] for example in examples(ROOT)}


def times_of(playground, fragment=""):
    """Milliseconds: when the page was loaded, and from there to its first picture and to the library's first answer."""
    playground.open(fragment)
    playground.page.wait_for_function("() => performance.getEntriesByName('library').length > 0")
    load, ready, library = playground.page.evaluate("""() => {
        const [page] = performance.getEntriesByType("navigation");
        return [page.loadEventEnd, ...["ready", "library"].map((name) => performance.getEntriesByName(name)[0].startTime)];
    }""")
    return round(load), round(ready - load), round(library - load)


def test_it_is_small_and_answers_at_once(playground):
    library = json.loads((PAGE / "strew.js").read_text("utf-8").removeprefix("const STREW = ").split(";\n", 1)[0])
    size = len(base64.b64decode(library["wasm"]))  # as gzip -9 leaves it
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
    """Only a small first call is done outside the worker."""
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
