#include "edge_cache.h"

#include <algorithm>
#include <cstring>

namespace strew::ort {
namespace {

std::size_t width_of(const TensorView& index) { return static_cast<std::size_t>(bit_width(index.dtype()) / 8); }

// Calls `body` with each element's number and address until `body` returns false.
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

// Keeps only the last edge of each target: the others get an index out of bounds and are dropped.
Result<Edges> last_edges(const Edges& all, const TensorView& gather_index, const Options& options) {
  const Result<strew::Tensor> targets = all.targets();
  if (!targets) return tl::unexpected(targets.error());
  const Result<strew::Tensor> numbers = all.numbers();
  if (!numbers) return tl::unexpected(numbers.error());
  const std::span<const std::int64_t> target = targets->values<std::int64_t>();
  const std::span<const std::int64_t> number = numbers->values<std::int64_t>();
  std::vector<std::int64_t> last(target.size(), all.target_size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool is_last = i + 1 == target.size() || target[i + 1] != target[i];
    if (is_last) last[static_cast<std::size_t>(number[i])] = target[i];
  }
  return make_edges(gather_index, TensorView(last, {static_cast<std::int64_t>(last.size())}), all.source_size(),
                    all.target_size(), {.out_of_bounds = OutOfBounds::kDrop}, options);
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
                                    const Sizes& sizes, bool now, const Options& options) {
  std::array<Held, kEntries> known;
  {
    const std::lock_guard lock(mutex_);
    known = newest_first_;
  }
  const auto found = std::ranges::find_if(known, [&](const Held& entry) {
    return entry && entry->sizes == sizes && same(entry->scatter_index, scatter_index) &&
           same(entry->gather_index, gather_index);
  });
  const Held seen = found == known.end() ? nullptr : *found;
  if (seen && seen->edges) return seen->edges;
  auto entry = std::make_shared<Entry>();
  if (seen || now) {
    Result<Edges> edges = make_edges(gather_index, scatter_index, sizes.sources, sizes.targets, {}, options);
    if (edges && sizes.last_only) edges = last_edges(*edges, gather_index, options);
    if (!edges) return std::nullopt;
    entry->edges = *std::move(edges);
  }
  entry->sizes = sizes;
  entry->gather_index = seen ? seen->gather_index : copy_of(gather_index);
  entry->scatter_index = seen ? seen->scatter_index : copy_of(scatter_index);
  put(entry, seen);
  return entry->edges;
}

// Puts an entry first. If another thread stored the same edges, both entries stay until newer ones replace them.
void EdgeCache::put(const Held& entry, const Held& replaced) {
  const std::lock_guard lock(mutex_);
  auto end = std::ranges::find(newest_first_, replaced);
  if (!replaced || end == newest_first_.end()) end = newest_first_.end() - 1;
  std::rotate(newest_first_.begin(), end, end + 1);
  newest_first_.front() = entry;
}

}  // namespace strew::ort
