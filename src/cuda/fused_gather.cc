// A gather that checks indices while it moves rows, and stores no location numbers. If an index is bad, the output
// is written nevertheless, which DeviceOptions::output_is_new permits.
#include "cuda/kernels.h"

namespace strew::cuda {
namespace {

// Each thread moves whole rows, with kAhead rows in flight.
template <class Unit, class Index>
struct GatherFused {
  static constexpr int kAhead = 4;
  Move move;
  const Index* indices;
  std::int64_t stride;
  IndexComponent component;
  std::int64_t origin;
  IndexRules rules;
  CallState* state;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    const auto* const from = static_cast<const Unit*>(move.from);
    auto* const to = static_cast<Unit*>(move.to);
    for (std::int64_t first = t.index(); first < move.at.count; first += t.step() * kAhead) {
      Positions::Location location[kAhead];
      Index value[kAhead];
      std::int64_t read[kAhead];
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        if (!within(t, first, j)) continue;
        location[j] = move.at[first + j * t.step()];
        value[j] = indices[location[j].tuple * stride];
      }
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        if (within(t, first, j)) read[j] = found(t, location[j], value[j]);
      }
      for (std::int64_t c = 0; c < move.at.row; ++c) {
        Unit some[kAhead] = {};
        STREW_UNROLL
        for (int j = 0; j < kAhead; ++j) {
          if (within(t, first, j)) some[j] = read[j] == kFill ? filled<Unit>(move, c) : from[read[j] + c];
        }
        STREW_UNROLL
        for (int j = 0; j < kAhead; ++j) {
          if (within(t, first, j)) to[location[j].position + c] = some[j];
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kFill = INT64_MIN;

  template <class Thread>
  STREW_DEVICE bool within(const Thread& t, std::int64_t first, int j) const {
    return first + j * t.step() < move.at.count;
  }
  // Returns the offset of the row that a value selects, or kFill. A bad value selects the first row.
  template <class Thread>
  STREW_DEVICE std::int64_t found(const Thread& t, const Positions::Location& at, Index value) const {
    std::int64_t number = at.number + origin;
    if (is_invalid(value, component.extent, rules)) {
      t.atomic_min(&state->first_bad, static_cast<std::uint64_t>(at.tuple));
      return move.at.offset(number);
    }
    const std::int64_t coordinate = coordinate_of(value, component.extent, rules);
    return coordinate == kDroppedOffset ? kFill : move.at.offset(number + coordinate * component.stride);
  }
};

template <class Index>
void launch_fused(Queue& queue, const Move& move, const TupleCheck& check, int unit_bytes) {
  const std::int64_t stride = check.tuples.inner_stride(0);
  with_unit(unit_bytes, [&](auto unit) {
    launch(queue, move.at.count,
           GatherFused<decltype(unit), Index>{move, static_cast<const Index*>(check.indices), stride,
                                              check.component[0], check.origin, check.rules, check.state});
  });
}

}  // namespace

bool has_fused_gather(const TupleCheck& check) noexcept {
  return check.components == 1 && check.tuples.rank <= 1 &&
         (check.dtype == DType::kInt32 || check.dtype == DType::kInt64);
}

void gather_fused(Queue& queue, const Move& move, const TupleCheck& check, int unit_bytes) {
  if (check.dtype == DType::kInt32) {
    launch_fused<std::int32_t>(queue, move, check, unit_bytes);
  } else {
    launch_fused<std::int64_t>(queue, move, check, unit_bytes);
  }
  note_bad_tuple(queue, check);
}

}  // namespace strew::cuda
