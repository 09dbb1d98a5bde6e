// The loops that all reductions share, compiled once for each instruction set. An operation `f` is a function
// object: f(T current, T update) -> T.
#if defined(STREW_COMBINE_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_COMBINE_INL_H
#undef STREW_COMBINE_INL_H
#else
#define STREW_COMBINE_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kernel/combine_elements-inl.h"
#include "kernel/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

/// False in builds without vectors, such as the WebAssembly module. One plain loop then serves all rows, types and
/// operations through a function pointer, which keeps the build small.
constexpr bool kHasVectors = HWY_TARGET != HWY_SCALAR;

/// An operation may provide `vectors(d, a, b)`, which applies it to vectors of its `Tag`.
template <class Operation>
concept OnVectors = requires {
  typename Operation::Tag;
};

/// Loads `count` vectors, and only then folds and stores them. Calls itself for all vectors but the first;
/// `store_others` folds and stores the vectors that the outer calls have loaded.
template <std::int64_t count, class Operation, class D, class Store>
HWY_INLINE void fold_together(D d, std::byte* HWY_RESTRICT destination, const std::byte* HWY_RESTRICT update,
                              const Store& store_others) {
  namespace hn = hwy::HWY_NAMESPACE;
  using Lane = hn::TFromD<D>;
  const auto current = hn::LoadU(d, reinterpret_cast<const Lane*>(destination));
  const auto term = hn::LoadU(d, reinterpret_cast<const Lane*>(update));
  const auto store_all = [&]() HWY_ATTR {
    store_others();
    hn::StoreU(Operation{}.vectors(d, current, term), d, reinterpret_cast<Lane*>(destination));
  };
  if constexpr (count > 1) {
    const std::size_t next = hn::Lanes(d) * sizeof(Lane);
    fold_together<count - 1, Operation>(d, destination + next, update + next, store_all);
  } else {
    store_all();
  }
}

/// The elements of a row that are still to be folded.
template <class T>
struct Rest {
  std::byte* HWY_RESTRICT destination;
  const std::byte* HWY_RESTRICT update;
  std::int64_t length;

  HWY_INLINE void drop(std::int64_t count) noexcept {
    destination += count * static_cast<std::int64_t>(sizeof(T));
    update += count * static_cast<std::int64_t>(sizeof(T));
    length -= count;
  }
};

/// Folds the rest of a row in ever smaller steps: `count` vectors of `d`, half as many, and so on down to one
/// vector, then one vector of half the width, and so on. Skips each step for which too few elements are left.
template <std::int64_t count, class Operation, class T, class D>
HWY_INLINE void fold_few(D d, Rest<T>& rest) {
  namespace hn = hwy::HWY_NAMESPACE;
  const std::int64_t length = count * static_cast<std::int64_t>(hn::Lanes(d));
  if (rest.length >= length) {
    fold_together<count, Operation>(d, rest.destination, rest.update, [] {});
    rest.drop(length);
  }
  if constexpr (count > 1) {
    fold_few<count / 2, Operation>(d, rest);
  } else if constexpr (!HWY_HAVE_SCALABLE && hn::MaxLanes(d) > 4) {
    fold_few<1, Operation>(hn::Half<D>(), rest);
  }
}

/// Number of vectors that are folded together: enough for four cache lines, or fewer if registers are scarce. The
/// cache misses overlap: a sum of 512 Ki rows of 256 bytes by 2 tasks takes 10.5 ms instead of 15.4 ms.
template <class D>
constexpr std::int64_t together() {
  constexpr auto kBytes =
      static_cast<std::int64_t>(hwy::HWY_NAMESPACE::MaxLanes(D()) * sizeof(hwy::HWY_NAMESPACE::TFromD<D>));
  return HWY_HAVE_SCALABLE ? 1 : HWY_MIN(HWY_MAX(256 / kBytes, 1), 8);
}

/// Folds `row` elements of `update` into `row` elements of `destination`.
template <class T, class Operation>
HWY_INLINE void fold_row(std::byte* HWY_RESTRICT destination, const std::byte* HWY_RESTRICT update,
                         std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  constexpr Operation f{};
  std::int64_t j = 0;
  if constexpr (kHasVectors && OnVectors<Operation>) {
    using Tag = typename Operation::Tag;
    constexpr std::int64_t kTogether = together<Tag>();
    const std::int64_t length = kTogether * static_cast<std::int64_t>(hwy::HWY_NAMESPACE::Lanes(Tag()));
    Rest<T> rest{destination, update, row};
    for (; rest.length >= length; rest.drop(length)) {
      fold_together<kTogether, Operation>(Tag(), rest.destination, rest.update, [] {});
    }
    fold_few<HWY_MAX(kTogether / 2, 1), Operation>(Tag(), rest);
    for (; rest.length > 0; rest.drop(1))
      store(rest.destination, f(load<T>(rest.destination), load<T>(rest.update)));
    j = row;
  }
  for (; j < row; ++j)
    store(destination + j * kWidth, f(load<T>(destination + j * kWidth), load<T>(update + j * kWidth)));
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
/// elements. These loops are faster than combine_plainly, but take several times longer to compile.
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
        // Target and source never overlap (the engine rejects overlap), so the compiler may vectorise.
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
