// The ways a call can be made, none of which may change its result, and the check that none does.
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

/// How a call is made.
struct Way {
  std::optional<StrategyKind> strategy;
  int threads = 1;
  bool reversed = false;             // tasks on the calling thread, last one first
  std::int64_t instruction_set = 0;  // 0: the machine's best
  std::optional<Machine> machine;    // as if this were the machine
  enum class Form { kFunctional, kInto, kInPlace } form = Form::kInto;
  bool output_is_new = false;
};

std::string describe(const Way& way);

/// A way for this problem; with a strategy where it is `forced`.
Way random_way(Random& random, const Problem& problem, bool forced);

/// How often each way really ran.
struct Tally {
  std::map<std::pair<std::string, int>, int> ran;       // (strategy, threads)
  std::map<std::pair<std::string, int>, int> parallel;  // ... with several tasks
  std::map<OutOfBounds, int> new_in_place;              // in place with an output that is said to be new
};

/// Makes the call this way, and expects what the oracle gave, bit by bit, or the same refusal; nothing beside the
/// elements of the output may be written, and nothing at all where the call is refused, unless the output is new.
void check_way(Random& random, const Problem& problem, const Way& way, const reference::Outcome& outcome,
               Tally& tally);

/// Expects `reject_duplicates` to refuse the problem exactly where two updates go to one element.
void check_duplicates_refused(const Problem& problem);

}  // namespace strew::support
