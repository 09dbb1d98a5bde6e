// Caches prepared edges for the fused nodes of one session, since layers of a graph network read the same indices.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "strew/edges.h"

namespace strew::ort {

/// Thread-safe.
class EdgeCache {
 public:
  struct Sizes {
    std::int64_t sources;
    std::int64_t targets;
    bool last_only = false;  ///< drops all edges of a target except the last
    bool operator==(const Sizes&) const = default;
  };

  /// Returns the edges of two index tensors of shape [E]; nullopt if the edges cannot be prepared, for example
  /// because an index is out of bounds. Unless `now` is true, the first call with these indices only records them
  /// and returns nullopt.
  std::optional<Edges> get(const TensorView& gather_index, const TensorView& scatter_index, const Sizes& sizes,
                           bool now, const Options& options);

 private:
  struct Index {
    DType dtype;
    std::vector<std::byte> values;
  };
  struct Entry {
    Index gather_index;
    Index scatter_index;
    Sizes sizes;
    std::optional<Edges> edges;  // nullopt if a call only recorded the indices
  };
  using Held = std::shared_ptr<const Entry>;
  static constexpr std::size_t kEntries = 4;

  static Index copy_of(const TensorView& index);
  static bool same(const Index& known, const TensorView& index);
  void put(const Held& entry, const Held& replaced);

  std::mutex mutex_;
  std::array<Held, kEntries> newest_first_;
};

}  // namespace strew::ort
