// Parameters of kernels, without an element type; functions that launch the kernel for a type; and functions that
// several kernels share.
#pragma once

#include <array>
#include <cstdint>

#include "cuda/device.h"
#include "cuda/positions.h"
#include "cuda/queue.h"
#include "index/index_value.h"
#include "index/scan.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew::cuda {

/// Check of index tuples. `chosen` receives, for each tuple, the number that the tuple adds to the location
/// numbers of its positions (see Positions).
struct TupleCheck {
  const void* indices = nullptr;
  DType dtype = DType::kInt64;
  LoopNest<1> tuples;
  std::int64_t count = 0;
  std::int64_t component_stride = 0;
  std::int64_t components = 0;
  std::array<IndexComponent, kMaxRank> component;  ///< strides in location numbers
  std::int64_t origin = 0;                         ///< added so that no number is negative
  IndexRules rules;
  Numbers chosen;
  CallState* state = nullptr;
};
void check_tuples(Queue& queue, const TupleCheck& check);
/// Stores the bad value and its component for the error message, before later work can change the indices.
void note_bad_tuple(Queue& queue, const TupleCheck& check);

/// Check of the start positions of a TensorScatter. `chosen`, if set, receives `numbers` numbers per batch entry.
struct StartCheck {
  const void* starts = nullptr;  ///< nullptr: all are 0
  DType dtype = DType::kInt64;
  std::int64_t stride = 0;
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t capacity = 0;
  bool circular = false;
  std::int64_t numbers = 1;  ///< 1 (the first position only), or `length` if later positions may wrap to 0
  std::int64_t step = 0;     ///< stride of the indexed axis, in location numbers
  std::int64_t origin = 0;
  Numbers chosen;  ///< if not set, the kernel only checks
  CallState* state = nullptr;
};
void check_starts(Queue& queue, const StartCheck& check);

/// A move of units of 1, 2, 4, 8 or 16 bytes. All counts are in units.
struct Move {
  Positions at;
  bool scatters = false;  ///< false: gathers
  const void* from = nullptr;
  void* to = nullptr;
  Numbers winner;  ///< of a scatter: for each location number, 1 + its last position
  alignas(16) std::array<std::uint32_t, 4> fill = {};  ///< fill value of a gather, repeated to 16 bytes
  const CallState* state = nullptr;
};
void move_rows(Queue& queue, const Move& move, int unit_bytes);

/// True if gather_fused has a kernel for these index values.
bool has_fused_gather(const TupleCheck& check) noexcept;
/// Checks the indices and gathers the rows in one pass. If the call is rejected, the output is unspecified.
void gather_fused(Queue& queue, const Move& move, const TupleCheck& check, int unit_bytes);

/// A move of packed elements between dense tensors.
struct PackedMove {
  Positions at;
  int bits = 4;            ///< bits per element
  std::int64_t count = 0;  ///< number of elements of the output
  const std::uint8_t* data = nullptr;
  bool single = false;  ///< true if data are one repeated element
  const std::uint8_t* updates = nullptr;
  Numbers winner;  ///< if not set, the kernel copies data
  unsigned fill = 0;
  std::uint8_t* to = nullptr;
  const CallState* state = nullptr;
};
void gather_packed(Queue& queue, const PackedMove& move);
void scatter_packed(Queue& queue, const PackedMove& move);

/// Writes, for each location number that occurs, 1 + its last position. Other winners are unchanged.
void find_winners(Queue& queue, const Positions& at, const Numbers& winner);

struct Reduce {
  Positions at;
  Reduction reduction = Reduction::kAdd;
  DType dtype = DType::kFloat32;
  void* target = nullptr;
  const void* updates = nullptr;
  const CallState* state = nullptr;
};
/// True if combine_atomically has a kernel for this type and reduction.
bool has_atomic(DType dtype, Reduction reduction) noexcept;
void combine_atomically(Queue& queue, const Reduce& reduce);

/// Writes each position and its key: its location number, or `at.location_count` if the position is dropped.
void list_keys(Queue& queue, const Positions& at, const Numbers& key, const Numbers& position);

