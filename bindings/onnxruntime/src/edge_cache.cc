// Edges that the fused nodes of one session have prepared.
#include "edge_cache.h"

#include <algorithm>
#include <cstring>

namespace strew::ort {
namespace {

std::size_t width_of(const TensorView& index) { return static_cast<std::size_t>(bit_width(index.dtype()) / 8); }

// Calls with each element's number and address until one returns false.
template <class Body>
bool for_each_element(const TensorView& index, Body body) {
  const std::size_t width = width_of(index);
  const auto step = static_cast<std::ptrdiff_t>(width) * (index.dense() ? 1 : index.strides()[0]);
  const auto* at = static_cast<const std::byte*>(index.data());
  const auto count = static_cast<std::size_t>(index.shape()[0]);
  for (std::size_t i = 0; i < count; ++i, at += step) {
    if (!body(i, at)) return false;
  }
  return true;
}

}  // namespace

EdgeCache::Index EdgeCache::copy_of(const TensorView& index) {
  const std::size_t width = width_of(index);
  Index copy{index.dtype(), std::vector<std::byte>(width * static_cast<std::size_t>(index.shape()[0]))};
  if (index.dense()) {
    if (!copy.values.empty()) std::memcpy(copy.values.data(), index.data(), copy.values.size());
    return copy;
  }
  for_each_element(index, [&](std::size_t i, const std::byte* at) {
    std::memcpy(copy.values.data() + i * width, at, width);
    return true;
  });
  return copy;
}

bool EdgeCache::same(const Index& known, const TensorView& index) {
  const std::size_t width = width_of(index);
  if (known.dtype != index.dtype() || known.values.size() != width * static_cast<std::size_t>(index.shape()[0])) {
    return false;
  }
  if (known.values.empty()) return true;
  if (index.dense()) return std::memcmp(known.values.data(), index.data(), known.values.size()) == 0;
  const auto equal = [&]<class T>(T) {
    const auto* values = reinterpret_cast<const T*>(known.values.data());
    return for_each_element(
        index, [&](std::size_t i, const std::byte* at) { return values[i] == *reinterpret_cast<const T*>(at); });
  };
  return width == 8 ? equal(std::int64_t{}) : equal(std::int32_t{});
}

std::optional<Edges> EdgeCache::get(const TensorView& gather_index, const TensorView& scatter_index,
                                    std::int64_t source_size, std::int64_t target_size, bool now,
                                    const Options& options) {
  std::array<Held, kEntries> known;
  {
    const std::lock_guard lock(mutex_);
    known = newest_first_;
  }
  const auto found = std::ranges::find_if(known, [&](const Held& entry) {
    return entry && entry->source_size == source_size && entry->target_size == target_size &&
           same(entry->scatter_index, scatter_index) && same(entry->gather_index, gather_index);
  });
  const Held seen = found == known.end() ? nullptr : *found;
  if (seen && seen->edges) return seen->edges;
  auto entry = std::make_shared<Entry>();
  if (seen || now) {
    Result<Edges> edges = make_edges(gather_index, scatter_index, source_size, target_size, {}, options);
    if (!edges) return std::nullopt;
    entry->edges = *std::move(edges);
  }
  entry->source_size = source_size;
  entry->target_size = target_size;
  entry->gather_index = seen ? seen->gather_index : copy_of(gather_index);
  entry->scatter_index = seen ? seen->scatter_index : copy_of(scatter_index);
  put(entry, seen);
  return entry->edges;
}

// Where another thread has put the same, there are two of it for a while.
void EdgeCache::put(const Held& entry, const Held& replaced) {
  const std::lock_guard lock(mutex_);
  auto end = std::ranges::find(newest_first_, replaced);
  if (!replaced || end == newest_first_.end()) end = newest_first_.end() - 1;
  std::rotate(newest_first_.begin(), end, end + 1);
  newest_first_.front() = entry;
}

}  // namespace strew::ort
