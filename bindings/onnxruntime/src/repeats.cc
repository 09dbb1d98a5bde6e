#include <algorithm>
#include <utility>

#include "facts.h"

namespace strew::ort {
namespace {

template <class T>
std::int64_t count_repeated_axes(const T* values, const Shape& shape) {
  const std::int64_t count = element_count(shape);
  std::int64_t repeated = shape.rank();
  std::int64_t block = count;  // number of elements along the repeated axes
  for (std::int64_t i = 1; i < count; ++i) {
    if (values[i] == values[i - 1]) continue;
    while (i % block != 0) block /= shape[shape.rank() - repeated--];
  }
  return repeated;
}

}  // namespace

std::int64_t repeated_axes(const Api& api, const OrtValueInfo* value) {
  const std::optional<Node> expand = producer(api, value);
  if (!expand || !expand->is("Expand")) return 0;
  const std::optional<Dims> from = value_type(api, expand->input(0)).dims;
  if (!from) return 0;
  // Expand aligns the last axes of its input and its output.
  return std::find_if(from->rbegin(), from->rend(), [](std::int64_t dim) { return dim != 1; }) - from->rbegin();
}

std::int64_t repeated_axes(const Tensor& indices) {
  const Shape shape(indices.dims);
  return indices.dtype == DType::kInt64
             ? count_repeated_axes(static_cast<const std::int64_t*>(indices.data), shape)
             : count_repeated_axes(static_cast<const std::int32_t*>(indices.data), shape);
}

TensorView without_repetition(const Tensor& tensor, std::int64_t repeated) {
  const auto rank = static_cast<std::int64_t>(tensor.dims.size());
  if (repeated == 0 || repeated > rank) return tensor.view();
  Shape shape(tensor.dims);
  Shape strides = dense_strides(shape);
  for (std::int64_t axis = rank - repeated; axis < rank; ++axis) strides[axis] = 0;
  return {tensor.data, tensor.dtype, std::move(shape), std::move(strides)};
}

void RepeatedValues::note(const std::string& name, std::int64_t repeated, std::size_t readers) {
  const std::lock_guard lock(mutex_);
  const auto [known, added] = by_name_.try_emplace(name, Entry{repeated, readers});
  if (added) return;
  if (known->second.repeated != repeated) known->second.repeated = 0;
  if (known->second.readers != readers) known->second.readers = 0;
}

void RepeatedValues::note_copy(const std::string& copy, const std::string& original, std::size_t rank) {
  const std::lock_guard lock(mutex_);
  const Original noted{original, rank};
  const auto [known, added] = original_by_copy_.try_emplace(copy, noted);
  if (!added && known->second != noted) known->second = {};
}

Original RepeatedValues::find_original(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto known = original_by_copy_.find(name);
  return known == original_by_copy_.end() ? Original{name, std::nullopt} : known->second;
}

std::int64_t RepeatedValues::reader_made(const std::string& name) { return increment(name, &Entry::readers_made); }

std::int64_t RepeatedValues::writer_made(const std::string& name) { return increment(name, &Entry::writers_made); }

std::int64_t RepeatedValues::increment(const std::string& name, std::size_t Entry::*count) {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return 0;
  ++(known->second.*count);
  return known->second.repeated;
}

bool RepeatedValues::is_written_here(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  return known != by_name_.end() && known->second.writers_made > 0;
}

bool RepeatedValues::all_readers_agree(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return false;
  const Entry& entry = known->second;
  // The counts differ if ONNX Runtime changed a reader or assigned it to another provider after the claim.
  return entry.repeated > 0 && entry.readers > 0 && entry.readers_made == entry.readers * entry.writers_made;
}

}  // namespace strew::ort