/// Runs of equal sorted keys, except the key `location_count`. list_runs writes the starts of the runs to `begin`
/// in any order; `run_count` must be 0 before the call.
struct Runs {
  Numbers key;
  std::int64_t count = 0;
  std::uint64_t location_count = 0;
  Numbers begin;
  std::uint64_t* run_count = nullptr;
};
void list_runs(Queue& queue, const Runs& runs);

/// Finds the first position, in row-major order, that has the same key as an earlier position.
void find_duplicate(Queue& queue, const Runs& runs, const Numbers& position, CallState* state);

/// Long runs of updates that are summed. One thread per column would delay the call, so fold_runs only lists these
/// runs. Many threads then fold each run, with the same bits as the left fold (exact_fold.cc).
struct HotRuns {
  std::int64_t from = 0;   ///< minimum number of updates in a long run, at least 2 * chunk; 0: no long runs
  std::int64_t chunk = 0;  ///< number of updates that one thread summarises
  std::uint64_t* count = nullptr;   ///< number of listed runs, initially 0
  std::uint64_t* bounds = nullptr;  ///< begin and end of each run
  void* summaries = nullptr;

  STREW_DEVICE bool takes(std::int64_t steps) const { return from > 0 && steps >= from; }
  template <class Thread>
  STREW_DEVICE void list(const Thread& t, std::int64_t begin, std::int64_t end) const {
    const std::uint64_t run = t.atomic_add(count, std::uint64_t{1});
    bounds[2 * run] = static_cast<std::uint64_t>(begin);
    bounds[2 * run + 1] = static_cast<std::uint64_t>(end);
  }
  /// Maximum number of long runs among `updates` updates.
  std::int64_t most(std::int64_t updates) const noexcept { return from == 0 ? 0 : updates / from; }
};

struct FoldCall {
  Reduce reduce;
  Runs runs;
  Numbers position;  ///< sorted by key
  bool widens = false;
  bool include_self = true;
  bool mean = false;
  bool scales = false;
  alignas(16) std::array<std::uint32_t, 4> alpha = {};
  bool packs = false;  ///< true if the sizes and addresses of rows are multiples of 16 bytes
  HotRuns hot;
};
void fold_runs(Queue& queue, const FoldCall& fold);

/// Folds the updates of each group of `steps` consecutive positions in order. Different groups must not share a
/// destination (see in_columns). Does not support means, wider accumulators or include_self = false.
void fold_columns(Queue& queue, const FoldCall& fold, std::int64_t steps);

/// Size of HotRuns::summaries in bytes for rows of `row` elements; 0 if the type or reduction has no summaries.
std::int64_t summary_bytes(DType dtype, bool widens, Reduction reduction, std::int64_t chunks, std::int64_t row);
/// Folds the runs that fold_runs listed.
void fold_hot_runs(Queue& queue, const FoldCall& call);

/// Returns the coordinate of a value that the rules accept, or kDroppedOffset if they drop it.
template <class Index>
STREW_DEVICE std::int64_t coordinate_of(Index value, std::int64_t extent, const IndexRules& rules) {
  if (in_range(value, extent, rules.negative_indices)) return from_front(value, extent);
  if (rules.out_of_bounds == OutOfBounds::kClip) return clipped(value, extent);
  if (rules.out_of_bounds == OutOfBounds::kWrap) return wrapped(value, extent);
  return kDroppedOffset;
}

/// The 16-byte unit of a move. Smaller units are integers.
struct alignas(16) Bytes16 {
  std::uint32_t word[4];
};

/// Returns the unit at column `c` of a row of fill values.
template <class Unit>
STREW_DEVICE Unit filled(const Move& move, std::int64_t c) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(move.fill.data());
  return *reinterpret_cast<const Unit*>(bytes + static_cast<std::size_t>(c) * sizeof(Unit) % 16);
}

/// Calls `visit` with a unit of `bytes` bytes.
template <class Visit>
void with_unit(int bytes, const Visit& visit) {
  if (bytes == 1) return visit(std::uint8_t());
  if (bytes == 2) return visit(std::uint16_t());
  if (bytes == 4) return visit(std::uint32_t());
  if (bytes == 8) return visit(std::uint64_t());
  visit(Bytes16());
}

}  // namespace strew::cuda
