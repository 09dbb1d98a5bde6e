// A limit on the memory of a model's structs, and functions that append to their lists within it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "onnx/wire.h"

namespace strew {

// Limits the memory of a model's structs: 2 bytes of a file can produce a node struct of several hundred bytes.
class MemoryBudget {
 public:
  Status take(std::size_t bytes) {
    if (bytes > left_) {
      return fail(ErrorCode::kUnsupported, "its nodes, names and types take more than ", kLargestGraph, " bytes");
    }
    left_ -= bytes;
    return {};
  }

 private:
  static constexpr std::size_t kLargestGraph = std::size_t{64} << 20;
  std::size_t left_ = kLargestGraph;
};

// Reads the sub-message of a field with `read` and appends the result to `to`.
template <class T>
Status append(const WireField& field, std::vector<T>& to, MemoryBudget& budget,
              Result<T> (*read)(std::span<const std::byte>, MemoryBudget&)) {
  std::span<const std::byte> message;
  STREW_TRY(budget.take(sizeof(T)));
  STREW_TRY(field.read(message));
  STREW_ASSIGN(auto&& value, read(message, budget));
  to.push_back(std::move(value));
  return {};
}

// Appends a string or the bytes of a message.
template <class T>
Status append(const WireField& field, std::vector<T>& to, MemoryBudget& budget) {
  STREW_TRY(budget.take(sizeof(T) + field.bytes.size() * std::is_same_v<T, std::string>));
  return field.read(to.emplace_back());
}

template <class T>
Status append_values(const WireField& field, std::vector<T>& to, MemoryBudget& budget) {
  STREW_ASSIGN(const auto& count, field.value_count<T>());
  STREW_TRY(budget.take(static_cast<std::size_t>(count) * sizeof(T)));
  return field.for_each_value<T>([&](T value) { to.push_back(value); });
}

}  // namespace strew
