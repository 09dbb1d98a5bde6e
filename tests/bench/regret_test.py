"""Tests bench/regret.py: its arithmetic on invented rounds, and its report of calls that strew_regret times.

Usage: regret_test.py SOURCE_FOLDER STREW_REGRET
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "bench"))
import regret  # noqa: E402

PROGRAM = sys.argv[2]


def call(ns, tasks=1, op="gather"):
    return {"op": op, "tasks": tasks, "ns": ns}


class Arithmetic(unittest.TestCase):
    def test_picks_by_even_rounds_and_times_by_odd_ones(self):
        ns = {"default": [9, 30, 9, 40, 9, 50], "again": [9, 30, 9, 40, 9, 50]}
        ns |= {"lucky": [1, 60, 1, 80, 1, 100], "partition": [2, 10, 2, 10, 2, 10]}
        judged = regret.judge(call(ns))
        self.assertEqual(judged["best"], "lucky")
        self.assertEqual(judged["regret"], -0.5)  # it won only by luck
        self.assertEqual(judged["noise"], 0)
        self.assertNotIn("ns", judged)
        del ns["lucky"]
        judged = regret.judge(call(ns))
        self.assertEqual((judged["best"], judged["regret"]), ("partition", 3))  # the median of 3, 4 and 5, less 1

    def test_takes_ratios_round_by_round(self):
        ns = {"default": [1, 10, 1, 1000, 1, 100], "again": [2, 5, 2, 1000, 2, 10], "serial": [3] * 6}
        self.assertEqual(regret.extra(ns, "again"), 1)  # ratios 2, 1, 10

    def test_never_picks_the_choice_itself(self):
        ns = {"default": [1, 2], "again": [2, 4], "serial": [3, 1]}
        judged = regret.judge(call(ns))
        self.assertEqual((judged["best"], judged["regret"], judged["noise"]), ("again", -0.5, -0.5))

    def test_percentiles_are_values_that_occur(self):
        self.assertEqual(regret.percentile([4, 1, 3, 2], 0.5), 2)
        self.assertEqual(regret.percentile(range(1, 101), 0.95), 95)
        self.assertEqual(regret.percentile(range(1, 22), 0.95), 20)
        self.assertEqual(regret.percentile([7], 0.95), 7)

    def test_groups_by_task_count_and_operator(self):
        judged = [
            regret.judge(call({"default": [1, choice], "again": [1, 1], "serial": [9, 9]}, tasks, op))
            for choice, tasks, op in ((1, 1, "gather"), (1.25, 1, "gather"), (1.5, 1, "scatter_nd"), (3, 2, "gather"))
        ]
        found = regret.groups(judged)
        self.assertEqual(list(found), [(1, "all"), (1, "gather"), (1, "scatter_nd"), (2, "all"), (2, "gather")])
        self.assertEqual(found[1, "all"]["calls"], 3)
        self.assertEqual(found[1, "all"]["median"], 0.25)
        self.assertEqual(found[1, "all"]["worst"], 0.5)
        self.assertEqual(found[1, "all"]["large"], 0)  # 50 % is not above 50 %
        self.assertEqual(found[2, "all"]["large"], 1)
        self.assertEqual(found[2, "all"]["noise_p95"], 2)


class Program(unittest.TestCase):
    def measure(self, *options):
        return subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=True).stdout

    def test_reports_three_calls(self):
        out = self.measure("--calls", "3", "--largest", "0.01", "--rounds", "2", "--tasks", "1,2")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "calls.jsonl"
            path.write_text(out)
            calls = regret.read(path)
        self.assertEqual([(one["call"], one["tasks"]) for one in calls], [(n, t) for n in range(3) for t in (1, 2)])
        for one in map(json.loads, out.splitlines()):
            self.assertLessEqual(one["table_bytes"], 0.01 * (1 << 20))
            self.assertTrue({"default", "again", "serial"} <= one["ns"].keys(), one)
            self.assertTrue(all(len(rounds) == 2 for rounds in one["ns"].values()), one)
        text = regret.report(calls, 2)
        self.assertIn("seed 1\n", text)
        self.assertEqual(text.count("\n| 1 | all | 3 |"), 1)
        self.assertEqual(text.count("\n| 2 | all | 3 |"), 1)

    def test_draws_the_same_call_by_its_number(self):
        def drawn(*options):
            lines = map(json.loads, self.measure("--largest", "0.01", "--rounds", "2", "--tasks", "1", *options).splitlines())
            return [{key: value for key, value in one.items() if key != "ns"} for one in lines]

        self.assertEqual(drawn("--seed", "5", "--calls", "4")[2:], drawn("--seed", "5", "--first", "2", "--calls", "2"))
        self.assertNotEqual(drawn("--seed", "5", "--calls", "2"), drawn("--seed", "6", "--calls", "2"))

    def test_rejects_unknown_options(self):
        for options in (["--call", "3"], ["--calls"], ["--rounds", "1"], ["--largest", "0.001"]):
            done = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn("usage: strew_regret", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
