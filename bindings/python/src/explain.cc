// What a call would do, as a dict.
#include "explain.h"

#include <atomic>
#include <string>
#include <utility>

#include "call.h"
#include "wanted.h"

namespace strew::python {
namespace {

std::atomic<std::int64_t> scratch_limit_{Options().scratch_limit};

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::dict as_dict(const CallExplanation& call) {
  const Explanation& explanation = call.explanation;
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
  indices["outside"] = explanation.outside;
  indices["out_of_bounds"] = text(out_of_bounds_name(call.rules.out_of_bounds));
  indices["negative_indices"] = text(negative_indices_name(call.rules.negative_indices));
  nb::dict all;
  all["call"] = text(explanation.call);
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

nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  CallExplanation explanation;
  call_for({.explanation = &explanation}, function, arguments, attributes);
  return explanation.on_device.empty() ? as_dict(explanation) : explanation.on_device;
}

std::int64_t scratch_limit() noexcept { return scratch_limit_.load(std::memory_order_relaxed); }
void set_scratch_limit(std::int64_t bytes) noexcept { scratch_limit_.store(bytes, std::memory_order_relaxed); }

}  // namespace strew::python
