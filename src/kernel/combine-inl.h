// The loop that all reductions share, for one instruction set after the other. An operation `f` is a function
// object: f(T current, T update) -> T.
#if defined(STREW_COMBINE_INL_H) == \
    defined(HWY_TARGET_TOGGLE)  // once for each time that foreach_target.h includes
#ifdef STREW_COMBINE_INL_H
#undef STREW_COMBINE_INL_H
#else
#define STREW_COMBINE_INL_H
#endif

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kernel/combine_row-inl.h"
#include "kernel/either.h"
#include "kernel/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

/// An operation that gives the same bits in any order derives from this: its steps need not wait for each other.
struct InAnyOrder {};
template <class Operation>
concept AnyOrder = std::is_base_of_v<InAnyOrder, Operation>;

/// One whose last step alone, of all into one destination, must see to its result's bits has `step` and `end`, and
/// `unfinished(a, b)`, which is true where `end` would change one of two results.
template <class Operation>
concept EndsOnce = requires {
  &Operation::end;
};

/// The update of each offset; `offset` is nullptr where they follow each other.
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

/// Folds a chunk of updates from `i` on into a value.
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

/// Folds the chunks from `begin` on whose offsets are all that of the first, and returns where they end. A value
/// that is stored and loaded again takes longer than the operation: here it stays in a register.
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

/// Ends what the steps of a chunk have left at its destinations.
template <class T, class Operation>
HWY_NOINLINE void end_chunk(std::byte* to, const std::int64_t* offset) {
  for (std::int64_t j = 0; j < kChunk; ++j) {
    std::byte* destination = to + offset[j] * static_cast<std::int64_t>(sizeof(T));
    store(destination, Operation{}.end(load<T>(destination)));
  }
}

/// Folds a chunk of single elements. To look at the result of each step takes as long as the step: of those that
/// end once two are looked at together, and hardly any chunk needs more.
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

/// Folds single elements, one for each offset, in order.
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

/// Folds one element into another.
template <class T, class Operation>
void fold_element(std::byte* destination, const std::byte* update) {
  store(destination, Operation{}(load<T>(destination), load<T>(update)));
}

/// What each Kernel without vectors does, of elements of `width` bytes.
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

/// A Kernel: a left fold in the order of the offsets, rounded to T at each step.
template <class T, class Operation>
void combine_rows(void* target, const void* source, const std::int64_t* target_offset,
                  const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  if constexpr (!kHasVectors) {
    combine_steps(&fold_element<T, Operation>, kWidth, target, source, target_offset, source_offset, count, row);
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
        // Target and source never overlap: the engine rejected that, so the compiler may vectorise.
        fold_row<T, Operation>(to + target_offset[i] * kWidth,
                               from + (source_offset != nullptr ? source_offset[i] : i * length) * kWidth, length);
      }
    };
    // So few elements take less time than a loop over them.
    if (row == 2) return fold_rows(std::integral_constant<std::int64_t, 2>());
    if (row == 3) return fold_rows(std::integral_constant<std::int64_t, 3>());
    if (row == 4) return fold_rows(std::integral_constant<std::int64_t, 4>());
    fold_rows(row);
  }
}

/// A BeginningKernel.
template <class T, class Operation, bool kFollow>
HWY_INLINE void begin_elements(std::byte* to, const std::int64_t* offset, std::int64_t count,
                               const Updates<T, kFollow>& update, CountsAt<std::uint8_t> reached) {
  constexpr Operation f{};
  for (std::int64_t i = 0; i < count; ++i) {
    std::byte* destination = to + offset[i] * static_cast<std::int64_t>(sizeof(T));
    std::uint8_t& mark = reached.updates[(reached.origin + offset[i]) >> reached.unit];
    const T term = update[i];
    store(destination, either(mark == 0, term, f(load<T>(destination), term)));
    mark = 1;
  }
}
template <class T, class Operation>
void begin_or_combine(void* target, const void* source, const std::int64_t* target_offset,
                      const std::int64_t* source_offset, std::int64_t count, CountsAt<std::uint8_t> reached) {
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  if (source_offset == nullptr) {
    begin_elements<T, Operation>(to, target_offset, count, Updates<T, true>{from, nullptr}, reached);
  } else {
    begin_elements<T, Operation>(to, target_offset, count, Updates<T, false>{from, source_offset}, reached);
  }
}

/// A reduction that a type has.
template <class Function>
struct Case {
  Reduction reduction;
  Function kernel;
};

/// The kernel of one of the cases; nullptr where it is none of them.
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
