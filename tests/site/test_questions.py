"""Each recorded question of a reader has a page and a heading, under which the answer's code and quotes occur."""

import re

import pytest
from conftest import ROOT

PAGE = ROOT / "docs/questions.md"
ROW = re.compile(r"^\| (?P<question>.+?) \| (?P<answer>.+?) \| \[[^]]+\]\((?P<page>[^)#]+)#(?P<anchor>[^)]+)\) \|$", re.M)
QUESTIONS = [pytest.param(*row.groups()[1:], id=row["question"]) for row in ROW.finditer(PAGE.read_text("utf-8"))]


def sections(text):
    """Return the text between each heading and the next, by the heading's anchor. Fenced lines are not headings."""
    found, anchor, fenced = {}, "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            anchor = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, "") + line + "\n"
    return found


def test_at_least_twenty_questions_are_answered():
    asked = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| question"))]
    assert len(asked) == len(QUESTIONS) >= 20


@pytest.mark.parametrize(("answer", "page", "anchor"), QUESTIONS)
def test_the_named_place_has_the_answer(answer, page, anchor):
    known = sections((PAGE.parent / page).read_text("utf-8"))
    assert anchor in known
    said = " ".join(known[anchor].replace("`", "").replace("**", "").split())
    keys = [code or quote.replace("`", "") for quote, code in re.findall(r'"(.+?)"|`(.+?)`', answer)]
    assert keys
    assert [key for key in keys if key not in said] == []


def test_the_index_lists_every_document():
    listed = set(re.findall(r"^- \[.*?\]\((.*?)\)", (ROOT / "docs/README.md").read_text("utf-8"), re.M))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed
