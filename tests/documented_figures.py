"""Fails unless README.md and the tables of docs/performance.md say what docs/plots/peers.json says, and those of
docs/pytorch.md what docs/plots/torch.json says.

Usage: documented_figures.py SOURCE_FOLDER
"""

import json
import pathlib
import statistics
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "bench"))
import torch_figures  # noqa: E402
from peer_figures import MODES, ratios, read, tables  # noqa: E402

report = read(root / "docs/plots/peers.json")
best = {mode: ratios(report, mode, 2)[0] for mode in MODES}
mean = {mode: f"{statistics.geometric_mean(best[mode].values()):.1f}" for mode in MODES}
said = [
    f"takes {mean['fresh']} times as long as Strew: the geometric mean of {len(best['fresh'])} named workloads",
    f"on 2 threads of an {report['machine']['cpu']}",
    f"With outputs that are kept it takes {mean['kept']} times as long, in place ({len(best['in_place'])} of them) {mean['in_place']}.",
]
readme = " ".join((root / "README.md").read_text("utf-8").split())
performance = (root / "docs/performance.md").read_text("utf-8").splitlines()
missing = [f"README.md: {sentence}" for sentence in said if sentence not in readme]
missing += [f"docs/performance.md: {line}" for line in tables(report) if line not in performance]
pytorch = (root / "docs/pytorch.md").read_text("utf-8").splitlines()
programs = torch_figures.tables(json.loads((root / "docs/plots/torch.json").read_text("utf-8")))
missing += [f"docs/pytorch.md: {line}" for line in programs if line not in pytorch]
print("\n".join(missing) or "every figure is that of docs/plots")
sys.exit(bool(missing))
