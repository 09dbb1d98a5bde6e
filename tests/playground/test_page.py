"""Tests the page with the actions of a user."""

import re

import ml_dtypes
import numpy as np
import pytest
import strew
from calls import array_of, examples, same
from conftest import PAGE, ROOT, Playground

EXAMPLES = {example["title"]: example["call"] for example in examples(ROOT)}
REFUSED = {
    "Out of range": "ScatterND-18: indices[1, 0] = 7 is outside [-4, 3] for axis 0 of data with shape [4, 2]",
    "Wrong updates": "ScatterND-18: updates have shape [2]; they must have [2, 2] (indices.shape[:-1] ++ "
                     "data.shape[indices.shape[-1]:]) for data of shape [4, 2] and indices of shape [2, 1]",
}
NAMES = {"Gather": strew.gather, "GatherElements": strew.gather_elements, "GatherND": strew.gather_nd,
         "ScatterElements": strew.scatter_elements, "ScatterND": strew.scatter_nd, "TensorScatter": strew.tensor_scatter}


def read_call(playground, fragment):
    """Return the call that the page reads from a fragment, and the fragment that the page writes for this call."""
    return playground.page.evaluate(
        """async (fragment) => {
            const {catalogue, parseFragment, writeFragment} = playground;
            try {
                const call = await parseFragment(fragment, catalogue);
                return [call, await writeFragment(call, catalogue)];
            } catch (error) {
                return [{error: error.message}, ""];
            }
        }""", fragment)


def output_of(playground):
    return array_of(playground.page.evaluate("""() => {
        const {parseElements} = playground;
        const [head, ...rest] = document.getElementById("output").textContent.split("\\n");
        return {...parseElements(rest.join("\\n")), dtype: head.split(" ")[1]};
    }"""))


def edit(playground, operand, text):
    playground.after(lambda: playground.page.fill(f"#operand-{operand}", text))


def test_the_first_picture_is_in_the_page_without_scripts(browser, address):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        assert page.locator("#picture > svg").count() == page.locator("svg").count() == 1
        assert page.is_visible("#needs-scripts")


def test_the_first_picture_is_that_of_the_first_call(playground):
    playground.open()
    assert playground.page.locator("#picture > svg").count() == playground.page.locator("#result svg").count() == 1
    assert same(output_of(playground), np.array([[11, 21], [1, 1], [1, 1], [102, 203]], np.float32))
    assert playground.page.is_hidden("#message") and playground.page.is_hidden("#needs-scripts")
    call, _ = read_call(playground, next(iter(EXAMPLES.values())))
    answer = playground.call({"do": "run", **call, "inputs": list(call["operands"].values())})
    assert playground.page.evaluate("STREW.first") == answer  # the page contains the first answer


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_shows_the_librarys_answer(playground, title):
    playground.open(EXAMPLES[title])
    call, again = read_call(playground, EXAMPLES[title])
    assert playground.page.locator("#picture svg").count() == 1
    if title in REFUSED:
        assert playground.text("#message") == REFUSED[title]
        assert playground.page.get_attribute("#message", "class") == "drawn"  # the picture shows the error
        assert playground.page.is_hidden("#output")
        return
    operands = [array_of(tensor) for tensor in call["operands"].values()]
    attributes = {name: value for name, value in call["attributes"].items() if value not in ("", "true")}  # not defaults
    if "include_self" in attributes:
        attributes["include_self"] = False
    if "fill_value" in attributes:
        attributes["fill_value"] = float(attributes["fill_value"])
    expected = NAMES[call["operator"]](*operands, **attributes)
    assert same(output_of(playground), expected)
    assert playground.page.is_hidden("#message")
    assert playground.page.evaluate("location.hash") == f"#{again}"


def test_a_changed_number_changes_the_output_and_the_address(playground):
    playground.open(EXAMPLES["Sum of rows"])
    edit(playground, "indices", "[[3], [1], [3]]")
    assert same(output_of(playground), np.array([[1, 1], [11, 21], [1, 1], [102, 203]], np.float32))
    assert "indices=[[3],[1],[3]]:int64" in playground.page.evaluate("location.hash")


