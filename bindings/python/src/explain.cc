// What a call would do, as a dict.
#include "explain.h"

#include <atomic>
#include <string>
#include <utility>

#include "call.h"

namespace strew::python {
namespace {

std::atomic<std::int64_t> scratch_limit_{Options().scratch_limit};

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::dict as_dict(const Explanation& explanation) {
  nb::list considered;
  for (const Considered& one : explanation.considered) {
    nb::dict entry;
    entry["strategy"] = text(strategy_name(one.kind));
    entry["applies"] = one.applies;
    entry["scratch_bytes"] = one.scratch_bytes;
    entry["reason"] = text(one.reason);
    considered.append(entry);
  }
  nb::dict indices;
  indices["lowest"] = explanation.lowest_index;
  indices["highest"] = explanation.highest_index;
  indices["constant_rows"] = explanation.constant_rows;
  nb::dict all;
  all["strategy"] = text(strategy_name(explanation.strategy.kind));
  all["reason"] = text(explanation.strategy.reason);
  all["tasks"] = explanation.strategy.task_count;
  all["scratch_bytes"] = explanation.scratch_bytes;
  all["prefetch_ahead"] = explanation.prefetch_ahead;
  all["prefetch_parts"] = explanation.prefetch_parts;
  all["prefetch_indices"] = explanation.prefetch_indices;
  all["streams"] = explanation.streams;
  all["reads_once"] = explanation.reads_once;
  all["indices"] = indices;
  all["considered"] = considered;
  return all;
}

}  // namespace

Explanation*& wanted_explanation() noexcept {
  thread_local Explanation* wanted = nullptr;
  return wanted;
}

nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  Explanation explanation;
  struct Scope {
    explicit Scope(Explanation* wanted) : before(std::exchange(wanted_explanation(), wanted)) {}
    ~Scope() { wanted_explanation() = before; }
    Explanation* before;
  };
  {
    const Scope scope(&explanation);
    function(*arguments, **attributes);
  }
  return as_dict(explanation);
}

std::int64_t scratch_limit() noexcept { return scratch_limit_.load(std::memory_order_relaxed); }
void set_scratch_limit(std::int64_t bytes) noexcept { scratch_limit_.store(bytes, std::memory_order_relaxed); }

}  // namespace strew::python
