"""Fails if a published figure has no commit or machine, or if tables of a page differ from their data in docs/plots.

A figure is a row of a file in docs/plots, a plot, or a table whose cells are mostly numbers. The section that shows a
figure must name the commit and, unless figures are counts, its page must name the machine. If git's history is
available, it must have the commit.

Usage: documented_figures.py SOURCE_FOLDER
"""

import json
import pathlib
import re
import statistics
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.path += [str(root / "bench"), str(root / "tests/support")]
import figures  # noqa: E402
from document_blocks import documents  # noqa: E402

PLOTS = root / "docs/plots"
MOST_NUMBERS = 20
# Constants that do not affect the choice of a strategy: sizes of memory and sentinels.
NO_CHOICE = {"kLine", "kMaxShift", "kMaxUnit", "kOffsetBytes", "kNumberBytes", "kAllPositions", "kRowAxis", "kMaxInScratch", "kMaxAxes",
             "kFillBlock", "kMaxStep"}
# The data file of each plot; None if the plot shows the counts of a table in its section.
DATA = {
    "conformance": None,
    "peers": "peers.json",
    "sweep": "sweep.jsonl",
    "torch": "torch.json",
    "compiled": "compiled.json",
    "onnxruntime": "onnxruntime.json",
    "graph": "graph.json",
    "dask": "dask_scale.jsonl",
}
PARTS = {"torch": "steps", "graph_times": "times", "graph_memory": "memory"}  # the part of the data that a plot shows
COUNTS = {"docs/conformance.md", "docs/reliability.md"}
NO_FIGURES = {("docs/cuda-design.md", "Memory"), ("docs/performance.md", "The workloads"),
              ("docs/design.md", "The files of a call"),
              ("docs/graph.md", "Coming from torch_scatter")}  # tables of counts, or of errors that a test measures
COMMIT = re.compile(r"\b[0-9a-f]{7,12}\b")
MACHINE = re.compile(r"EPYC|Xeon")


def known(commit):
    """Return whether the history has a commit; True for any commit if the history is absent or incomplete."""
    name = commit.rstrip("+")  # "+" marks a work tree with changes
    git = ["git", "-C", str(root)]
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    if shallow.stdout.strip() != "false":
        return True
    return subprocess.run([*git, "cat-file", "-e", f"{name}^{{commit}}"], capture_output=True).returncode == 0


def without_commit(node, path=""):
    """Yield the path in the data of each number without a commit."""
    if isinstance(node, dict) and COMMIT.match(str(node.get("commit"))):
        return
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in ("machine", "limits"):  # facts about the machine
                yield from without_commit(value, f"{path}/{key}")
    elif not isinstance(node, str):
        yield path


def commits(node):
    """Return all commits that data name."""
    if isinstance(node, dict):
        return {node["commit"]} if "commit" in node else set().union(*map(commits, node.values()))
    return set()


def rows_of(path):
    text = path.read_text("utf-8")
    return [json.loads(text)] if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def drawn(plot):
    """Return the commits of the data that a plot shows."""
    data = DATA[plot.partition("_")[0]]
    rows = rows_of(PLOTS / data) if data else []
    if data == "peers.json" and plot.startswith("peers"):  # the last character is the number of threads
        rows = [{key: row for key, row in rows[0]["rows"].items() if key[-1] == plot[-1]}]
    elif plot in PARTS:
        rows = [rows[0][PARTS[plot]]]
    return set().union(*map(commits, rows))


def check_data(strategies):
    """Yield the errors in the files of docs/plots."""
    for path in sorted([*PLOTS.glob("*.json"), *PLOTS.glob("*.jsonl")]):
        rows = rows_of(path)
        lacking = [place for row in rows for place in without_commit(row)]
        if lacking:
            yield f"{path.name}: {len(lacking)} figures without a commit; the first is {lacking[0]}"
        if unplaced := [row for row in rows if not MACHINE.search(json.dumps(row.get("machine", "")))]:
            yield f"{path.name}: {len(unplaced)} figures without a machine"
        for name in sorted({row.get("strategy", strategies[0]) for row in rows} - set(strategies)):
            yield f"{path.name}: measures the strategy {name}, which no longer exists"
        for commit in set().union(*map(commits, rows)):
            if not known(commit):
                yield f"{path.name}: the history has no commit {commit}"


def sections(text):
    """Yield the heading and the lines of each section, without blocks of code."""
    heading, lines, code = "", [], False
    for line in text.splitlines():
        code ^= line.lstrip().startswith("```")
        if line.startswith("#") and not code:
            yield heading, lines
            heading, lines = line.lstrip("#").strip(), []
        elif not code:
            lines.append(line)
    yield heading, lines


def has_figures(lines):
    """Return whether most table cells outside the first column are numbers."""
    rows = [line for line in lines if line.startswith("|") and set(line) - set("|- ")]
    cells = [cell.strip(" *") for row in rows[1:] for cell in re.split(r"(?<!\\)\|", row)[2:-1]]
    cells = [cell for cell in cells if cell not in ("", "-")]
    return len([cell for cell in cells if cell[0].isdigit()]) * 2 > len(cells)


