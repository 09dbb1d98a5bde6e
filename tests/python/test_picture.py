"""Tests pictures of calls."""

import base64
import json
import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree
import zlib

import numpy as np
import pytest
from support import refuses

import strew

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = np.ones((4, 2), np.float32)
SVG = "{http://www.w3.org/2000/svg}"


def cells(svg, operand):
    """Return the texts of an operand's cells, by coordinates."""
    tree = xml.etree.ElementTree.fromstring(svg)
    group = next(one for one in tree.iter(f"{SVG}g") if one.get("data-operand") == operand)
    return {one.get("data-at"): one.find(f"{SVG}text").text for one in group.iter(f"{SVG}g") if one.get("data-at")}


def test_the_committed_pictures_are_those_of_the_calls():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import make_pictures
    finally:
        sys.path.pop(0)
    drawn = make_pictures.pictures()
    assert sorted(drawn) == sorted(path.name for path in (ROOT / "docs" / "pictures").glob("*.svg"))
    for name, svg in drawn.items():
        assert (ROOT / "docs" / "pictures" / name).read_text("utf-8") == svg, f"{name}: run scripts/make_pictures.py"


@pytest.mark.parametrize(
    "function, operands, attributes",
    [
        (strew.gather, ([5.0, 6.0, 7.0], [2, -3]), {}),
        (strew.gather_elements, ([[5, 6, 7]], [[2, 0]], 1), {}),
        (strew.gather_nd, ([[5, 6, 7]], [[0, 2]]), {}),
        (strew.scatter_elements, ([5, 6, 7], [2], [1]), {"reduction": "add"}),
        (strew.scatter_nd, ([5, 6, 7], [[2]], [1]), {"reduction": "max"}),
        (strew.tensor_scatter, (np.zeros((1, 3, 1)), np.ones((1, 1, 1)), [2]), {}),
    ],
)
def test_every_operator_is_drawn_with_its_result(function, operands, attributes):
    picture = strew.picture(function, *operands, **attributes)
    result = function(*operands, **attributes)
    output = "present_cache" if function is strew.tensor_scatter else "output"
    shown = cells(picture.svg, output)
    assert shown == {",".join(map(str, at)): f"{value:g}" for at, value in np.ndenumerate(result)}
    assert picture.error is None and picture._repr_svg_() == picture.svg


@pytest.mark.parametrize(
    "data, indices, shown",
    [
        (np.array(["a", "<b>"], object), [1], {"0": '"<b>"'}),
        (np.array(["a", "<b>"]), [1], {"0": '"<b>"'}),
        (np.array([b"a", b"\xff"]), [1], {"0": '"\\xff"'}),
        (np.array([1.5, 2.5], ">f8"), [1], {"0": "2.5"}),
        (np.array(["2024-01-31", "2024-02-01"], "datetime64[D]"), [1], {"0": '"2024-0\u2026'}),
        (np.array([(1, 2.5)], "i4, f4"), [0], {"0": '"(1, 2.\u2026'}),
        (np.array([1.5], np.longdouble), [0], {"0": '"1.5"'}),
        (np.array([True, False]), [1], {"0": "false"}),
        (np.array([1 - 2j]), [0], {"0": "1-2j"}),
        (np.arange(6)[::-2], [0], {"0": "5"}),
        (np.array([float("nan"), 1e300]), [0, 1], {"0": "nan", "1": "1e+300"}),
    ],
)
def test_elements_of_any_type_are_shown(data, indices, shown):
    assert cells(strew.picture(strew.gather, data, indices).svg, "output") == shown


def test_strings_that_have_no_utf8_are_drawn_and_have_no_address():
    for data in (["a\ud800b"], np.array(["a\ud800b"]), np.array(["a\ud800b"], object)):
        picture = strew.picture(strew.gather, data, [0])
        assert picture.error is None and xml.etree.ElementTree.fromstring(picture.svg) is not None
        refuses(ValueError, "url: data holds a string that is not UTF-8", picture.url)


