// The loops that all reductions share, compiled once for each instruction set. An operation `f` is a function
// object: f(T current, T update) -> T.
#if defined(STREW_COMBINE_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each inclusion by foreach_target.h
#ifdef STREW_COMBINE_INL_H
#undef STREW_COMBINE_INL_H
#else
#define STREW_COMBINE_INL_H
#endif

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kernel/combine_row-inl.h"
#include "kernel/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

/// Base of operations whose results have the same bits in any order, so that steps need not wait for each other.
struct InAnyOrder {};
template <class Operation>
concept AnyOrder = std::is_base_of_v<InAnyOrder, Operation>;

/// An operation may be split into step() and end(): end() canonicalises the result, once for each destination.
/// unfinished(a, b) returns true if end() would change `a` or `b`.
template <class Operation>
concept EndsOnce = requires {
  &Operation::end;
};

/// The updates: update i is at `offset[i]`, or at i if updates are contiguous (kFollow).
template <class T, bool kFollow>
struct Updates {
  const std::byte* from;
  const std::int64_t* offset;

  HWY_INLINE Updates from_on(std::int64_t i) const noexcept {
    return kFollow ? Updates{from + i * static_cast<std::int64_t>(sizeof(T)), nullptr} : Updates{from, offset + i};
  }
  HWY_INLINE T operator[](std::int64_t i) const noexcept {
    return load<T>(from + (kFollow ? i : offset[i]) * static_cast<std::int64_t>(sizeof(T)));
  }
};

constexpr std::int64_t kChunk = 8;

/// Folds the updates [i, i + kChunk) into a value.
template <class T, class Operation, class From>
HWY_INLINE T fold_chunk(T value, const From& update, std::int64_t i) {
  constexpr Operation f{};
  if constexpr (AnyOrder<Operation>) {
    const T left = f(f(update[i], update[i + 1]), f(update[i + 2], update[i + 3]));
    const T right = f(f(update[i + 4], update[i + 5]), f(update[i + 6], update[i + 7]));
    return f(value, f(left, right));
  } else {
    for (std::int64_t j = i; j < i + kChunk; ++j) {
      if constexpr (EndsOnce<Operation>) {
        value = f.step(value, update[j]);
      } else {
        value = f(value, update[j]);
      }
    }
    return value;
  }
}

/// Folds whole chunks from `begin` on, as long as all their offsets equal offset[begin], and returns their end.
/// The value stays in a register, since storing and loading it takes longer than the operation.
template <class T, class Operation, class From>
HWY_NOINLINE std::int64_t fold_run(std::byte* to, const std::int64_t* offset, std::int64_t begin,
                                   std::int64_t count, const From& update) {
  const std::int64_t here = offset[begin];
  std::byte* destination = to + here * static_cast<std::int64_t>(sizeof(T));
  T value = load<T>(destination);
  std::int64_t i = begin;
  for (; i + kChunk <= count; i += kChunk) {
    std::int64_t different = 0;
    for (std::int64_t j = 0; j < kChunk; ++j) different |= offset[i + j] ^ here;
    if (different != 0) break;
    value = fold_chunk<T, Operation>(value, update, i);
  }
  if (i == begin) return begin;
  if constexpr (EndsOnce<Operation>) value = Operation{}.end(value);
  store(destination, value);
  return i;
}

template <class T, class Operation>
HWY_NOINLINE void end_chunk(std::byte* to, const std::int64_t* offset) {
  for (std::int64_t j = 0; j < kChunk; ++j) {
    std::byte* destination = to + offset[j] * static_cast<std::int64_t>(sizeof(T));
    store(destination, Operation{}.end(load<T>(destination)));
  }
}

/// Folds a chunk of single elements. Testing one result takes as long as computing it, so for operations with
/// end(), two results are tested together. Hardly any chunk needs end().
template <class T, class Operation, class From>
HWY_INLINE void fold_places(std::byte* to, const std::int64_t* offset, const From& update) {
  constexpr Operation f{};
  const auto fold = [&](std::int64_t i) HWY_ATTR {
    std::byte* destination = to + offset[i] * static_cast<std::int64_t>(sizeof(T));
    T result;
    if constexpr (EndsOnce<Operation>) {
      result = f.step(load<T>(destination), update[i]);
    } else {
      result = f(load<T>(destination), update[i]);
    }
    store(destination, result);
    return result;
  };
  if constexpr (EndsOnce<Operation>) {
    bool unfinished = false;
    for (std::int64_t j = 0; j < kChunk; j += 2) {
      const T one = fold(j);
      unfinished |= f.unfinished(one, fold(j + 1));
    }
    if (unfinished) [[unlikely]]
      end_chunk<T, Operation>(to, offset);
  } else {
    for (std::int64_t j = 0; j < kChunk; ++j) fold(j);
  }
}

