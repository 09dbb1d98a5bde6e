// CPU load of other programs during a measurement.
#pragma once

#include <chrono>
#include <optional>

namespace strew::app {

/// Returns the number of processors that this process may use, ignoring quotas; at least 1.
int usable_processors();

/// Measures the load from other programs on these processors since the construction of the object.
class OtherLoad {
 public:
  OtherLoad();
  /// Returns the average number of processors that other programs kept busy; nullopt if it is unknown.
  std::optional<double> processors() const;

 private:
  struct Seen {
    std::chrono::steady_clock::time_point at;
    double busy;  // CPU seconds of all processes on these processors
    double own;   // CPU seconds of this process
  };
  static std::optional<Seen> look();
  std::optional<Seen> begin_;
};

}  // namespace strew::app