def test_index_rules_are_drawn():
    clipped = strew.picture(strew.gather, [5.0, 6.0], [9], out_of_bounds="clip")
    assert cells(clipped.svg, "output") == {"0": "6"} and "clipped" in clipped.svg
    filled = strew.picture(strew.gather, ["a", "b"], [9], out_of_bounds="fill", fill_value="none")
    assert cells(filled.svg, "output") == {"0": '"none"'}
    assert strew.picture(strew.gather, np.array([b"a"]), [9], out_of_bounds="fill")
    filled = strew.picture(strew.gather, [5.0], [9], out_of_bounds="fill", fill_value=-1)
    assert cells(filled.svg, "output") == {"0": "-1"}
    dropped = strew.picture(strew.scatter_nd, CACHE, [[9]], 5, out_of_bounds="drop")
    assert "dropped" in dropped.svg and set(cells(dropped.svg, "output").values()) == {"1"}


def test_a_refused_call_is_drawn_with_the_message_of_its_exception():
    for operands in ([[3], [7]], [[1, 2], [10, 20]]), ([[3], [1]], [[1, 2, 3]]), ([[3], [1]], [[1, 2], [3, 4]]):
        updates = np.array(operands[1], np.float64 if operands[0] == [[3], [1]] else np.float32)
        picture = strew.picture(strew.scatter_nd, CACHE, operands[0], updates)
        with pytest.raises((IndexError, ValueError, TypeError)) as raised:
            strew.scatter_nd(CACHE, operands[0], updates)
        assert picture.error and str(raised.value).startswith(picture.error)
        assert repr(picture) == f"<strew.Picture: ScatterND-18, rejected: {picture.error}>"
        xml.etree.ElementTree.fromstring(picture.svg)


def test_what_cannot_be_read_is_refused_as_by_the_call():
    with pytest.raises(ValueError, match="reduction 'sum' is not one of"):
        strew.picture(strew.scatter_nd, CACHE, [[0]], [[1, 2]], reduction="sum")
    with pytest.raises(TypeError, match="not one of the operators; pass a function such as strew.scatter_nd"):
        strew.picture(np.take, CACHE, [0])
    refuses(TypeError, "gather: indices are missing", strew.picture, strew.gather, CACHE)


def test_nothing_is_written_and_nested_calls_run():
    class Calls:
        def __array__(self, *args, **kwargs):
            return strew.gather([1, 2, 3], [2, 1])

    before = CACHE.copy()
    picture = strew.picture(strew.scatter_nd, CACHE, [[0]], [[7, 7]], out=CACHE)
    assert cells(picture.svg, "output")["0,0"] == "7"
    np.testing.assert_array_equal(CACHE, before)
    assert cells(strew.picture(strew.gather, [5, 6, 7, 8], Calls()).svg, "output") == {"0": "8", "1": "7"}


def test_a_picture_is_saved_as_it_is(tmp_path):
    picture = strew.picture(strew.gather, ["caf\u00e9"], [0])
    picture.save(tmp_path / "call.svg")
    assert (tmp_path / "call.svg").read_bytes() == picture.svg.encode()
    with pytest.raises(OSError):
        picture.save(tmp_path / "no" / "call.svg")


def read_fragment(url):
    """Return the operator and the values of a URL, whose format docs/playground.md describes."""
    fragment = url.partition("#")[2]
    if fragment.startswith("z="):
        raw = base64.urlsafe_b64decode(fragment[2:] + "=" * (-len(fragment[2:]) % 4))
        fragment = zlib.decompress(raw, -15).decode()
    operator, _, rest = fragment.partition("?")
    return operator, {name: urllib.parse.unquote(value) for name, value in (pair.split("=", 1) for pair in rest.split("&"))}


