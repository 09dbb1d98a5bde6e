// Describes how a call would run, as a dict.
#include <string>
#include <utility>

#include "call.h"
#include "device_call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

nb::dict as_dict(const Explanation& explanation, const IndexRules& rules) {
  nb::list considered;
  for (const Considered& one : explanation.considered) {
    nb::dict entry;
    entry["strategy"] = str_of(strategy_name(one.kind));
    entry["applies"] = one.applies;
    entry["scratch_bytes"] = one.scratch_bytes;
    entry["nanoseconds"] = one.nanoseconds;
    entry["processor_nanoseconds"] = one.processor_nanoseconds;
    entry["reason"] = str_of(one.reason);
    considered.append(entry);
  }
  nb::dict indices;
  indices["lowest"] = explanation.lowest_index;
  indices["highest"] = explanation.highest_index;
  indices["constant_rows"] = explanation.constant_rows;
  indices["any_out_of_bounds"] = explanation.any_out_of_bounds;
  indices["out_of_bounds"] = str_of(out_of_bounds_name(rules.out_of_bounds));
  indices["negative_indices"] = str_of(negative_indices_name(rules.negative_indices));
  nb::dict all;
  all["call"] = str_of(explanation.call);
  all["strategy"] = str_of(strategy_name(explanation.strategy.kind));
  all["reason"] = str_of(explanation.strategy.reason);
  all["tasks"] = explanation.strategy.task_count;
  all["scratch_bytes"] = explanation.scratch_bytes;
  all["prefetch_distance"] = explanation.prefetch_distance;
  all["prefetch_blocks"] = explanation.prefetch_blocks;
  all["prefetch_indices"] = explanation.prefetch_indices;
  all["non_temporal_stores"] = explanation.non_temporal_stores;
  all["reads_once"] = explanation.reads_once;
  all["indices"] = indices;
  all["considered"] = considered;
  return all;
}

}  // namespace

nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  const CallRequest request = read_request(function, arguments, attributes);
  Result<Plan> plan = request.legal_plan();
  if (request.on_device()) return explain_on_device(request, *plan);
  return as_dict(HostCall(request, *plan).explain(), plan->rules());
}

}  // namespace strew::python
