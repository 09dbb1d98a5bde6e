#!/usr/bin/env python3
"""Breaks lines of src/ one at a time and runs the fast tests: a change that no test sees is a survivor.

Works on copies of the committed tree in build-mutants/, a table and a JSON file in the same place are the result.
An interrupted run resumes. It does not break comments, texts, preprocessor lines,
declarations, the defaults of members, code that affects only the speed and never the bits (core/thresholds.h,
core/machine.*), and what the release build leaves out (plain/, cuda/nvidia/).
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
ROOMS = tuple(sorted(folder.name for folder in (ROOT / "src").iterdir() if folder.is_dir()))
SPEED_ONLY = {"src/core/thresholds.h", "src/core/linux/machine.cc", "src/core/machine.h"}
NOT_BUILT = re.compile(r"src/(\w+/plain/|cuda/nvidia/|engine/plain_road\.cc)")  # by the release build of this machine
# The library that a room is built into, and the folder of its objects.
LIBRARY = ("src/libstrew.a", "src/CMakeFiles/strew.dir")
LIBRARIES = {
    **dict.fromkeys(("io", "onnx"), ("src/libstrew_model.a", "src/CMakeFiles/strew_model.dir")),
    "picture": ("src/libstrew_picture.a", "src/CMakeFiles/strew_picture.dir"),
    "cuda": ("tests/cuda/libstrew_cuda_host.a", "tests/cuda/CMakeFiles/strew_cuda_host.dir"),
}
LABELS = "packaging|source|large"
RANDOM_CASES = "36000"
CPU_LIMIT_S = 60
WALL_LIMIT_S = 400
MEMORY_LIMIT = 16 << 30

# Kind of change, what it looks for in a line without texts and comments, what comes instead.
CHANGES = (
    ("comparison", r" < ", " <= "),
    ("comparison", r" <= ", " < "),
    ("comparison", r" > ", " >= "),
    ("comparison", r" >= ", " > "),
    ("comparison", r" == ", " != "),
    ("comparison", r" != ", " == "),
    ("off by one", r" \+ 1\b(?![.'])", ""),
    ("off by one", r" - 1\b(?![.'])", ""),
    ("operator", r" \+ (?!1\b)", " - "),
    ("operator", r" - (?!1\b)", " + "),
    ("operator", r" \* (?=[\w(])", " + "),
    ("operator", r" / ", " * "),
    ("operator", r" % ", " / "),
    ("operator", r" \+= ", " -= "),
    ("operator", r" && ", " || "),
    ("operator", r" \|\| ", " && "),
    ("operator", r" & (?=[\w(])", " | "),
    ("operator", r" << ", " >> "),
    ("condition", r"\bif \((?!const|auto)(.*)\) (?=return|continue|break|\{|[a-z])", None),
    ("constant", r"(?<=[ (,{])(\d+)(?=[,;) }])", None),
    ("constant", r"\btrue\b", "false"),
    ("constant", r"\bfalse\b", "true"),
    ("dropped", r"^ +[\w:.\->\[\]]+(\(.*\)| [+\-*|&]?= .+);$", None),
)


def code_lines(text):
    """The lines of a file with texts, characters and comments blanked, and with None for those left alone."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: '"' + "_" * (len(m[0]) - 2) + '"', text)
    text = re.sub(r"'(?:[^'\\\n]|\\.)'", lambda m: "'" + "_" * (len(m[0]) - 2) + "'", text)
    text = re.sub(r"//.*", lambda m: " " * len(m[0]), text)
    lines = [line.rstrip() for line in text.split("\n")]
    skipped = re.compile(r"^\s*(#|static_assert|template|using|namespace|}|constexpr std::array|$"
                         r"|[\w:<>]+ \w+( = [\w:]+|\{[\w:]*\});$)")
    return [None if skipped.match(line) or not line.startswith(" ") else line for line in lines]


def replacement(kind, found, instead):
    """Return the replacement for the match of one pattern."""
    if instead is not None:
        return instead
    if kind == "condition":
        return f"if (!({found[1]})) "
    if kind == "constant":
        return str(int(found[1]) + 1)
    return re.match(" *", found[0])[0] + ";"


def changes_of(line):
    """Every change of one line: kind, column, length, what comes instead."""
    changes = []
    for kind, pattern, instead in CHANGES:
        for found in re.finditer(pattern, line):
            if kind == "dropped" and line.lstrip().startswith(("return", "break", "continue", "delete")):
                continue
            if kind == "condition" and found[1].count("(") != found[1].count(")"):
                continue
            changes.append((kind, found.start(), len(found[0]), replacement(kind, found, instead)))
    return changes