def test_the_address_reads_like_the_call():
    picture = strew.picture(strew.scatter_nd, CACHE, [[3], [0]], [[1, 2], [0.5, float("nan")]], reduction="add")
    assert picture.url() == (
        "#ScatterND-18?data=[[1,1],[1,1],[1,1],[1,1]]:float32&indices=[[3],[0]]:int64"
        "&updates=[[1,2],[0.5,nan]]:float32&reduction=add"
    )
    page = "https://example.org/playground/"
    assert picture.url(page) == page + picture.url()
    refused = strew.picture(strew.gather, np.zeros((0, 3)), [-1], 0, out_of_bounds="wrap")
    assert refused.url() == "#Gather-13?data=[]:float64[0,3]&indices=[-1]:int64&out_of_bounds=wrap"
    cache = strew.picture(strew.tensor_scatter, np.zeros((1, 2, 1)), np.ones((1, 1, 1)), [1], mode="circular")
    assert cache.url() == (
        "#TensorScatter-24?past_cache=[[[0],[0]]]:float64&update=[[[1]]]:float64&write_indices=[1]:int64&mode=circular"
    )


def test_the_address_holds_what_onnx_has_no_word_for():
    half = np.ones(2, np.float16)
    picture = strew.picture(strew.scatter_nd, half, [[0]], half[:1], "mean", include_self=False, acc_dtype="float32",
                            negative_indices="out_of_bounds", out_of_bounds="drop", alpha=0.5)
    assert picture.error is None
    assert read_fragment(picture.url())[1].items() >= {
        "reduction": "mean", "include_self": "false", "acc_dtype": "float32", "alpha": "0.5",
        "negative_indices": "out_of_bounds", "out_of_bounds": "drop"}.items()
    filled = strew.picture(strew.gather, np.ones(2, np.complex64), [5], out_of_bounds="fill", fill_value=1 - 2j)
    assert read_fragment(filled.url())[1]["fill_value"] == "1-2j"
    words = strew.picture(strew.gather, ["a"], [5], out_of_bounds="fill", fill_value="b c")
    assert read_fragment(words.url())[1]["fill_value"] == "b c"


def test_strings_and_long_calls_come_back_from_their_address():
    words = ["a&b=c", 'say "hi"', "100 %#", "caf\u00e9 \u4e16", "<tag>", "\n"]
    url = strew.picture(strew.gather, words, [0]).url()
    assert re.fullmatch(r"#[!$%&'()*+,\-./0-9:;=?@A-Z\[\\\]^_a-z{|}~]+", url)
    operator, values = read_fragment(url)
    assert operator == "Gather-13" and json.loads(values["data"].removesuffix(":string")) == words
    data = np.random.default_rng(7).integers(0, 1000, (30, 30))
    url = strew.picture(strew.gather, data, [0]).url()
    assert url.startswith("#z=")
    assert json.loads(read_fragment(url)[1]["data"].removesuffix(":int64")) == data.tolist()
    refuses(ValueError, "more than 1024 elements", strew.picture(strew.gather, np.zeros(5000), [0]).url)
    refuses(ValueError, "data holds a string that is not UTF-8", strew.picture(strew.gather, [b"\xff"], [0]).url)


@pytest.mark.parametrize("name", ["call.png", "call", "call.svg.txt", ".svg"])
def test_a_picture_is_saved_under_the_name_of_an_svg(tmp_path, name):
    picture = strew.picture(strew.gather, [5.0], [0])
    with pytest.raises(ValueError, match=re.escape(f"save: the name of a picture must end in .svg, not {name!r}; for a PNG")):
        picture.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    picture.save(tmp_path / "call.SVG")
    assert (tmp_path / "call.SVG").read_text("utf-8") == picture.svg


def test_a_call_without_a_reduction_accumulates_nothing():
    half = np.ones(2, np.float16)
    error = strew.picture(strew.scatter_nd, half, [[0]], half[:1], acc_dtype="float32").error
    assert error == "scatter_nd: acc_dtype is for reductions; reduction is 'none'"


def test_any_call_gives_xml():
    random = np.random.default_rng(20240708)
    for i in range(150):
        data = random.standard_normal(random.integers(0, 5, random.integers(1, 5)))
        indices = random.integers(-3, 4, random.integers(0, 4, random.integers(0, 4)))
        function = [strew.gather, strew.gather_elements, strew.gather_nd][i % 3]
        picture = strew.picture(function, data, indices)
        xml.etree.ElementTree.fromstring(picture.svg)
        assert picture.svg == strew.picture(function, data.copy(), indices.copy("F")).svg
