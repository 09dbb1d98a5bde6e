"""Options, rows and files that the programs share."""

import argparse
import fnmatch
import json
import pathlib


def parser(text, rounds=None):
    """Return a parser of the options that all programs have, and --rounds if there is a default number of rounds."""
    made = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN", help="name patterns, such as gather_*")
    made.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    made.add_argument("--json", type=pathlib.Path, metavar="FILE")
    if rounds:
        made.add_argument("--rounds", type=int, default=rounds)
    return made


def matching(names, patterns):
    """Return the names that match a pattern, in the order of the patterns."""
    return list(dict.fromkeys(name for pattern in patterns for name in fnmatch.filter(names, pattern)))


def load(path, **empty):
    """Return the report of a file, or an empty report if there is no file."""
    return json.loads(path.read_text()) if path and path.exists() else empty


def save(path, report):
    """Replace a file atomically, so that an interrupted program keeps its rows. Do nothing without a path."""
    if path:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(report, indent=1) + "\n")
        fresh.replace(path)
