// Edges that the fused nodes of one session have prepared: layers of a graph network read the same indices.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "strew/edges.h"

namespace strew::ort {

/// Several threads may ask at once.
class EdgeCache {
 public:
  struct Sizes {
    std::int64_t sources;
    std::int64_t targets;
    bool last_only = false;  ///< of the edges of a target all but the last are left out
    bool operator==(const Sizes&) const = default;
  };

  /// The edges of two index tensors [E] and these many rows; nothing where they cannot be had, as with an index
  /// that is out of bounds. `now`: make them also where these indices are seen for the first time; else that is
  /// remembered, and there is nothing.
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
    std::optional<Edges> edges;  // nothing at the first sight
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