def test_a_bad_index_is_named_and_can_be_corrected(playground):
    playground.open(EXAMPLES["Sum of rows"])
    edit(playground, "indices", "[[3], [7], [3]]")
    assert playground.text("#message") == (
        "ScatterND-18: indices[1, 0] = 7 is outside [-4, 3] for axis 0 of data with shape [4, 2]")
    assert playground.page.locator(".tensor.bad #operand-indices").count() == 1
    edit(playground, "indices", "[[3], [-4], [3]]")
    assert playground.page.is_hidden("#message")
    assert playground.page.locator(".tensor.bad").count() == 0
    assert output_of(playground)[0].tolist() == [11, 21]


@pytest.mark.parametrize(("text", "words"), [
    ("[[3], [0, 1]]", "the list [1] has 2 elements, but the lists before it have 1"),
    ("[[3], 0]", "'0' is beside a list"),
    ("[[3], [x]]", "'x' is not an element"),
    ("[[3], [0]", "a ']' is missing"),
    ("[[3]] 1", "unexpected '1' at the end"),
    ("", "an element is missing at the end"),
    ('[["a"]]', "a quoted text is not a value of int64; choose the type string"),
])
def test_an_invalid_tensor_gives_the_reason_and_keeps_the_last_picture(playground, text, words):
    playground.open(EXAMPLES["Sum of rows"])
    playground.page.fill("#operand-indices", text)
    assert playground.text(".tensor.bad .problem") == words
    assert playground.page.locator("#picture.stale svg").count() == 1


def test_an_element_outside_its_type_is_named(playground):
    playground.open("Gather-13?data=[1,2]:int8&indices=[0]")
    edit(playground, "data", "[1, 300]")
    assert playground.text("#message") == "data[1]: '300' is not a value of int8"
    assert playground.page.get_attribute("#message", "class") == ""  # this error has no picture
    edit(playground, "data", "[1, 2.5]")
    assert playground.text("#message") == "data[1]: '2.5' is not a value of int8"


def test_types_follow_each_other_and_shapes_can_be_set(playground):
    playground.open(EXAMPLES["Sum of rows"])
    playground.after(lambda: playground.page.select_option("[aria-label='type of data']", "float16"))
    assert playground.page.input_value("[aria-label='type of updates']") == "float16"
    assert output_of(playground).dtype == np.float16

    def widen():
        playground.page.fill("[aria-label='shape of data']", "5, 2")
        playground.page.press("[aria-label='shape of data']", "Enter")

    playground.after(widen)
    assert output_of(playground).tolist() == [[11, 21], [1, 1], [1, 1], [102, 203], [0, 0]]


def test_every_version_of_every_operator_can_be_chosen(playground):
    playground.open()
    seen = set()
    for i in range(playground.page.locator(".op").count()):
        playground.after(lambda i=i: playground.page.locator(".op").nth(i).click())
        options = playground.page.locator("[aria-label=version] option")
        for number in [options.nth(k).get_attribute("value") for k in range(options.count())]:
            playground.after(lambda number=number: playground.page.select_option("[aria-label=version]", number))
            seen.add(playground.page.evaluate("location.hash").split("?")[0])
            deprecated = playground.page.locator("[aria-label=version] option:checked").text_content().endswith("(deprecated)")
            assert playground.page.is_hidden("#message") or deprecated, playground.text("#message")
    known = playground.call({"do": "catalogue"})["versions"]
    assert seen == {f"#{one['operator']}-{one['version']}" for one in known}


def test_steps_apply_one_index_after_the_other(playground):
    playground.open(EXAMPLES["The last one wins"])
    whole = playground.page.inner_html("#picture")
    pictures = [whole]
    for at in (2, 1, 0):
        playground.page.click("#back")
        playground.page.wait_for_function("before => document.getElementById('picture').innerHTML !== before", arg=pictures[-1])
        assert playground.text("#applied-text") == f"{at} of 3 indices applied"
        pictures.append(playground.page.inner_html("#picture"))
    assert len(set(pictures)) == 4
    assert playground.page.is_disabled("#back")
    for _ in range(3):
        playground.page.click("#forth")
    playground.page.wait_for_function("whole => document.getElementById('picture').innerHTML === whole", arg=whole)


