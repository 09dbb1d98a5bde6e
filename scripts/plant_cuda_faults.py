#!/usr/bin/env python3
"""Breaks the CUDA kernels in known ways, one at a time, and prints whether the tests on the host find each fault.

Usage: plant_cuda_faults.py [BUILD] [PATTERN] | --check

BUILD is a configured build folder (default: build). PATTERN selects faults whose names contain it. The program changes files
of src/cuda/ and restores them. The tests should find all thirty-two faults. --check only checks that faults can be planted.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ["cuda_test", "cuda_comparison_test", "cuda_large_test"]
CASES = "3000"

# Name, file of src/cuda/, original text, faulty text.
FAULTS = [
    ("the last thread to write wins", "move.cc",
     "t.atomic_max(winner + location.number, static_cast<Word>(i) + 1)",
     "t.store(winner + location.number, static_cast<Word>(i + 1))"),
    ("winners of the previous call are not reset", "move.cc", "t.store(winner + location.number, Word{0})",
     "static_cast<void>(location.number)"),
    ("any bad index is reported, not the first", "check_indices.cc",
     "t.atomic_min(&check.state->first_bad, static_cast<std::uint64_t>(i))",
     "t.store(&check.state->first_bad, static_cast<std::uint64_t>(i))"),
    ("a fused gather reports any bad index", "fused_gather.cc",
     "t.atomic_min(&state->first_bad, static_cast<std::uint64_t>(at.tuple))",
     "t.store(&state->first_bad, static_cast<std::uint64_t>(at.tuple))"),
    ("a fused gather reads the next row", "fused_gather.cc", "move.at.offset(number + coordinate * component.stride)",
     "move.at.offset(number + (coordinate + 1) % component.extent * component.stride)"),
    ("a move ignores a bad index", "move.cc", "if (has_failed(move.state)) return;\n    const Positions",
     "const Positions"),
    ("a fold ignores a bad index", "fold.cc", "if (has_failed(call.reduce.state)) return;", ""),
    ("a pack is folded backwards", "run_fold.h", "loaded(next[j].e[e])", "loaded(next[j].e[kWide - 1 - e])"),
    ("a NaN keeps its payload", "run_fold.h", "if (terms > 1) value.e[e] = ended(value.e[e]);", ""),
    ("a mean does not count the data", "run_fold.h", "+ (call.include_self ? 1 : 0)", "+ 0"),
    ("a run ends too late", "fold.cc", "while (outside - inside > 1)", "while (outside - inside > 2)"),
    ("a barrier is missing between sums", "runs.cc", "shared.heads[kPhase % 2][me] = before[me]",
     "shared.heads[(kPhase - 1) % 2][me] = before[me]"),
    ("a run begins at each tile", "runs.cc", "(i == 0 || key", "(i % kTile == 0 || key"),
    ("the highest bit of a key is not sorted", "stages.cc", "while (at_.location_count >> bits != 0) ++bits;",
     "while (at_.location_count >> (bits + 1) != 0) ++bits;"),
    ("a piece of the workspace is too short", "prepare.cc", "sizes.winners = layout.at.location_count;",
     "sizes.winners = layout.at.location_count - 1;"),
    ("max and min swap the signs of zeros", "steps.h", "kReduction == kMax ? x & y : x | y",
     "kReduction == kMax ? x | y : x & y"),
    ("numbers of rows have only 32 bits", "layout.cc",
     "layout.wide = wide || at.location_count >= kNarrow || at.count >= kNarrow;",
     "layout.wide = wide && (at.location_count >= kNarrow || at.count >= kNarrow);"),
    ("negative strides have no origin", "layout.cc", "origin -= std::min<std::int64_t>(far, 0);", ""),
    ("any duplicate is reported, not the first", "runs.cc", "t.atomic_min(&state->first_duplicate, position[i])",
     "t.store(&state->first_duplicate, position[i])"),
    ("a tie is rounded up", "exact_sum.h", "rest == half && odd", "rest == half && (odd || true)"),
    ("a sum that leaves its binade is not detected", "exact_sum.h", "|| k + highest >= 2 * kLeast",
     "|| k + highest < kLeast"),
    ("the spacing below a power of two is not halved", "exact_sum.h", "(falls_ && k + lowest <= kLeast)",
     "k + lowest < kLeast"),
    ("a summary is used for any binade", "exact_sum.h", "binade_of(sum) != binade_", "binade_of(sum) == 0"),
    ("updates behind the last chunk are lost", "exact_fold.cc", "fold.add(t, sum, last * length, end, column);", ""),
    ("a walk begins with another column's positions", "columns.cc", "walk(column * steps,", "walk(column,"),
    ("checked indices are used for other indices", "checked_indices.cc", "same_tensor(indices, view) &&", "(same_tensor(indices, view) || true) &&"),
    ("kept runs are those of the check's own memory", "workspace.cc",
     "sizes.sorting > 0 ? buffers.key :", "buffers.key.at != nullptr ? buffers.key :"),
    ("an event is recorded in a capture", "nvidia/queue.cc", "if (captured_ || queue.failed()) return;", "if (queue.failed()) return;"),
    ("memory is allocated in a capture in strict mode", "nvidia/queue.cc",
     "const Relaxed relaxed;\n    const std::lock_guard", "const std::lock_guard"),
    ("the memory of a captured call is used again", "nvidia/queue.cc", "if (captured_ || unseen_ ||", "if (unseen_ ||"),
    ("memory that a copy may still access is used again", "nvidia/queue.cc", "captured_ || unseen_ ||", "captured_ ||"),
    ("a call continues after a failed call of CUDA", "queue.h", "return failure_.error != 0;", "return false;"),
]


def found(build):
    """Return whether the tests fail. The faulty code must compile."""
    subprocess.run(["ninja", "-C", build, *TESTS], check=True, stdout=subprocess.DEVNULL)
    environment = os.environ | {"STREW_CUDA_CASES": CASES}
    return any(
        subprocess.run([f"{build}/tests/cuda/{test}", "--gtest_brief=1"], env=environment, capture_output=True).returncode
        for test in TESTS
    )


def check():
    """Return 1 if the original text of a fault does not occur exactly once."""
    texts = {file: (ROOT / "src/cuda" / file).read_text("utf-8") for _, file, _, _ in FAULTS}
    stale = [f"{file}: '{old}' occurs {texts[file].count(old)} times" for _, file, old, _ in FAULTS if texts[file].count(old) != 1]
    print("\n".join(stale) or f"all {len(FAULTS)} faults can be planted")
    return 1 if stale else 0


def main(build="build", pattern=""):
    if stale := check():
        return stale
    build = str(ROOT / build)
    missed = []
    for name, file, old, new in (fault for fault in FAULTS if pattern in fault[0]):
        path = ROOT / "src/cuda" / file
        text = path.read_text("utf-8")
        try:
            path.write_text(text.replace(old, new), "utf-8")
            seen = found(build)
        finally:
            path.write_text(text, "utf-8")
        print(f"{'found ' if seen else 'MISSED'} {name}", flush=True)
        if not seen:
            missed.append(name)
    subprocess.run(["ninja", "-C", build, *TESTS], check=True, stdout=subprocess.DEVNULL)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else main(*sys.argv[1:]))
