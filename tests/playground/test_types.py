"""Types of the chosen version, of another version, and of none."""

import ml_dtypes
import numpy as np
import strew


def types_of(playground, operand, group):
    return playground.page.locator(f"[aria-label='type of {operand}'] {group}option").all_text_contents()


def test_a_type_of_a_later_version_is_one_click_away(playground):
    playground.open("ScatterND-11?data=[1,2]:bfloat16&indices=[[1]]&updates=[3]")
    page = playground.page
    assert "bfloat16" in playground.text("#message") and playground.text("#offer") == "ScatterND-13 has these types. Take ScatterND-13"
    assert page.input_value("[aria-label='type of data']") == "bfloat16"
    playground.after(lambda: page.click("#offer button"))
    assert page.is_hidden("#message") and page.is_hidden("#offer")
    assert page.evaluate("location.hash").startswith("#ScatterND-13?data=[1,2]:bfloat16&")
    assert playground.text("#output") == "output: bfloat16 [2]\n[1, 3]"


def test_a_call_that_is_refused_for_something_else_offers_no_version(playground):
    playground.open("ScatterND-11?data=[1,2]&indices=[[7]]&updates=[3]")
    assert "is outside" in playground.text("#message") and playground.page.is_hidden("#offer")


def test_types_that_no_version_has_can_be_chosen_and_are_the_functions_own(playground):
    playground.open("ScatterND-18?data=[1,2]:float32&indices=[[1]]:int32&updates=[3]")
    assert playground.page.is_hidden("#message")
    assert playground.text("#output") == "output: float32 [2]\n[1, 3]"
    assert types_of(playground, "indices", "> ") == ["int64"]
    assert set(types_of(playground, "indices", "optgroup > ")) == {
        "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}
    assert "float8_e5m2" in types_of(playground, "data", "optgroup > ")
    playground.page.click("#tongues button:text-is('ONNX')")
    assert playground.text("#code-text") == "# ONNX has no word for int32 as the type of indices; Strew has."


def test_the_link_of_a_python_call_with_such_types_shows_its_picture(playground):
    data = np.array([1, 2, 3], ml_dtypes.float8_e4m3fn)
    picture = strew.picture(strew.gather, data, np.array([2, 0], np.uint8))
    playground.open(picture.url().removeprefix("#"))
    assert playground.page.is_hidden("#message")
    assert playground.text("#output") == "output: float8_e4m3fn [2]\n[3, 1]"