def test_the_same_inputs_are_shown_for_all_three_gathers(playground):
    playground.open("Gather-13?data=[[1,2],[3,4]]:int64&indices=[[1,0],[0,0]]:int64")
    playground.page.wait_for_selector("#siblings article")
    texts = [card.text_content() for card in playground.page.locator("#siblings article").all()]
    assert [text.split("-13")[0] for text in texts] == ["Gather", "GatherElements", "GatherND"]
    assert "int64 [2, 2, 2]" in texts[0] and "[[3, 2], [1, 2]]" in texts[1] and "[3, 1]" in texts[2]


def test_the_three_gathers_read_indices_by_the_same_rules(playground):
    playground.open("Gather-13?data=[[1,2],[3,4]]:int64&indices=[[7,0],[0,-9]]:int64&out_of_bounds=clip")
    playground.page.wait_for_selector("#siblings article")
    texts = [card.text_content() for card in playground.page.locator("#siblings article").all()]
    assert "[[[3, 4], [1, 2]], [[1, 2], [1, 2]]]" in texts[0] and "[[3, 2], [1, 2]]" in texts[1] and "[3, 1]" in texts[2]
    playground.after(lambda: playground.page.select_option("[aria-label=out_of_bounds]", "fill"))
    playground.after(lambda: playground.page.fill("[aria-label=fill_value]", "8"))
    playground.page.wait_for_function("() => document.querySelector('#siblings').textContent.includes('[8, 8]')")
    assert "[[8, 2], [1, 8]]" in playground.text("#siblings")


def test_hovering_an_arrow_dims_the_others(playground):
    playground.open(EXAMPLES["The last one wins"])
    playground.page.locator("#picture [data-arrows='2']").first.hover()
    assert playground.page.locator("#picture svg.focus").count() == 1
    assert playground.page.locator("#picture .lit[data-arrows='2']").count() > 0
    assert playground.page.locator("#picture .lit[data-arrows='1']").count() == 0


