"""Reports of results: tables by rule in Markdown, and a scoreboard as SVG."""

import collections
import html

from .rules import POLICY, REFERENCE, RULES, STANDARD
from .runner import VERDICTS

LETTERS = dict(zip(VERDICTS, "-nrwabct", strict=True))
_COLOURS = ("#2da44e", "#c9d1d9", "#e3b341", "#cf222e", "#fb8f44", "#bf8700", "#57106e", "#8250df")
COLOURS = dict(zip(VERDICTS, _COLOURS, strict=True))
# If the runs of a case differ, the worst verdict counts.
SEVERITY = {verdict: number for number, verdict in enumerate(VERDICTS)}
HEADINGS = {
    STANDARD: "What the standard says",
    REFERENCE: "Where the text is silent and the reference evaluator decides",
    POLICY: "Where the text is silent and the suite had to choose",
}


def title(outcome):
    """Return the name of a runtime without options, and its versions."""
    name = outcome["runtime"].partition("?")[0]
    return name, " ".join(f"{package} {version}" for package, version in outcome["versions"].items())


def merge(outcomes):
    """Return a column for each runtime: the worst verdict of its runs for each case."""
    columns = {}
    for outcome in outcomes:
        worst = columns.setdefault(title(outcome), {})
        for path, answer in outcome["results"].items():
            if path not in worst or SEVERITY[answer["verdict"]] > SEVERITY[worst[path]["verdict"]]:
                worst[path] = answer | {"threads": outcome["threads"]}
    return columns


def by_rule(facts, results):
    """Return the counts of verdicts: {(said_by, rule): Counter}."""
    counts = collections.defaultdict(collections.Counter)
    for path, answer in results.items():
        counts[facts[path]["said_by"], facts[path]["rule"]][answer["verdict"]] += 1
    return counts


def cell(counter):
    """Return the number of cases and, unless all are right, the number right and the counts of other verdicts."""
    total = sum(counter.values())
    rest = "".join(f" {LETTERS[verdict]}{counter[verdict]}" for verdict in VERDICTS[1:] if counter[verdict])
    return f"{counter['right']}/{total}{rest}" if rest else f"{total}"


def table(facts, columns):
    """Return Markdown: a table of verdicts by runtime, then for each authority a table of the rules with faults."""
    lines = ["| runtime | version | " + " | ".join(VERDICTS) + " |", "| --- | --- |" + " --- |" * len(VERDICTS)]
    for (name, versions), results in columns.items():
        counts = collections.Counter(answer["verdict"] for answer in results.values())
        lines.append(f"| {name} | {versions} | " + " | ".join(str(counts[verdict]) for verdict in VERDICTS) + " |")
    letters = [f"{LETTERS[verdict]} {verdict}" for verdict in VERDICTS[1:]]
    lines += ["", "In the tables below, a single number means that all cases are right;"]
    lines += [", ".join(letters[:4]) + ",", ", ".join(letters[4:]) + "."]
    lines += ["Rules without a fault in any runtime (all cases right or not supported) are omitted."]
    names = [name for name, _ in columns]
    every = {column: by_rule(facts, results) for column, results in columns.items()}
    for said_by, heading in HEADINGS.items():
        lines += ["", f"{heading}:", "", "| rule | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
        for rule in RULES:
            counters = [counts[said_by, rule] for counts in every.values()]
            if any(counter.keys() & set(VERDICTS[2:]) for counter in counters):
                cells = [cell(counter) if counter else "" for counter in counters]
                lines.append(f"| {rule} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def scoreboard(facts, columns):
    """Return an SVG: a row for each rule, and a bar for each runtime that shows the shares of the verdicts."""
    left, width, height, top = 190, 150, 17, 64
    rows = [
        (said_by, rule)
        for said_by in HEADINGS
        for rule in RULES
        if any(facts[path]["rule"] == rule and facts[path]["said_by"] == said_by for path in facts)
    ]
    every = [by_rule(facts, results) for results in columns.values()]
    parts, y, last = [], top, None
    for said_by, rule in rows:
        if said_by != last:
            y += 26
            parts.append(_text(8, y - 6, HEADINGS[said_by], weight="bold"))
            last = said_by
        parts.append(_text(8, y + 12, rule))
        for number, counts in enumerate(every):
            parts.append(_bar(left + number * (width + 12), y + 2, width, counts[said_by, rule]))
        y += height
    for number, (name, versions) in enumerate(columns):
        x = left + number * (width + 12)
        short = name if len(name) <= 20 else f"{name.partition('+')[0]} + plug-in"
        parts += [_text(x, 20, short, weight="bold"), _text(x, 36, versions[-30:], size=9)]
    x = 8
    for verdict in VERDICTS:
        parts.append(f'<rect x="{x}" y="50" width="11" height="11" fill="{COLOURS[verdict]}"/>')
        parts.append(_text(x + 15, 60, verdict))
        x += 30 + 6.2 * len(verdict)
    total = max(left + len(columns) * (width + 12) + 8, int(x))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{y + 14}" viewBox="0 0 {total} {y + 14}">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x, y, words, size=11, weight="normal"):
    return (
        f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="{size}" font-weight="{weight}" fill="#24292f">'
        f"{html.escape(words)}</text>"
    )


def _bar(x, y, width, counter):
    total, parts, at = sum(counter.values()), [], float(x)
    if not total:
        return ""
    for verdict in VERDICTS:
        part = width * counter[verdict] / total
        if part:
            parts.append(f'<rect x="{at:.1f}" y="{y}" width="{part:.1f}" height="13" fill="{COLOURS[verdict]}"/>')
        at += part
    return "".join(parts) + _text(x + 4, y + 10, f"{counter['right']}/{total}", size=9)
