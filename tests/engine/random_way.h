// Random ways to run a call, and checks that none of them changes the result.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/machine.h"
#include "engine/random_problem.h"
#include "reference/reference.h"
#include "strew/explain.h"

namespace strew::support {

inline constexpr std::array kThreads = {1, 2, 3, 7};

struct Way {
  std::optional<StrategyKind> strategy;
  int threads = 1;
  bool reversed = false;             // run tasks on the calling thread, the last task first
  std::int64_t instruction_set = 0;  // 0: the machine's newest
  std::optional<Machine> machine;    // replaces the real machine's cache sizes and costs
  enum class Form { kFunctional, kInto, kInPlace } form = Form::kInto;
  bool output_is_new = false;
};

std::string describe(const Way& way);

/// Returns a random way to run this problem, with a forced strategy if `forced` is set.
Way random_way(Random& random, const Problem& problem, bool forced);

/// The number of runs of each kind.
struct Tally {
  std::map<std::pair<std::string, int>, int> ran;       // by (strategy, threads)
  std::map<std::pair<std::string, int>, int> parallel;  // the runs with several tasks
  std::map<OutOfBounds, int> new_in_place;              // runs in place with `output_is_new` set
};

/// Runs the call this way, and expects the bits or the error of the oracle. The call may write only elements of
/// the output. A rejected call may write nothing, unless `output_is_new` is set.
void check_way(Random& random, const Problem& problem, const Way& way, const reference::Outcome& outcome,
               Tally& tally);

/// Expects `reject_duplicates` to reject the problem if and only if two updates have the same destination.
void check_duplicates_refused(const Problem& problem);

}  // namespace strew::support