ADDRESSES = {
    "strings": r'Gather-13?data=["a%26b","%23","c%20\"d\"","ü,%5B1]"]:string&indices=[3,0]',
    "empty": "Gather-13?data=[]:float32[3,0]&indices=[2]",
    "many lists of nothing": f"Gather-13?data=[]:float32[{'2,' * 30}0]&indices=[1]",
    "a scalar index": "Gather-13?data=[1,2]:int64&indices=1",
    "one element for all": "Gather-13?data=7:float32[2,2]&indices=[1]",
    "complex": "Gather-13?data=[1-2j,3.5j]:complex64&indices=[0]",
    "nan": "Gather-13?data=[nan,-inf,inf]:bfloat16&indices=[0,1,2]",
    "many": f"Gather-13?data=[{','.join(map(str, range(700)))}]:int64&indices=[699]",
    "rules of indices": "ScatterND-18?data=[1,2]:float32&indices=[[5],[-1]]&updates=[3,4]&out_of_bounds=drop&negative_indices=out_of_bounds",
    "a fill value": "GatherElements-13?data=[1,2]:float32&indices=[5]&out_of_bounds=fill&fill_value=-inf",
    "a text that fills": "Gather-13?data=[\"a\"]:string&indices=[1]&out_of_bounds=fill&fill_value=b%20%26",
    "without self": "ScatterElements-18?data=[9,9]:float16&indices=[0,0]&updates=[1,2]&reduction=mean&include_self=false",
    "scaled and wide": "ScatterND-18?data=[1,2]:bfloat16&indices=[[0]]&updates=[3]&reduction=sub&acc_dtype=float32&alpha=0.5",
    "left out": "TensorScatter-24?past_cache=[[[1],[2]]]:float32&update=[[[3]]]:float32",
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_an_address_is_read_and_written_unchanged(playground, name):
    playground.open(ADDRESSES[name])
    assert playground.page.is_hidden("#message"), playground.text("#message")
    call, again = read_call(playground, ADDRESSES[name])
    assert playground.page.evaluate("location.hash.slice(1)") == again
    assert again.startswith("z=") == (name == "many") and len(again) <= 2000
    assert read_call(playground, again) == [call, again]


def url_cases():
    half = np.array([1, 2, 3], np.float16)
    twice = ([[0], [0], [2]], half)
    yield strew.picture(strew.gather, half, [5, -1], out_of_bounds="clip")
    yield strew.picture(strew.gather, half, [5, -1], out_of_bounds="fill", fill_value=0.5, negative_indices="out_of_bounds")
    yield strew.picture(strew.gather_nd, np.ones((2, 2), np.complex64), [[5, 0]], out_of_bounds="fill", fill_value=1 - 2j)
    yield strew.picture(strew.scatter_elements, half, [1, 1, -3], half, 0, "mean", include_self=False)
    yield strew.picture(strew.scatter_nd, half, *twice, "add", acc_dtype="float32", alpha=0.25)
    yield strew.picture(strew.scatter_nd, half.astype(np.int8), [[0], [9]], np.ones(2, np.int8), "xor", out_of_bounds="drop")
    yield strew.picture(strew.tensor_scatter, np.zeros((1, 3, 1)), np.ones((1, 2, 1)), [2], mode="circular")
    yield strew.picture(strew.scatter_nd, half, np.array([[2], [0]], np.int32), half[:2])
    yield strew.picture(strew.gather, half.astype(ml_dtypes.float8_e4m3fn), np.array([1, 2], np.uint8))
    yield strew.picture(strew.scatter_nd, half, [[0]], half)


def test_a_call_of_python_has_the_same_picture_here(playground):
    playground.open()
    for picture in url_cases():
        call, _ = read_call(playground, picture.url())
        assert "error" not in call, (picture.url(), call)
        entry = [one for one in playground.call({"do": "catalogue"})["versions"]
                 if (one["operator"], one["version"]) == (call["operator"], call["version"])][0]
        inputs = [call["operands"].get(one["name"]) for one in entry["inputs"]]
        answer = playground.call({"do": "run", **call, "inputs": inputs})
        if picture.error is None:
            assert answer["svg"] == picture.svg, picture.url()
        assert answer.get("error", {}).get("message") == (
            picture.error and picture.error.replace("scatter_nd", "ScatterND-18")), picture.url()


PICTURE_AND_CALL = re.compile(r"\(pictures/(\w+)\.svg\)\n\n```sh\npython -m strew playground --call \\\n  '#(.*)'\n```")
DOCUMENTED = [found for page in ("semantics.md", "pictures.md") for found in PICTURE_AND_CALL.findall((ROOT / "docs" / page).read_text())]


def test_a_command_below_a_picture_shows_that_call(playground):
    assert len(DOCUMENTED) == 7
    playground.open()
    for name, fragment in DOCUMENTED:
        call, _ = read_call(playground, fragment)
        inputs = [call["operands"].get(operand) for operand in call["operands"]]
        answer = playground.call({"do": "run", **call, "inputs": inputs})
        if name == "scatter_nd_refused":  # its picture has another message
            assert answer["error"]["message"].startswith("ScatterND-18: indices[1, 0] = 7 is outside")
        else:
            assert answer["svg"] == (ROOT / "docs" / "pictures" / f"{name}.svg").read_text("utf-8"), name


def test_settings_beyond_onnx_can_be_chosen(playground):
    playground.open("ScatterND-18?data=[9,9]:float32&indices=[[0],[0],[4]]&updates=[1,2,3]")
    page = playground.page
    assert "is outside" in playground.text("#message")
    page.click(".rules summary")
    playground.after(lambda: page.select_option("[aria-label=out_of_bounds]", "drop"))
    playground.after(lambda: page.select_option("[aria-label=reduction]", "mean"))
    assert output_of(playground).tolist() == [4, 9]
    playground.after(lambda: page.select_option("[aria-label=include_self]", "false"))
    assert output_of(playground).tolist() == [1.5, 9]
    assert "include_self=false" in page.text_content("#picture svg")
    playground.after(lambda: page.fill("[aria-label=alpha]", "2"))
    assert output_of(playground).tolist() == [3, 9]
    assert page.evaluate("location.hash").endswith("&reduction=mean&out_of_bounds=drop&include_self=false&alpha=2")
    playground.after(lambda: page.fill("[aria-label=alpha]", "two"))
    assert playground.text("#message") == "alpha: 'two' is not a value of float32"
    for operator, missing in (("Gather", "include_self"), ("TensorScatter", "out_of_bounds")):
        playground.after(lambda: page.click(f".op:has(b:text-is('{operator}'))"))
        assert page.locator(f"[aria-label={missing}]").count() == 0


def test_the_wrong_part_of_a_shape_is_red(playground):
    playground.open(EXAMPLES["Sum of rows"])
    edit(playground, "updates", "[[1, 2, 3], [10, 20, 30], [100, 200, 300]]")
    assert playground.page.locator("#picture [data-operand=updates] tspan").all_text_contents() == ["3"]
    assert playground.page.locator(".tensor.bad #operand-updates").count() == 1
    assert playground.page.locator(".tensor.bad").count() == 1


@pytest.mark.parametrize(("fragment", "words"), [
    ("Gathr-13?data=[1]&indices=[0]", "no operator 'Gathr'; choose from Gather, "),
    ("Gather-12?data=[1]&indices=[0]", "no Gather-12; choose from 1, 11, 13"),
    ("Gather-13?data=[1]&indices=[0]&indices=[0]", "'indices' occurs twice"),
    ("Gather-13?data=[1]&index=[0]", "Gather-13 has no 'index'; it has data, indices, axis"),
    ("Gather-13?data=[1]", "'indices' is missing"),
    ("Gather-13?data=[1,[2]]&indices=[0]", "data: a list is beside an element"),
    ("Gather-13?data=[1,2]:float32[3]&indices=[0]", "data: 2 elements for the shape [3]"),
    ("Gather-13?data=[1,2]&indices=[0]&axis=first", "axis: 'first' is not an integer"),
    ("Gather-13?data=%E0%A4%A&indices=[0]", "a '%' does not begin a character encoded as UTF-8, such as %C3%A9"),
    ("z=abc", "the text after z= is damaged"),
    ("nothing", "the address must begin with an operator"),
])
def test_a_wrong_address_says_what_is_wrong_and_shows_an_example(playground, fragment, words):
    playground.open(fragment)
    assert playground.text("#notice").startswith(f"The address does not describe a call: {words}")
    assert playground.page.locator("#picture svg").count() == 1


def test_text_of_the_user_is_escaped(playground):
    playground.open('Gather-13?data=["%3Cimg src=x onerror=alert(1)%3E","%3C/text%3E%3Cscript%3Ealert(2)%3C/script%3E"]:string&indices=[0,1]')
    assert playground.page.is_hidden("#message")
    assert playground.page.locator("#picture script, #picture img, #result img").count() == 0
    assert "<img" in playground.text("#output")


def test_the_keyboard_is_enough(playground):
    playground.open()
    page = playground.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent").startswith("ScatterND")
    playground.after(lambda: page.keyboard.press("ArrowLeft"))
    assert page.evaluate("location.hash").startswith("#ScatterElements-18?")
    assert page.evaluate("document.activeElement.getAttribute('aria-checked')") == "true"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(document.activeElement.id || document.activeElement.getAttribute('aria-label'))"))
    assert {"operand-data", "operand-indices", "operand-updates", "version", "axis", "reduction", "applied", "copy-code",
            "copy-link", "file"} <= reached
    page.focus("#operand-indices")
    page.keyboard.press("Control+A")
    playground.after(lambda: page.keyboard.type("[0, 0, 0, 0, 4]"))
    assert output_of(playground).tolist() == [4, 0, 0, 0, 1]


@pytest.mark.parametrize("width", [360, 820, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_narrow_screens_in_both_colour_schemes(playground, width, scheme, tmp_path_factory):
    page = playground.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for title in ("Sum of rows", "Embedding lookup", "Out of range"):
        playground.open(EXAMPLES[title])
        page.wait_for_timeout(50)
        folder = ROOT / "build" / "test-logs" / "playground"
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{title.split()[0].lower()}_{scheme}_{width}.png", full_page=True)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), title
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 200) == (scheme == "dark")


def test_it_works_as_a_file(browser):
    with browser.new_context() as context:
        tab = Playground(context.new_page(), PAGE.as_uri() + "/")
        tab.page.goto(f"{PAGE.as_uri()}/index.html#{EXAMPLES['Pick per row']}")
        tab.page.wait_for_selector("body[data-ready]")
        assert output_of(tab).tolist() == [[3], [4], [8]]
        edit(tab, "indices", "[[0], [0], [0]]")
        assert output_of(tab).tolist() == [[1], [4], [7]]
        assert tab.page.evaluate("location.hash").startswith("#GatherElements-13?") and tab.faults == []
