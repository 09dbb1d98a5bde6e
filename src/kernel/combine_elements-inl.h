// Folds single elements; compiled once for each instruction set. An operation `f` is a function object:
// f(T current, T update) -> T.
#if defined(STREW_COMBINE_ELEMENTS_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_COMBINE_ELEMENTS_INL_H
#undef STREW_COMBINE_ELEMENTS_INL_H
#else
#define STREW_COMBINE_ELEMENTS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE T load(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
HWY_INLINE void store(std::byte* address, T value) noexcept {
  std::memcpy(address, &value, sizeof value);
}

/// Base of operations whose results have the same bits in any order, so that steps need not wait for each other.
struct InAnyOrder {};
template <class Operation>
concept AnyOrder = std::is_base_of_v<InAnyOrder, Operation>;

/// An operation may be split into step() and end(). end() canonicalises the result of one or more steps.
/// unfinished(a, b) returns true if end() may change `a` or `b`.
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

/// Folds a chunk of single elements. If the operation has end(), tests two results at a time with unfinished(),
/// since testing a single result takes as long as computing it. Hardly any chunk needs end().
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

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