/// Folds single elements, one at each offset, in order.
template <class T, class Operation, class From>
HWY_INLINE void fold_elements(std::byte* to, const std::int64_t* offset, std::int64_t count, const From& update) {
  std::int64_t i = 0;
  while (i + kChunk <= count) {
    if (offset[i] == offset[i + kChunk - 1]) {
      const std::int64_t end = fold_run<T, Operation>(to, offset, i, count, update);
      if (end > i) {
        i = end;
        continue;
      }
    }
    fold_places<T, Operation>(to, offset + i, update.from_on(i));
    i += kChunk;
  }
  for (; i < count; ++i) {
    std::byte* destination = to + offset[i] * static_cast<std::int64_t>(sizeof(T));
    store(destination, Operation{}(load<T>(destination), update[i]));
  }
}

template <class T, class Operation>
void fold_element(std::byte* destination, const std::byte* update) {
  store(destination, Operation{}(load<T>(destination), load<T>(update)));
}

/// The loop of all kernels in builds without vectors, for elements of `width` bytes.
HWY_NOINLINE inline void combine_steps(void (*step)(std::byte*, const std::byte*), std::int64_t width,
                                       void* target, const void* source, const std::int64_t* target_offset,
                                       const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* destination = static_cast<std::byte*>(target) + target_offset[i] * width;
    const std::byte* update =
        static_cast<const std::byte*>(source) + (source_offset != nullptr ? source_offset[i] : i * row) * width;
    for (std::int64_t j = 0; j < row * width; j += width) step(destination + j, update + j);
  }
}

/// Base of operations on bits. Rows of all types are processed as rows of bytes, by one loop.
struct OnBits {
  using Tag = hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t>;
};
template <class Operation>
HWY_NOINLINE void fold_bytes(std::byte* destination, const std::byte* update, std::int64_t bytes) {
  fold_row<std::uint8_t, Operation>(destination, update, bytes);
}

/// A Kernel for rare types and operations: a left fold in the order of the offsets, rounded to T at each step. One
/// loop serves rows of any length.
template <class T, class Operation>
void combine_plainly(void* target, const void* source, const std::int64_t* target_offset,
                     const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  if constexpr (!kHasVectors) {
    combine_steps(&fold_element<T, Operation>, kWidth, target, source, target_offset, source_offset, count, row);
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      std::byte* destination = static_cast<std::byte*>(target) + target_offset[i] * kWidth;
      const std::byte* update =
          static_cast<const std::byte*>(source) + (source_offset != nullptr ? source_offset[i] : i * row) * kWidth;
      if (row == 1) {
        fold_element<T, Operation>(destination, update);
      } else if constexpr (std::is_base_of_v<OnBits, Operation>) {
        fold_bytes<Operation>(destination, update, row * kWidth);
      } else {
        fold_row<T, Operation>(destination, update, row);
      }
    }
  }
}

/// A Kernel with separate loops for single elements, for consecutive updates of one element and for rows of 2 to 4
/// elements. They are faster than combine_plainly, but take several times longer to compile.
template <class T, class Operation>
void combine_rows(void* target, const void* source, const std::int64_t* target_offset,
                  const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  if constexpr (!kHasVectors) {
    combine_plainly<T, Operation>(target, source, target_offset, source_offset, count, row);
  } else {
    auto* to = static_cast<std::byte*>(target);
    const auto* from = static_cast<const std::byte*>(source);
    if (row == 1 && source_offset == nullptr) {
      return fold_elements<T, Operation>(to, target_offset, count, Updates<T, true>{from, nullptr});
    }
    if (row == 1) {
      return fold_elements<T, Operation>(to, target_offset, count, Updates<T, false>{from, source_offset});
    }
    const auto fold_rows = [&](auto length) HWY_ATTR {
      for (std::int64_t i = 0; i < count; ++i) {
        // Target and source never overlap (the engine rejects that), so the compiler may vectorise.
        fold_row<T, Operation>(to + target_offset[i] * kWidth,
                               from + (source_offset != nullptr ? source_offset[i] : i * length) * kWidth, length);
      }
    };
    // Unrolled, since loop overhead would take longer than folding these few elements.
    if (row == 2) return fold_rows(std::integral_constant<std::int64_t, 2>());
    if (row == 3) return fold_rows(std::integral_constant<std::int64_t, 3>());
    if (row == 4) return fold_rows(std::integral_constant<std::int64_t, 4>());
    fold_rows(row);
  }
}

/// A reduction that a type supports, and its kernel.
template <class Function>
struct Case {
  Reduction reduction;
  Function kernel;
};

/// Returns the kernel of the matching case; nullptr if there is none.
template <class Function>
Function choose(Reduction reduction, std::initializer_list<Case<Function>> cases) noexcept {
  for (const auto& one : cases) {
    if (one.reduction == reduction) return one.kernel;
  }
  return nullptr;
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
