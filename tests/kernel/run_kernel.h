// Runs a kernel on small arrays.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernel/kernel.h"

namespace strew {

/// Returns the target after the kernel has combined rows `target[target_at[i]]` and `source[i]`. Both arrays are
/// first copied to misaligned addresses, because kernels must not need alignment.
template <class T>
std::vector<T> run_kernel(Kernel kernel, std::vector<T> target, const std::vector<T>& source,
                          const std::vector<std::int64_t>& target_at, std::int64_t row = 1) {
  std::vector<std::byte> to(target.size() * sizeof(T) + 1);
  std::vector<std::byte> from(source.size() * sizeof(T) + 1);
  std::memcpy(to.data() + 1, target.data(), target.size() * sizeof(T));
  std::memcpy(from.data() + 1, source.data(), source.size() * sizeof(T));
  std::vector<std::int64_t> source_at;
  for (std::size_t i = 0; i < target_at.size(); ++i) source_at.push_back(static_cast<std::int64_t>(i) * row);
  kernel(to.data() + 1, from.data() + 1, target_at.data(), source_at.data(),
         static_cast<std::int64_t>(target_at.size()), row);
  std::memcpy(target.data(), to.data() + 1, target.size() * sizeof(T));
  return target;
}

}  // namespace strew
