// Folds a row of elements into another row; compiled once for each instruction set.
#if defined(STREW_COMBINE_ROW_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each inclusion by foreach_target.h
#ifdef STREW_COMBINE_ROW_INL_H
#undef STREW_COMBINE_ROW_INL_H
#else
#define STREW_COMBINE_ROW_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

/// False in builds without vectors, such as the WebAssembly module. One plain loop then serves all rows, types and
/// operations through a function pointer, which keeps the build small.
constexpr bool kHasVectors = HWY_TARGET != HWY_SCALAR;

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

/// An operation that the compiler does not vectorise well provides `vectors(d, a, b)` for vectors of its `Tag`.
template <class Operation>
concept OnVectors = requires {
  typename Operation::Tag;
};

/// Loads `count` vectors, then folds and stores them. `store_others` stores the preceding vectors.
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

/// Number of vectors that are folded together: four cache lines, or fewer if registers are scarce. The cache
/// misses of these vectors overlap: a sum of 512 Ki rows of 256 bytes by 2 tasks takes 10.5 ms instead of 15.4 ms.
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

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
