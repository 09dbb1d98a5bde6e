// The kernels' launchers: parameters that know no element type, and one function each that finds the kernel for
// them.
#pragma once

#include <array>
#include <cstdint>

#include "cuda/positions.h"
#include "cuda/queue.h"
#include "index/scan.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew::cuda {

// ---- index values ----

/// Tuples of index values; `chosen` gets what each adds to the number of a destination.
struct TupleCheck {
  const void* indices = nullptr;
  DType dtype = DType::kInt64;
  LoopNest<1> tuples;
  std::int64_t count = 0;
  std::int64_t component_stride = 0;
  std::int64_t components = 0;
  std::array<IndexComponent, kMaxRank> component;  ///< strides in numbers
  std::int64_t origin = 0;                         ///< added, so that no number is negative
  IndexRules rules;
  Numbers chosen;
  CallState* state = nullptr;
};
void check_tuples(Queue& queue, const TupleCheck& check);
/// What the text of an error needs, where one is bad.
void note_bad_tuple(Queue& queue, const TupleCheck& check);

/// The start positions of a TensorScatter; `chosen` gets `numbers` of each batch, where any.
struct StartCheck {
  const void* starts = nullptr;  ///< nullptr: all are 0
  DType dtype = DType::kInt64;
  std::int64_t stride = 0;
  std::int64_t batch = 0;
  std::int64_t length = 0;
  std::int64_t capacity = 0;
  bool circular = false;
  std::int64_t numbers = 1;  ///< of a batch: of its first step, or of all steps, which may go on at 0
  std::int64_t step = 0;     ///< in numbers
  std::int64_t origin = 0;
  Numbers chosen;  ///< none: they are only checked
  CallState* state = nullptr;
};
void check_starts(Queue& queue, const StartCheck& check);

// ---- moves ----

/// Of elements of 1, 2, 4, 8 or 16 bytes, in which everything is counted.
struct Move {
  Positions at;
  bool scatters = false;  ///< else from data to positions
  const void* from = nullptr;
  void* to = nullptr;
  Numbers winner;                                      ///< of scatters: by number, the last position + 1
  alignas(16) std::array<std::uint32_t, 4> fill = {};  ///< what a gather writes for nowhere, again and again
  const CallState* state = nullptr;
};
void move_rows(Queue& queue, const Move& move, int unit_bytes);

/// Whether gather_fused has a kernel for these index values.
bool has_fused_gather(const TupleCheck& check) noexcept;
/// A gather whose positions have no numbers of tuples yet: they are checked on the way. The output of one that is
/// rejected holds anything.
void gather_fused(Queue& queue, const Move& move, const TupleCheck& check, int unit_bytes);

/// Of elements that share bytes, which are dense on both sides.
struct PackedMove {
  Positions at;
  int bits = 4;            ///< of an element
  std::int64_t count = 0;  ///< elements of the output
  const std::uint8_t* data = nullptr;
  bool single = false;  ///< data are one element
  const std::uint8_t* updates = nullptr;
  Numbers winner;  ///< none: data are copied
  unsigned fill = 0;
  std::uint8_t* to = nullptr;
  const CallState* state = nullptr;
};
void gather_packed(Queue& queue, const PackedMove& move);
void scatter_packed(Queue& queue, const PackedMove& move);

/// The last position of each number that any has, plus 1. The winners of others stay as they are.
void find_winners(Queue& queue, const Positions& at, const Numbers& winner);

// ---- reductions ----

struct Reduce {
  Positions at;
  Reduction reduction = Reduction::kAdd;
  DType dtype = DType::kFloat32;
  void* target = nullptr;
  const void* updates = nullptr;
  const CallState* state = nullptr;
};
/// Whether combine_atomically has a kernel.
bool has_atomic(DType dtype, Reduction reduction) noexcept;
void combine_atomically(Queue& queue, const Reduce& reduce);

/// Numbers of all positions, and the positions; one that goes nowhere has the number `at.location_count`.
void list_keys(Queue& queue, const Positions& at, const Numbers& key, const Numbers& position);

/// Where runs of equal keys begin in sorted keys, in any order; those equal to `location_count` are left out.
/// `run_count` is 0 at first.
struct Runs {
  Numbers key;
  std::int64_t count = 0;
  std::uint64_t location_count = 0;
  Numbers begin;
  std::uint64_t* run_count = nullptr;
};
void list_runs(Queue& queue, const Runs& runs);

/// The first position, in row-major order, whose key an earlier one has.
void find_duplicate(Queue& queue, const Runs& runs, const Numbers& position, CallState* state);

/// Runs of sums that are so long that one thread for each column would take longer than all others: they are
/// listed, and folded by many with the same bits (exact_fold.cc).
struct HotRuns {
  std::int64_t from = 0;            ///< steps of a long run, at least two chunks; 0: none is long
  std::int64_t chunk = 0;           ///< updates that a thread summarises
  std::uint64_t* count = nullptr;   ///< of those listed, 0 at first
  std::uint64_t* bounds = nullptr;  ///< begin and end of each
  void* summaries = nullptr;

  STREW_DEVICE bool takes(std::int64_t steps) const { return from > 0 && steps >= from; }
  template <class Thread>
  STREW_DEVICE void list(const Thread& t, std::int64_t begin, std::int64_t end) const {
    const std::uint64_t run = t.atomic_add(count, std::uint64_t{1});
    bounds[2 * run] = static_cast<std::uint64_t>(begin);
    bounds[2 * run + 1] = static_cast<std::uint64_t>(end);
  }
  /// Runs that `updates` may hold.
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
  bool packs = false;  ///< rows are whole 16 bytes, at addresses of such
  HotRuns hot;
};
void fold_runs(Queue& queue, const FoldCall& fold);

/// Every `steps` positions that follow each other are all that may have the same destination, and are folded in
/// order. Of plain reductions, which have neither counts nor another type to fold in.
void fold_columns(Queue& queue, const FoldCall& fold, std::int64_t steps);

/// Bytes of HotRuns::summaries for rows of so many elements; 0 where a reduction has none.
std::int64_t summary_bytes(DType dtype, bool widens, Reduction reduction, std::int64_t chunks, std::int64_t row);
/// The runs that fold_runs has listed.
void fold_hot_runs(Queue& queue, const FoldCall& call);

}  // namespace strew::cuda
