"""The command: writes the suite, runs it on runtimes and reports. `--help` lists the options."""

import argparse
import json
import pathlib
import re
import sys
import tempfile

from . import adapters, report, runner, scripts, suite


def arguments(given):
    parser = argparse.ArgumentParser(
        prog="onnx-gather-scatter-conformance",
        description="Conformance of runtimes to ONNX's gather and scatter operators.",
    )
    parser.add_argument("--write", type=pathlib.Path, metavar="FOLDER", help="write the cases into this folder")
    parser.add_argument("--cases", type=pathlib.Path, metavar="FOLDER", help="use the cases that --write wrote here")
    parser.add_argument(
        "--runtime", action="append", default=[], metavar="NAME",
        help="onnxruntime, onnxruntime+PACKAGE for a plug-in, openvino, reference, tvm, tract, a module that is a "
        "back end for ONNX, or module:Class for an adapter of your own",
    )
    parser.add_argument(
        "--threads", type=int, nargs="+", default=[1, 2], help="run all cases with each thread count (default: 1 2)"
    )
    parser.add_argument(
        "--repeat", type=int, default=2, help="number of runs of each case; 10 finds more races (default: 2)"
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of one case (default: 10)")
    parser.add_argument("--only", metavar="TEXT", help="run only cases whose path contains TEXT")
    parser.add_argument(
        "--call", action="append", default=[], metavar="MODULE:FUNCTION",
        help="call this function, such as torch:set_num_threads, with the number of threads",
    )
    parser.add_argument(
        "--results", type=pathlib.Path, nargs="+", default=[], help="results of earlier runs to report as well"
    )
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    parser.add_argument("--table", type=pathlib.Path, help="write a table by rule, in Markdown, to this file")
    parser.add_argument("--svg", type=pathlib.Path, help="write a scoreboard to this file")
    parser.add_argument(
        "--scripts", type=pathlib.Path, metavar="FOLDER", help="write a script for each kind of finding, and run it"
    )
    options = parser.parse_args(given)
    if not (options.write or options.runtime or options.results):
        parser.error("nothing to do: give --write, --runtime or --results")
    if options.cases and not (options.cases / "cases.json").is_file():
        parser.error(f"--cases {options.cases}: no cases.json in this folder; create it with --write")
    for name in options.runtime:
        if (module := adapters.missing(name)) is not None:
            among = "" if name in adapters.BY_NAME else f"; known names: {', '.join(adapters.BY_NAME)}"
            parser.error(f"--runtime {name}: the module {module} is not installed{among}")
    return options


def run_all(options, folder):
    """Return cases.json, and the results of earlier runs and of a new run for each runtime and number of threads."""
    outcomes = [outcome for path in options.results for outcome in json.loads(path.read_text())]
    every = json.loads((folder / "cases.json").read_text(encoding="utf-8"))
    paths = [path for path in every if not options.only or options.only in path]
    if not paths:
        print(f"no path of a case contains {options.only!r}", file=sys.stderr)
        raise SystemExit(2)
    new = []
    for name in options.runtime:
        for threads in options.threads:
            print(f"{name}, {threads} thread(s): {len(paths)} cases", file=sys.stderr)
            try:
                new.append(runner.run(folder, name, threads, options.repeat, options.seconds, paths, options.call))
            except RuntimeError as error:
                print(error, file=sys.stderr)
                raise SystemExit(2) from None
    if options.json:
        options.json.write_text(json.dumps(new, indent=1) + "\n")
    return every, outcomes + new


def main(given=None):
    """Run the command and return its exit code: 0 if every case was right or not supported."""
    options = arguments(given)
    if options.write:
        print(f"{suite.write(options.write, options.only or '')} cases in {options.write}")
    if not (options.runtime or options.results):
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.cases or options.write
        if folder is None:
            folder = pathlib.Path(scratch, "cases")
            suite.write(folder, options.only or "")
        facts, outcomes = run_all(options, folder)
    columns = report.merge(outcomes)
    if options.table:
        options.table.write_text(report.table(facts, columns), encoding="utf-8")
    if options.svg:
        options.svg.write_text(report.scoreboard(facts, columns), encoding="utf-8")
    if options.scripts:
        write_scripts(options.scripts, facts, outcomes, columns)
    bad = 0
    for (name, versions), results in columns.items():
        seen = [answer["verdict"] for answer in results.values()]
        counts = {verdict: seen.count(verdict) for verdict in runner.VERDICTS}
        bad += len(results) - counts["right"] - counts["not supported"]
        print(f"{name} ({versions}): " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
    return 1 if bad else 0


def write_scripts(folder, facts, outcomes, columns):
    """Writes scripts for every installed runtime, runs them, and prints whether each shows its finding."""
    cases = suite.all_cases()
    for name in dict.fromkeys(outcome["runtime"] for outcome in outcomes):
        try:
            adapters.find(name)
        except ModuleNotFoundError as error:
            print(f"no scripts for {name}: {error}", file=sys.stderr)
            continue
        title = next(report.title(outcome) for outcome in outcomes if outcome["runtime"] == name)
        into = folder / re.sub(r"\W", "_", title[0])
        written = scripts.write(into, cases, facts, title, name, columns[title])
        for file, (verdict, operator, rule), count, seen in written:
            print(f"{'seen' if seen else 'NOT SEEN'}  {into / file}  {operator} {rule}: {verdict}, {count} cases")


if __name__ == "__main__":
    sys.exit(main())