def all_mutants(rng):
    """One change for every line of src/ that can be changed, by room."""
    rooms = {room: [] for room in ROOMS}
    for path in sorted((ROOT / "src").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix not in (".cc", ".h") or name in SPEED_ONLY or NOT_BUILT.match(name):
            continue
        original = path.read_text().split("\n")
        for number, line in enumerate(code_lines(path.read_text())):
            changes = changes_of(line) if line else []
            if not changes:
                continue
            kind = rng.choice(sorted({change[0] for change in changes}))
            _, column, length, instead = rng.choice([change for change in changes if change[0] == kind])
            old = original[number]
            rooms[path.parts[len(ROOT.parts) + 1]].append({
                "id": f"{name}:{number + 1}", "room": path.parts[len(ROOT.parts) + 1], "file": name,
                "line": number + 1, "kind": kind, "old": old,
                "new": old[:column] + instead + old[column + length:]})
    return rooms


def chosen_mutants(count, seed, wanted=ROOMS):
    """COUNT changes, dealt to the rooms by their size but at least eight to each, in turns."""
    rng = random.Random(seed)
    rooms = {room: mutants for room, mutants in all_mutants(rng).items() if room in wanted}
    total = sum(len(mutants) for mutants in rooms.values())
    hands = []
    for mutants in rooms.values():
        rng.shuffle(mutants)
        share = max(8, round(count * len(mutants) / total))
        hands += [((i + 0.5) / share, mutant) for i, mutant in enumerate(mutants[:share])]
    return [mutant for _, mutant in sorted(hands, key=lambda hand: (hand[0], hand[1]["id"]))][:count]


def moved(mutant):
    """Return the nearest position of an earlier run's change, or None if its line is gone."""
    lines = (ROOT / mutant["file"]).read_text().split("\n")
    places = [number + 1 for number, line in enumerate(lines) if line == mutant["old"]]
    if not places:
        print(f"gone: {mutant['id']}")
        return None
    return dict(mutant, line=min(places, key=lambda number: abs(number - mutant["line"])))


def limit_resources():
    """Limit a test program's CPU time, which stands still while the run is paused, and its memory."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_LIMIT, MEMORY_LIMIT))  # tests map sparse files of a terabyte
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_limited(command, cwd, environment, log, limited=True):
    """Runs a command; gives back its exit status, negative for a signal, or "timeout"."""
    with open(log, "wb") as out:
        child = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, preexec_fn=limit_resources if limited else None)
        for _ in range(WALL_LIMIT_S * 10):
            if child.poll() is not None:
                return child.returncode
            time.sleep(0.1)
        child.kill()
        child.wait()
        return "timeout"


class Workplace:
    """A copy of the committed tree with a build folder of its own."""

    def __init__(self, number):
        self.source = WORK / f"copy{number}"
        self.build = self.source / "build"
        self.log = WORK / f"copy{number}.log"
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(self.source), CCACHE_NOHASHDIR="1", GTEST_BRIEF="1",
                                STREW_RANDOM_CASES=RANDOM_CASES, GTEST_FAIL_FAST="1")

    def prepare(self):
        """Copies and configures the tree, builds the fast tests and learns how long each takes."""
        self.source.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x"], cwd=self.source, input=archive, check=True)
        subprocess.run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DSTREW_INSTALL=OFF", "--log-level=WARNING"],
                       cwd=self.source, env=self.environment, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", "build", "all"], cwd=self.source, env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)
        listed = subprocess.run(["ctest", "--show-only=json-v1", "-LE", LABELS], cwd=self.build, check=True,
                                capture_output=True)
        self.tests = [self.with_cost(test) for test in json.loads(listed.stdout)["tests"]]
        self.tests.sort(key=lambda test: test["cost"])

    def with_cost(self, test):
        """One test of ctest with its seconds; it must pass on the unbroken tree."""
        values = [p["value"] for p in test.get("properties", []) if p["name"] == "ENVIRONMENT"]
        extra = dict(entry.split("=", 1) for entry in (values[0] if values else []))
        named = Path(test["command"][0])
        target = named.relative_to(self.build).as_posix() if named.is_relative_to(self.build) else None
        wanted = [p["value"][0] for p in test.get("properties", []) if p["name"] == "PASS_REGULAR_EXPRESSION"]
        made = {"name": test["name"], "command": test["command"], "extra": extra, "target": target,
                "wanted": wanted[0] if wanted else None}
        begin = time.monotonic()
        if self.outcome(made) != "passed":
            sys.exit(f"{test['name']} fails on the unbroken tree: see {self.log}")
        return dict(made, cost=time.monotonic() - begin)

    def outcome(self, test):
        """Runs one test: "passed", or how it failed."""
        status = run_limited(test["command"], self.build, dict(self.environment, **test["extra"]), self.log)
        if test["wanted"]:  # ctest looks at the output alone then
            seen = re.search(test["wanted"], self.log.read_text(errors="replace"))
            return "passed" if seen and isinstance(status, int) and status >= 0 else "other output"
        if status == 0:
            return "passed"
        if status == "timeout" or status in (-signal.SIGXCPU, -signal.SIGKILL):
            return "does not end"
        return f"signal {signal.Signals(-status).name}" if status < 0 else "failed"

    def ninja(self, *targets):
        """Builds targets; True if that went well."""
        return run_limited(["ninja", "-j1", "-C", "build", *targets], self.source, self.environment, self.log,
                           limited=False) == 0

    def objects(self, folder):
        """A hash of all objects of a library."""
        objects = sorted((self.build / folder).rglob("*.o"))
        return hashlib.sha256(b"".join(hashlib.sha256(o.read_bytes()).digest() for o in objects)).hexdigest()

    def verdict(self, mutant):
        """Builds the broken library and runs the tests of its room, then the others, cheap ones first."""
        library, folder = LIBRARIES.get(mutant["room"], LIBRARY)
        before = self.objects(folder)
        if not self.ninja(library):
            return {"result": "does not compile"}
        if self.objects(folder) == before:
            return {"result": "same code"}
        rooms = {"kernel": ("kernel_test", "cases_test"), "index": ("index_test", "cases_test"),
                 "engine": ("engine_test", "cases_test")}.get(mutant["room"], (mutant["room"],))
        for test in sorted(self.tests, key=lambda t: not t["name"].startswith(rooms)):
            built = test["target"] is None or self.ninja(test["target"])
            if "program" in test["name"]:
                built = built and self.ninja("strew_program")
            how = self.outcome(test) if built else "does not link"
            if how != "passed":
                return {"result": "killed", "by": test["name"], "how": how}
        return {"result": "survived"}

    def try_mutant(self, mutant):
        """Breaks the line, takes the verdict, mends the line."""
        path = self.source / mutant["file"]
        text = path.read_text()
        lines = text.split("\n")
        assert lines[mutant["line"] - 1] == mutant["old"], mutant["id"]
        lines[mutant["line"] - 1] = mutant["new"]
        begin = time.monotonic()
        try:
            path.write_text("\n".join(lines))
            verdict = self.verdict(mutant)
        finally:
            path.write_text(text)
            self.ninja(LIBRARIES.get(mutant["room"], LIBRARY)[0])
        return dict(mutant, **verdict, seconds=round(time.monotonic() - begin, 1))


def work(number, lock, mutants, results):
    """One process: takes mutants from the queue until there is none."""
    workplace = Workplace(number)
    with lock:  # the second copy finds what the first compiled in the cache
        workplace.prepare()
    while True:
        mutant = mutants.get()
        if mutant is None:
            return
        results.put(workplace.try_mutant(mutant))


def table(done):
    """The results by room, as a table in Markdown, and the survivors."""
    rows = ["| room | broken | killed | survived | same code | did not compile |", "| --- | --- | --- | --- | --- | --- |"]
    for room in (*ROOMS, "all"):
        of_room = [m for m in done if room in (m["room"], "all")]
        counts = [sum(m["result"] == r for m in of_room) for r in ("killed", "survived", "same code", "does not compile")]
        rows.append(f"| {room} | {counts[0] + counts[1]} | " + " | ".join(str(c) for c in counts) + " |")
    for mutant in done:
        if mutant["result"] == "survived":
            rows += ["", f"survived ({mutant['kind']}): {mutant['id']}", f"- {mutant['old']}", f"+ {mutant['new']}"]
    return "\n".join(rows)


def run(mutants, done, jobs, report):
    """Tries all mutants with some processes and writes the report after each."""
    queue, results, lock = multiprocessing.Queue(), multiprocessing.Queue(), multiprocessing.Lock()
    for mutant in mutants:
        queue.put(mutant)
    processes = [multiprocessing.Process(target=work, args=(i, lock, queue, results)) for i in range(jobs)]
    for process in processes:
        queue.put(None)
        process.start()
    for _ in mutants:
        while True:
            try:
                result = results.get(timeout=5)
                break
            except multiprocessing.queues.Empty:
                if not any(process.is_alive() for process in processes):
                    sys.exit("the processes ended early")
        done.append(result)
        report.write_text(json.dumps(done, indent=1))
        print(f"{len(done)}: {result['result']:9} {result['id']} ({result['kind']}) {result.get('by', '')} "
              f"{result.get('how', '')} {result['seconds']} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=120, help="how many lines to break (default 120)")
    parser.add_argument("--seed", type=int, default=7, help="which lines (default 7)")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS, metavar="ROOM", help="of which rooms (all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many copies work at once (default 2)")
    parser.add_argument("--again", action="store_true", help="try the survivors of the last run again")
    parser.add_argument("--list", action="store_true", help="print the changes and try none")
    options = parser.parse_args()
    report = WORK / "mutants.json"
    mutants = chosen_mutants(options.count, options.seed, options.rooms)
    if options.list:
        for mutant in mutants:
            print(f"{mutant['id']} ({mutant['kind']})\n- {mutant['old']}\n+ {mutant['new']}")
        return
    WORK.mkdir(exist_ok=True)
    done = json.loads(report.read_text()) if report.exists() else []
    if options.again:
        mutants = [moved(mutant) for mutant in done if mutant["result"] == "survived"]
        done = [mutant for mutant in done if mutant["result"] != "survived"]
    tried = {mutant["id"] for mutant in done}
    run([mutant for mutant in mutants if mutant and mutant["id"] not in tried], done, options.jobs, report)
    print(table(done))


if __name__ == "__main__":
    main()
