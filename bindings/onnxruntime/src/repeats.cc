// Indices that repeat along their last axes, as the graph proves it: what exporters make by Expand.
#include "repeats.h"

#include <algorithm>

namespace strew::ort {

Repetition repetition_of(const Api& api, const OrtValueInfo* value) {
  const std::optional<Node> expand = producer(api, value);
  if (!expand || !expand->in_onnx_domain() || expand->op_type() != "Expand") return {};
  const std::optional<Dims> from = value_type(api, expand->input(0)).dims;
  const std::optional<Dims> to = value_type(api, value).dims;
  if (!from || !to || from->size() > to->size()) return {};
  // Axes are aligned at the end; a missing one is as one of length 1.
  const auto varying = std::find_if(from->rbegin(), from->rend(), [](std::int64_t dim) { return dim != 1; });
  const auto rank = static_cast<std::int64_t>(to->size());
  return {varying == from->rend() ? rank : varying - from->rbegin(), rank};
}

TensorView without_repetition(const TensorView& view, const Repetition& repetition) {
  if (repetition.axes == 0 || view.rank() != repetition.rank) return view;
  Shape strides = dense_strides(view.shape());
  for (std::int64_t axis = view.rank() - repetition.axes; axis < view.rank(); ++axis) strides[axis] = 0;
  return {view.data(), view.dtype(), view.shape(), strides};
}

void RepeatedValues::note(const std::string& name, const Repetition& repetition, std::size_t readers) {
  const std::lock_guard lock(mutex_);
  const auto [known, added] = by_name_.try_emplace(name, Entry{repetition, readers});
  if (added) return;
  if (known->second.repetition != repetition) known->second.repetition = {};
  if (known->second.readers != readers) known->second.readers = 0;
}

Repetition RepeatedValues::reader_made(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return {};
  ++known->second.readers_made;
  return known->second.repetition;
}

Repetition RepeatedValues::writer_made(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return {};
  ++known->second.writers_made;
  return known->second.repetition;
}

bool RepeatedValues::all_readers_agree(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return false;
  const Entry& entry = known->second;
  // A reader that ONNX Runtime gave to another provider after all, or changed, was not made here.
  return entry.repetition.axes > 0 && entry.readers > 0 &&
         entry.readers_made == entry.readers * entry.writers_made;
}

}  // namespace strew::ort
