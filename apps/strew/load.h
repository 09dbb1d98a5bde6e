// What other programs do while something is measured.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace strew::app {

/// Processors that this process may use, without quotas; at least 1.
int usable_processors();

/// Watches these processors from when it is made on.
class OtherLoad {
 public:
  OtherLoad();
  /// Processors that were kept busy on average since then, by all but this process; nothing where the system does
  /// not say.
  std::optional<double> processors() const;

 private:
  struct Seen {
    std::chrono::steady_clock::time_point at;
    double busy;  // seconds of these processors, by all
    double own;
  };
  static std::optional<Seen> look();
  std::optional<Seen> begin_;
};

}  // namespace strew::app
