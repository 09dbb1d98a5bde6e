// Finds data of scatters with all elements equal, such as a ConstantOfShape or an Expand of a constant.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "node.h"
#include "strew/executor.h"
#include "strew/view.h"

namespace strew::ort {

/// An element of 16, 32 or 64 bits.
struct Scalar {
  DType dtype;
  std::uint64_t bits;

  bool is_zero() const { return bits == 0; }
  bool operator==(const Scalar&) const = default;
};

/// A value whose elements are all equal.
struct Filled {
  Scalar scalar;
  /// The node that makes the value; nullopt for an initializer. The value's shape is the content of `shape`,
  /// broadcast with `rank` dimensions of 1.
  std::optional<Node> maker = std::nullopt;
  const OrtValueInfo* shape = nullptr;
  std::int64_t rank = 0;
};

/// Returns a value of the graph as Filled; nullopt if its elements differ or do not have 16, 32 or 64 bits.
std::optional<Filled> filled(const Api& api, const OrtValueInfo* value);

void fill(const MutableTensorView& output, Scalar scalar, Executor& executor);

/// Fills of bases in the graphs of one session, by name; nullopt if two branches of an If differ in a fill.
class Fills {
 public:
  /// Records the fill of a base while graphs are examined; nullopt: its elements differ.
  void note(const std::string& base, std::optional<Scalar> scalar);
  std::optional<Scalar> of(const std::string& base) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<Scalar>> by_name_;
};

}  // namespace strew::ort
