// Bases of scatters that are one value all over, as ConstantOfShape and an Expand of a constant make them.
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

/// One element of 16, 32 or 64 bits.
struct Scalar {
  DType dtype;
  std::uint64_t bits;

  bool is_zero() const { return bits == 0; }
  bool operator==(const Scalar&) const = default;
};

/// A value that is one number all over.
struct Filled {
  Scalar scalar;
  /// The node that makes it of its shape, which is the shape that `shape` holds broadcast against `rank` times 1.
  /// Nothing for an initializer.
  std::optional<Node> maker = std::nullopt;
  const OrtValueInfo* shape = nullptr;
  std::int64_t rank = 0;
};

/// The same of a value of the graph; nothing where it is another, or of another width.
std::optional<Filled> filled(const Api& api, const OrtValueInfo* value);

/// Writes it all over an output of its type.
void fill(const MutableTensorView& output, Scalar scalar, Executor& executor);

/// What the graphs of one session say of bases, by name. Branches of an If may use a name twice: then nothing is
/// said unless it is true of both.
class Fills {
 public:
  /// While graphs are looked at.
  void note(const std::string& base, std::optional<Scalar> scalar);
  /// When kernels run.
  std::optional<Scalar> of(const std::string& base) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<Scalar>> by_name_;
};

}  // namespace strew::ort
