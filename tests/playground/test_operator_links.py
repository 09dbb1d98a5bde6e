"""Every link of the operator reference opens its call, in its version, and the library gives the output that the page shows."""

import html
import re
import sys

import pytest
from conftest import ROOT
from test_page import read_call

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
