// Indices that repeat along their last axes, as the graph proves it: what exporters make by Expand.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "node.h"
#include "tensors.h"

namespace strew::ort {

/// For how many of the last axes of this value the graph proves that all elements along them are equal.
std::int64_t repeated_axes(const Api& api, const OrtValueInfo* value);
/// The same for dense indices that are there to be read, of int32 or int64.
std::int64_t repeated_axes(const Tensor& indices);

/// A view with a stride of 0 along the repeated axes: fewer indices to read, and whole rows to move.
TensorView without_repetition(const Tensor& tensor, std::int64_t repeated);

/// Where the elements of a value come from. The rank is given where it is a copy: one of another rank is none.
struct Original {
  std::string name;
  std::optional<std::size_t> rank;
  bool operator==(const Original&) const = default;
};

/// What the kernels of one session agree on, by the name of a value. Branches of an If may use a name twice: then
/// nothing is agreed unless it is true of both.
class RepeatedValues {
 public:
  /// While the graph is looked at. Readers: how many kernels will read the value as repeated, where nobody else
  /// reads it.
  void note(const std::string& name, std::int64_t repeated, std::size_t readers);
  /// The first value is handed on as a copy of the second, which has so many axes.
  void note_copy(const std::string& copy, const std::string& original, std::size_t rank);

  /// While kernels are made: the value that this one is a copy of, or itself.
  Original original_of(const std::string& name) const;
  /// While kernels are made: along how many axes the value repeats.
  std::int64_t reader_made(const std::string& name);
  std::int64_t writer_made(const std::string& name);

  /// When kernels run: true if a kernel of Strew's writes the value, which checks that it repeats.
  bool is_written_here(const std::string& name) const;
  /// When kernels run: true if nobody reads more of the value than one element along the repeated axes.
  bool all_readers_agree(const std::string& name) const;

 private:
  struct Entry {
    std::int64_t repeated = 0;
    std::size_t readers = 0;
    std::size_t readers_made = 0;
    std::size_t writers_made = 0;
  };

  std::int64_t made(const std::string& name, std::size_t Entry::*count);

  mutable std::mutex mutex_;
  std::map<std::string, Entry> by_name_;
  std::map<std::string, Original> original_by_copy_;
};

}  // namespace strew::ort
