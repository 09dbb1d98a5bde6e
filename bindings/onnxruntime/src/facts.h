// Facts that the graph proves about values: indices that repeat along their trailing axes, and scatter data whose
// elements are all equal.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "node.h"
#include "strew/executor.h"
#include "strew/view.h"
#include "tensors.h"

namespace strew::ort {

// repeats.cc: indices that repeat along their trailing axes, such as the output of an Expand

/// Returns the number of trailing axes along which the value repeats, if the graph proves it; otherwise 0.
std::int64_t repeated_axes(const Api& api, const OrtValueInfo* value);
/// Overload for dense int32 or int64 indices: compares their values.
std::int64_t repeated_axes(const Tensor& indices);

/// Returns a view with a stride of 0 along the last `repeated` axes, so that Strew moves whole rows.
TensorView without_repetition(const Tensor& tensor, std::int64_t repeated);

/// The original of a copied value. If `rank` is set, the value is a copy only if the original has this rank.
struct Original {
  std::string name;
  std::optional<std::size_t> rank;
  bool operator==(const Original&) const = default;
};

/// Facts about repeated values, stored by name and shared by the kernels of one session. If two branches of an If
/// use the same name, a fact counts only if it holds for both.
class RepeatedValues {
 public:
  /// Called while graphs are examined. `readers`: number of readers if all rely on the repetition, else 0.
  void note(const std::string& name, std::int64_t repeated, std::size_t readers);
  void note_copy(const std::string& copy, const std::string& original, std::size_t rank);

  /// Called while kernels are created: returns the original of a copy, or the value itself.
  Original find_original(const std::string& name) const;
  /// Counts a kernel that reads or writes the value. Returns the value's number of repeated trailing axes.
  std::int64_t reader_made(const std::string& name);
  std::int64_t writer_made(const std::string& name);

  /// Called when kernels run: true if a kernel of Strew writes the value and checks the repetition.
  bool is_written_here(const std::string& name) const;
  /// Called when kernels run: true if no reader needs more than one element along the repeated axes.
  bool all_readers_agree(const std::string& name) const;

 private:
  struct Entry {
    std::int64_t repeated = 0;
    std::size_t readers = 0;
    std::size_t readers_made = 0;
    std::size_t writers_made = 0;
  };

  std::int64_t increment(const std::string& name, std::size_t Entry::*count);

  mutable std::mutex mutex_;
  std::map<std::string, Entry> by_name_;
  std::map<std::string, Original> original_by_copy_;
};

// fills.cc: data whose elements are all equal, such as the output of ConstantOfShape or of Expand of a constant

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
  /// The node that produces the value; nullopt for an initializer. The value has the dimensions stored in
  /// `shape`, preceded by 1s if these are fewer than `rank`.
  std::optional<Node> maker = std::nullopt;
  const OrtValueInfo* shape = nullptr;
  std::int64_t rank = 0;
};

/// Returns nullopt unless the graph proves that the value's elements are equal and have 16, 32 or 64 bits.
std::optional<Filled> filled(const Api& api, const OrtValueInfo* value);

void fill(const MutableTensorView& output, Scalar scalar, Executor& executor);

/// The element that fills each base (the data of a scatter) in one session, by name; nullopt if branches differ.
class Fills {
 public:
  /// Called while graphs are examined. `scalar`: nullopt if the graph does not prove that the base has a fill.
  void note(const std::string& base, std::optional<Scalar> scalar);
  std::optional<Scalar> of(const std::string& base) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::optional<Scalar>> by_name_;
};

}  // namespace strew::ort
