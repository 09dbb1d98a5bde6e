// Writes keys, finds runs of equal sorted keys, and searches for duplicates.
#include "cuda/kernels.h"

namespace strew::cuda {
namespace {

struct ListKeys {
  Positions at;
  Numbers key;
  Numbers position;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    for (std::int64_t i = t.index(); i < at.count; i += t.step()) {
      const Positions::Location location = at[i];
      key.set(i, static_cast<std::uint64_t>(location.somewhere ? location.number : at.location_count));
      position.set(i, static_cast<std::uint64_t>(i));
    }
  }
};

constexpr std::int64_t kEach = 8;  // number of keys per thread
constexpr std::int64_t kTile = kEach * kThreads;

// Each thread counts the heads (first keys of runs) in its part of a tile. The prefix sums of these counts and one
// atomic addition per tile determine where the thread writes its heads.
struct ListRuns {
  static constexpr int kSteps = std::bit_width(unsigned{kThreads}) - 1;  // steps of the prefix sum
  static constexpr int kPhases = kSteps + 3;
  struct Shared {
    std::uint32_t heads[2][kThreads];
    std::uint64_t base;
  };
  Runs runs;

  STREW_DEVICE bool head(std::int64_t i) const {
    if (i >= runs.count) return false;
    const std::uint64_t key = runs.key[i];
    return key != runs.location_count && (i == 0 || key != runs.key[i - 1]);
  }
  template <int kPhase, class Thread>
  STREW_DEVICE void phase(const Thread& t, std::int64_t tile, Shared& shared) const {
    const int me = t.local();
    const std::int64_t first = tile * kTile + me * kEach;
    if constexpr (kPhase == 0) {
      std::uint32_t heads = 0;
      for (std::int64_t j = 0; j < kEach; ++j) heads += head(first + j) ? 1u : 0u;
      shared.heads[0][me] = heads;
    } else if constexpr (kPhase <= kSteps) {
      constexpr int kBack = 1 << (kPhase - 1);
      const auto& before = shared.heads[(kPhase - 1) % 2];
      shared.heads[kPhase % 2][me] = before[me] + (me >= kBack ? before[me - kBack] : 0u);
    } else if constexpr (kPhase == kSteps + 1) {
      if (me == kThreads - 1)
        shared.base = t.atomic_add(runs.run_count, std::uint64_t{shared.heads[kSteps % 2][me]});
    } else {
      std::uint64_t run = shared.base + (me == 0 ? 0 : shared.heads[kSteps % 2][me - 1]);
      for (std::int64_t j = 0; j < kEach; ++j) {
        if (head(first + j))
          runs.begin.set(static_cast<std::int64_t>(run++), static_cast<std::uint64_t>(first + j));
      }
    }
  }
};

struct FindDuplicate {
  Runs runs;
  Numbers position;
  CallState* state;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    for (std::int64_t i = t.index() + 1; i < runs.count; i += t.step()) {
      if (runs.key[i] == runs.key[i - 1] && runs.key[i] != runs.location_count)
        t.atomic_min(&state->first_duplicate, position[i]);
    }
  }
};

struct NoteDuplicate {
  Runs runs;
  Numbers position;
  CallState* state;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    for (std::int64_t i = t.index() + 1; i < runs.count; i += t.step()) {
      if (position[i] == state->first_duplicate) state->before = position[i - 1];
    }
  }
};

}  // namespace

void list_keys(Queue& queue, const Positions& at, const Numbers& key, const Numbers& position) {
  launch(queue, at.count, ListKeys{at, key, position});
}

void list_runs(Queue& queue, const Runs& runs) {
  launch_tiles(queue, (runs.count - 1) / kTile + 1, ListRuns{runs});
}

void find_duplicate(Queue& queue, const Runs& runs, const Numbers& position, CallState* state) {
  launch(queue, runs.count - 1, FindDuplicate{runs, position, state});
  launch(queue, runs.count - 1, NoteDuplicate{runs, position, state});
}

}  // namespace strew::cuda
