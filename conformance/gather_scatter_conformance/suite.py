"""Makes all cases, and writes them into a folder."""

import json
import pathlib
import shutil

from . import generated, numbered, oracle, pages
from .questions import Questions


def all_cases(answer=oracle.answer, only=""):
    """Return all cases by path in a fixed order; with `only`, only those whose path contains it."""
    ask = Questions(answer, only)
    for part in (pages, numbered, generated):
        part.ask_all(ask)
    return dict(sorted(ask.cases.items()))


def write(folder, only=""):
    """Empties a folder, writes the cases and cases.json into it, and returns the number of cases."""
    folder = pathlib.Path(folder)
    if folder.exists() and not (folder / "cases.json").exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty, and has no cases.json")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cases = all_cases(only=only)
    for case in cases.values():
        case.write(folder)
    facts = {path: case.facts() for path, case in cases.items()}
    (folder / "cases.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return len(cases)
