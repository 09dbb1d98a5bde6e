// What install() was told. Read at each call, on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "strew/executor.h"

namespace strew::aten {

struct Settings {
  std::atomic<Executor*> executor = nullptr;
  std::atomic<bool> keep_outputs = true;
  /// Also calls with weights, whose products torch does not round before it adds them.
  std::atomic<bool> weighted_bags = false;
  std::atomic<bool> weighted_reduce = false;
  /// Calls of fewer elements are left to torch; -1 for what was measured (thresholds.h).
  std::atomic<std::int64_t> least = -1;
  /// Kept memory that nobody takes for so long is given back.
  std::atomic<std::chrono::milliseconds> unused_for = std::chrono::milliseconds(10'000);
};

inline Settings settings;

}  // namespace strew::aten
