// The arguments of install(), read at each call on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "strew/executor.h"

namespace strew::aten {

struct Settings {
  std::atomic<Executor*> executor = nullptr;
  std::atomic<bool> keep_outputs = true;
  /// True if Strew also handles calls with weights, whose products torch does not round before adding.
  std::atomic<bool> weighted_bags = false;
  std::atomic<bool> weighted_reduce = false;
  /// Calls of fewer elements go to torch; -1: the measured thresholds (thresholds.h).
  std::atomic<std::int64_t> least = -1;
  /// Cached memory is released if it stays unused for this long.
  std::atomic<std::chrono::milliseconds> unused_for = std::chrono::milliseconds(10'000);
};

inline Settings settings;

}  // namespace strew::aten
