// Checks index values, and converts index tuples and start positions to location numbers (see Positions).
#include "cuda/kernels.h"

namespace strew::cuda {
namespace {

template <class Index>
STREW_DEVICE std::int64_t tuple_at(const TupleCheck& check, std::int64_t i) {
  std::int64_t offset = 0;
  for (std::int64_t a = check.tuples.rank - 1; a >= 0; --a) {
    const auto axis = static_cast<std::size_t>(a);
    offset += i % check.tuples.extent[axis] * check.tuples.stride[axis][0];
    i /= check.tuples.extent[axis];
  }
  return offset;
}

struct CheckTuples {
  TupleCheck check;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    visit_index_type(check.dtype, [&](auto tag) {
      using Index = decltype(tag);
      for (std::int64_t i = t.index(); i < check.count; i += t.step()) {
        const std::uint64_t number = resolve<Index>(t, i);
        if (check.chosen.at != nullptr) check.chosen.set(i, number);
      }
    });
  }

  template <class Index, class Thread>
  STREW_DEVICE std::uint64_t resolve(const Thread& t, std::int64_t i) const {
    const auto* values = static_cast<const Index*>(check.indices);
    const std::int64_t first = tuple_at<Index>(check, i);
    std::int64_t number = check.origin;
    bool nowhere = false;
    for (std::int64_t c = 0; c < check.components; ++c) {
      const auto [extent, stride, _] = check.component[static_cast<std::size_t>(c)];
      const Index value = values[first + c * check.component_stride];
      if (is_invalid(value, extent, check.rules)) {
        t.atomic_min(&check.state->first_bad, static_cast<std::uint64_t>(i));
        return 0;
      }
      const std::int64_t coordinate = coordinate_of(value, extent, check.rules);
      nowhere = nowhere || coordinate == kDroppedOffset;
      if (!nowhere) number += coordinate * stride;
    }
    return nowhere ? check.chosen.nowhere() : static_cast<std::uint64_t>(number);
  }
};

struct NoteBadTuple {
  TupleCheck check;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    if (t.index() != 0 || check.state->first_bad == kNoPosition) return;
    visit_index_type(check.dtype, [&](auto tag) {
      using Index = decltype(tag);
      const auto* values = static_cast<const Index*>(check.indices);
      const std::int64_t first = tuple_at<Index>(check, static_cast<std::int64_t>(check.state->first_bad));
      for (std::int64_t c = 0; c < check.components; ++c) {
        const Index value = values[first + c * check.component_stride];
        if (!is_invalid(value, check.component[static_cast<std::size_t>(c)].extent, check.rules)) continue;
        check.state->component = static_cast<std::uint64_t>(c);
        check.state->value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        return;
      }
    });
  }
};

struct CheckStarts {
  StartCheck check;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    visit_index_type(check.dtype, [&](auto tag) {
      using Index = decltype(tag);
      const auto* starts = static_cast<const Index*>(check.starts);
      const std::int64_t items = check.chosen.at == nullptr ? check.batch : check.batch * check.numbers;
      for (std::int64_t i = t.index(); i < items; i += t.step()) {
        const std::int64_t b = check.chosen.at == nullptr ? i : i / check.numbers;
        const Index start = starts == nullptr ? Index{0} : starts[b * check.stride];
        const bool bad = is_invalid_start(start, check.capacity - check.length, check.circular);
        if (bad) t.atomic_min(&check.state->first_bad, static_cast<std::uint64_t>(b));
        if (check.chosen.at == nullptr) continue;
        std::uint64_t slot =
            bad ? 0 : static_cast<std::uint64_t>(start) % static_cast<std::uint64_t>(check.capacity);
        slot += static_cast<std::uint64_t>(i - b * check.numbers);
        if (slot >= static_cast<std::uint64_t>(check.capacity)) slot -= static_cast<std::uint64_t>(check.capacity);
        check.chosen.set(i,
                         static_cast<std::uint64_t>(check.origin + static_cast<std::int64_t>(slot) * check.step));
      }
    });
  }
};

struct NoteBadStart {
  StartCheck check;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    if (t.index() != 0 || check.state->first_bad == kNoPosition) return;
    visit_index_type(check.dtype, [&](auto tag) {
      const auto* starts = static_cast<const decltype(tag)*>(check.starts);
      const auto value = starts[static_cast<std::int64_t>(check.state->first_bad) * check.stride];
      check.state->value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    });
  }
};

}  // namespace

void check_tuples(Queue& queue, const TupleCheck& check) {
  launch(queue, check.count, CheckTuples{check});
  note_bad_tuple(queue, check);
}

void note_bad_tuple(Queue& queue, const TupleCheck& check) { launch(queue, 1, NoteBadTuple{check}); }

void check_starts(Queue& queue, const StartCheck& check) {
  launch(queue, check.chosen.at == nullptr ? check.batch : check.batch * check.numbers, CheckStarts{check});
  if (check.starts != nullptr) launch(queue, 1, NoteBadStart{check});
}

}  // namespace strew::cuda
