// A progress bar on standard error.
#pragma once

#include <chrono>
#include <cstdint>

namespace strew::app {

/// Shows how many of `total` steps are done, on a terminal and for many steps only.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more step is done. Draws ten times a second, and after `clear`.
  void advance();
  /// Takes the bar away, so that other text can be printed.
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
