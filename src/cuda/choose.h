// Chooses the strategy of a call on a device by thresholds. The thresholds for long runs of updates with one
// destination were measured on an H100; the others are estimates from published figures.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cuda/kernels.h"
#include "cuda/layout.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

/// Whether a strategy applies to a call, and why.
struct Verdict {
  DeviceStrategy kind;
  bool applies;
  std::string_view reason;
  bool pays = true;  ///< false if a later strategy is better
};

/// Returns all strategies, in order of preference: the first that applies and pays is chosen.
std::array<Verdict, 6> consider(const Plan& plan, const Layout& layout, const DeviceOptions& options);

/// Returns the chosen strategy; kUnsupported if a forced strategy does not apply, or if no strategy applies.
Result<Verdict> choose(const Plan& plan, const Layout& layout, const DeviceOptions& options);

/// Minimum number of updates in a long run. One thread folds 8 updates in the time of two memory accesses, and
/// 2048 in about 300 us on an H100. The parallel fold adds about 10 us for launches and 10 us for applying
/// summaries.
inline constexpr std::int64_t kHotFrom = 1 << 11;
/// A long run also has at least 1 / kHotShare of all updates. A shorter run does not delay the call: while one
/// thread reads a row of 256 bytes, the other threads of an H100 read a thousand.
inline constexpr std::int64_t kHotShare = 1024;
/// Number of updates in a chunk, which one thread summarises (exact_sum.h). Longer chunks occupy fewer threads,
/// and if a summary does not apply, more updates are added one by one. Shorter chunks need more memory, and leave
/// more work to the few threads that apply the summaries.
inline constexpr std::int64_t kHotChunk = 256;

/// Maximum number of updates of an element that one thread applies in order, without a sort: kShortWalk, or
/// kLongestWalk if there are at least kWalkers elements, since sorting their updates would take longer.
inline constexpr std::int64_t kShortWalk = 32;
inline constexpr std::int64_t kLongestWalk = 1024;
inline constexpr std::int64_t kWalkers = 1 << 15;

/// Returns the thresholds for long runs in a call with `updates` updates. The pointers of the result are null.
HotRuns choose_hot_runs(std::int64_t updates) noexcept;
/// True if a test forces 64-bit numbers.
bool wants_wide_numbers() noexcept;

/// For tests: overrides thresholds during the lifetime of this object.
class ScopedThresholds {
 public:
  struct Values {
    bool large = false;         ///< wants_wide_numbers
    std::int64_t hot_from = 0;  ///< 0: unchanged
    std::int64_t hot_chunk = kHotChunk;
  };
  explicit ScopedThresholds(const Values& as);
  ~ScopedThresholds();
  ScopedThresholds(const ScopedThresholds&) = delete;
  ScopedThresholds& operator=(const ScopedThresholds&) = delete;
};

}  // namespace strew::cuda