def check_page(path):
    """Yield the errors in the figures of one document."""
    page = path.relative_to(root).as_posix()
    for heading, lines in sections(text := path.read_text("utf-8")):
        plots = re.findall(r"\]\((?:docs/)?plots/(\w+)\.svg\)", "\n".join(lines))
        if (page, heading) in NO_FIGURES or not (plots or has_figures(lines)):
            continue
        named = set(COMMIT.findall(" ".join(line for line in lines if not line.startswith("|") or page == "docs/tuning.md")))
        named = {name for name in named if not name.isdigit() or known(name)}  # drop numbers that only look like commits
        if not named:
            yield f"{page}: {heading}: figures without a commit"
        yield from (f"{page}: {heading}: the history has no commit {commit}" for commit in named if not known(commit))
        if page not in COUNTS and not MACHINE.search(text):
            yield f"{page}: {heading}: figures without a machine"
        for plot in plots:
            if plot.partition("_")[0] not in DATA:
                yield f"{page}: {heading}: DATA has no file for the plot {plot}"
                continue
            for commit in drawn(plot):
                if not any(commit.startswith(name) for name in named):
                    yield f"{page}: {heading}: does not name commit {commit} of the plot {plot}"


def check_tables():
    """Yield the rows and sentences that follow from the data but are missing on their page."""
    read = {name: figures.read(PLOTS / f"{name}.json") for name in ("peers", "torch", "compiled", "onnxruntime", "graph", "device")}
    report = read["peers"]
    best = {mode: figures.ratios(report, mode, 2)[0] for mode in figures.MODES}
    mean = {mode: f"{statistics.geometric_mean(best[mode].values()):.1f}" for mode in figures.MODES}
    said = [
        f"For each of {len(best['fresh'])} workloads, the fastest of",
        f"on 2 threads of an {report['machine']['cpu']}",
        f"the fastest library took {mean['fresh']} times as long as Strew with new outputs, {mean['kept']} times with preallocated outputs, "
        f"and {mean['in_place']} times in place ({len(best['in_place'])} of the workloads)",
    ]
    readme = " ".join((root / "README.md").read_text("utf-8").split())
    yield from (f"README.md: {sentence}" for sentence in said if sentence not in readme)
    wanted = {
        "README.md": figures.readme(report, read["torch"] | read["compiled"]),
        "docs/performance.md": [*figures.peer_summary(report), *figures.peer_table(report, "fresh", 2), *figures.many_threads(read["device"])],
        "docs/cuda.md": [*figures.device_times(read["device"]), *figures.device_small(read["device"])],
        "docs/torch-install.md": [*figures.torch_tables(read["torch"]), *figures.compiled(read["compiled"])],
        "docs/onnxruntime-performance.md": (figures.model_row(*case) for case in read["onnxruntime"]["cases"].items()),
        "docs/graph-performance.md": figures.graph_tables(read["graph"]["times"]),
    }
    for page, rows in wanted.items():
        lines = (root / page).read_text("utf-8").splitlines()
        yield from (f"{page}: {row}" for row in rows if row not in lines)


missing = list(check_tables())
pages = documents(root)
shown = "".join(path.read_text("utf-8") for path in pages)
missing += [f"docs/plots/{plot.name} is shown nowhere" for plot in PLOTS.glob("*.svg") if f"plots/{plot.name})" not in shown]
names = (root / "include/strew/explain.h").read_text("utf-8")
strategies = re.findall(r'"(\w+)"', re.search(r"kStrategyNames\b.*?;", names, re.S)[0])
missing += check_data(strategies)
# At most MOST_NUMBERS constants may choose strategies: those before the functions of tuning.h, and one for small calls.
thresholds = (root / "src/core/tuning.h").read_text("utf-8").partition("inline std::int64_t ")[0]
numbers = ["kPrefetchMinL2s", *re.findall(r"^inline constexpr \S+ (k\w+)", thresholds, re.M)]
if len(numbers) > MOST_NUMBERS:
    missing.append(f"src/core/tuning.h: {len(numbers)} constants determine strategies; at most {MOST_NUMBERS} may")
tuning = (root / "docs/tuning.md").read_text("utf-8")
if f"{len(numbers)} constants determine" not in tuning:
    missing.append(f"docs/tuning.md: {len(numbers)} constants determine")
for path in (root / "src/engine").rglob("*.[ch]*"):
    for name in re.findall(r"^(?:inline )?(?:static )?constexpr (?:double|float|int|std::int64_t) (k\w+) =", path.read_text("utf-8"), re.M):
        if name not in NO_CHOICE:
            missing.append(f"{path.relative_to(root)}: {name} belongs into core/tuning.h")
missing += [complaint for path in pages for complaint in check_page(path)]
print("\n".join(missing) or "every figure equals its data in docs/plots, and has a commit")
sys.exit(bool(missing))
