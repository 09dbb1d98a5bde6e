// A progress bar on standard error.
#pragma once

#include <chrono>
#include <cstdint>

namespace strew::app {

/// Shows the progress towards `total` steps; only on a terminal and for many steps.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts one more step. Redraws ten times a second, and after `clear`.
  void advance();
  /// Erases the bar, so that other text can be printed.
  void clear();

 private:
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool enabled_;
  bool drawn_ = false;
  bool cleared_ = false;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace strew::app
