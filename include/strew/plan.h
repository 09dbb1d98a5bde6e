// Plans: one per operator call, proved legal from types, shapes and attributes alone; no data is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/executor.h"
#include "strew/export.h"
#include "strew/inline_vector.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {
class PlanBuilder;  // not exported
}

STREW_API_BEGIN
namespace strew {

/// How an update meets the value that is there. ONNX `reduction` up to kMin; models have no others.
enum class Reduction : std::uint8_t {
  kNone,
  kAdd,
  kMul,
  kMax,
  kMin,
  kSub,  ///< value - update: of numbers
  kDiv,  ///< value / update: of floats and complex numbers
  kAnd,  ///< bit by bit: of integers and bool, as kOr and kXor
  kOr,
  kXor,
  kMean,  ///< the sum, then one division by the number of its terms: of numbers
};

/// "none", "add", "mul", "max", "min", "sub", "div", "and", "or", "xor", "mean"; and back (nothing for any other
/// text).
std::string_view reduction_name(Reduction reduction) noexcept;
std::optional<Reduction> reduction_from_name(std::string_view name) noexcept;

/// Whether TensorScatter goes on at position 0 after the last one. ONNX `mode`.
enum class WriteMode : std::uint8_t { kLinear, kCircular };

/// "linear", "circular"; and back.
std::string_view write_mode_name(WriteMode mode) noexcept;
std::optional<WriteMode> write_mode_from_name(std::string_view name) noexcept;

/// What an index value outside its axis stands for. ONNX knows kError alone.
enum class OutOfBounds : std::uint8_t {
  kError,  ///< nothing: the call is refused
  kClip,   ///< the position next to it: the first or the last
  kWrap,   ///< the position modulo the length of the axis, as Python's %
  kFill,   ///< gathers: what is chosen by it becomes `fill_value`
  kDrop,   ///< scatters: its update is left out; for a tuple, if any component is outside
};

/// "error", "clip", "wrap", "fill", "drop"; and back.
std::string_view out_of_bounds_name(OutOfBounds rule) noexcept;
std::optional<OutOfBounds> out_of_bounds_from_name(std::string_view name) noexcept;

/// Whether a negative index value counts from the end of its axis, as ONNX has it, or is out of bounds.
enum class NegativeIndices : std::uint8_t { kFromEnd, kOutside };

/// "from_end", "outside"; and back.
std::string_view negative_indices_name(NegativeIndices rule) noexcept;
std::optional<NegativeIndices> negative_indices_from_name(std::string_view name) noexcept;

/// How index values are read. The defaults are ONNX's. On an axis without positions kClip and kWrap refuse every
/// index value, as kError does.
struct IndexRules {
  OutOfBounds out_of_bounds = OutOfBounds::kError;
  NegativeIndices negative_indices = NegativeIndices::kFromEnd;
  bool operator==(const IndexRules&) const = default;
};

/// In which type a reduction is computed.
enum class Accumulate : std::uint8_t {
  kData,     ///< that of data, rounded at each step, as ONNX has it
  kFloat32,  ///< data, updates and alpha are made float32, and the result is rounded once: for floats of 8 and 16
             ///< bits, which these are but for float8_e8m0fnu
};

/// "data", "float32"; and back.
std::string_view accumulate_name(Accumulate accumulate) noexcept;
std::optional<Accumulate> accumulate_from_name(std::string_view name) noexcept;

/// Attributes, with ONNX's names and defaults, and what ONNX has no word for. `fill_value` is one element of the
/// type of data, for OutOfBounds::kFill; left out, it is zero or the empty string. A plan keeps no values: whoever
/// runs one gives `fill_value` and `alpha` again, in Operands, and what is given there counts.
struct GatherParams {
  std::int64_t axis = 0;
  IndexRules rules = {};
  std::optional<TensorView> fill_value = std::nullopt;
};
struct GatherElementsParams {
  std::int64_t axis = 0;
  IndexRules rules = {};
  std::optional<TensorView> fill_value = std::nullopt;
};
struct GatherNDParams {
  std::int64_t batch_dims = 0;
  IndexRules rules = {};
  std::optional<TensorView> fill_value = std::nullopt;
};
/// Of scatters: where `include_self` is false, a reduction begins with the first update of an element instead of
/// its value in data; elements that no update reaches keep theirs. `alpha` is one element of the type of data by
/// which updates of a reduction are multiplied first, each product rounded.
struct ScatterElementsParams {
  std::int64_t axis = 0;
  Reduction reduction = Reduction::kNone;
  IndexRules rules = {};
  bool include_self = true;
  Accumulate accumulate = Accumulate::kData;
  std::optional<TensorView> alpha = std::nullopt;
};
struct ScatterNDParams {
  Reduction reduction = Reduction::kNone;
  IndexRules rules = {};
  bool include_self = true;
  Accumulate accumulate = Accumulate::kData;
  std::optional<TensorView> alpha = std::nullopt;
};
struct TensorScatterParams {
  std::int64_t axis = -2;
  WriteMode mode = WriteMode::kLinear;
};

/// Type and shape of an operand: all that a plan needs to know of it.
struct TensorSpec {
  DType dtype;
  Shape shape;
  TensorSpec(DType element_type, Shape dims) : dtype(element_type), shape(std::move(dims)) {}
  TensorSpec(const TensorView& view) : dtype(view.dtype()), shape(view.shape()) {}
  TensorSpec(const Tensor& tensor) : dtype(tensor.dtype()), shape(tensor.shape()) {}
};

enum class OpKind : std::uint8_t {
  kGather,
  kGatherElements,
  kGatherND,
  kScatterElements,
  kScatterND,
  kTensorScatter,
};

/// "gather", "scatter_nd", ...: the name that messages start with.
std::string_view op_name(OpKind op) noexcept;

/// One axis of the loop over positions, in row-major order. It says which axis of each operand moves along
/// with it; -1 where none does. The position operand is the output of a gather and the updates of a scatter.
struct LoopAxis {
  std::int64_t extent;
  std::int64_t data_axis;
  std::int64_t position_axis;
  std::int64_t index_axis;
};

using LoopAxes = detail::InlineVector<LoopAxis, 8>;

/// A legal call of one operator. Only the `make_..._plan` functions make one, so whoever holds a plan knows
/// that ranks, shapes, types, attributes and sizes agree and that no product overflows.
class Plan {
 public:
  OpKind op() const noexcept { return op_; }
  bool is_scatter() const noexcept { return op_ >= OpKind::kScatterElements; }
  /// GatherElements and ScatterElements: an index for each element.
  bool by_elements() const noexcept { return op_ == OpKind::kGatherElements || op_ == OpKind::kScatterElements; }
  DType dtype() const noexcept { return data_.dtype; }
  Reduction reduction() const noexcept { return reduction_; }
  bool include_self() const noexcept { return include_self_; }
  Accumulate accumulate() const noexcept { return accumulate_; }
  /// Whether updates are multiplied by an alpha.
  bool scales() const noexcept { return scales_; }
  /// Whether the plan was made with a fill_value.
  bool has_fill_value() const noexcept { return has_fill_value_; }
  WriteMode mode() const noexcept { return mode_; }
  const IndexRules& rules() const noexcept { return rules_; }
  const TensorSpec& data() const noexcept { return data_; }
  const TensorSpec& indices() const noexcept { return indices_; }
  /// Whether `indices` is an operand; false only for TensorScatter without write_indices.
  bool has_indices() const noexcept { return has_indices_; }
  /// Shape of the updates of a scatter, or of the output of a gather.
  const Shape& position_shape() const noexcept { return position_shape_; }
  const Shape& output_shape() const noexcept { return is_scatter() ? data_.shape : position_shape_; }
  TensorSpec output() const { return {data_.dtype, output_shape()}; }
  /// The axes of `data` that index values choose a position on, first tuple component first.
  const Shape& indexed_axes() const noexcept { return indexed_axes_; }
  /// True if the last axis of `indices` runs over the tuple components (GatherND, ScatterND).
  bool tuples() const noexcept { return tuples_; }
  const LoopAxes& loop() const noexcept { return loop_; }
  /// Elements of data, of the positions and of indices.
  std::int64_t data_count() const noexcept { return data_count_; }
  std::int64_t position_count() const noexcept { return position_count_; }
  std::int64_t index_count() const noexcept { return index_count_; }
  /// How many rows index tuples choose, where nothing else moves in `data`: then tuple i is the i-th group of
  /// indices and chooses along the leading axes, and a row is what lies behind those. -1 for any other plan.
  std::int64_t row_count() const noexcept { return row_count_; }

 private:
  friend class PlanBuilder;
  Plan(OpKind op, TensorSpec data, TensorSpec indices)
      : op_(op), data_(std::move(data)), indices_(std::move(indices)) {}

  OpKind op_;
  Reduction reduction_ = Reduction::kNone;
  bool include_self_ = true;
  Accumulate accumulate_ = Accumulate::kData;
  bool scales_ = false;
  bool has_fill_value_ = false;
  WriteMode mode_ = WriteMode::kLinear;
  IndexRules rules_;
  bool has_indices_ = true;
  bool tuples_ = false;
  TensorSpec data_;
  TensorSpec indices_;
  Shape position_shape_;
  Shape indexed_axes_;
  LoopAxes loop_;
  std::int64_t data_count_ = 0;
  std::int64_t position_count_ = 0;
  std::int64_t index_count_ = 0;
  std::int64_t row_count_ = -1;
};

/// ONNX Gather-13. Output: data.shape[:axis] ++ indices.shape ++ data.shape[axis+1:].
Result<Plan> make_gather_plan(const TensorSpec& data, const TensorSpec& indices, const GatherParams& params = {});

/// ONNX GatherElements-13. Output: indices.shape, whose dimensions off the axis may not pass those of data.
Result<Plan> make_gather_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                       const GatherElementsParams& params = {});

/// ONNX GatherND-13. Output: indices.shape[:-1] ++ data.shape[batch_dims + indices.shape[-1]:].
Result<Plan> make_gather_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                 const GatherNDParams& params = {});

/// ONNX ScatterElements-18 (and Scatter-11, which has no reduction). updates.shape equals indices.shape.
Result<Plan> make_scatter_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                        const TensorSpec& updates, const ScatterElementsParams& params = {});

/// ONNX ScatterND-18. updates.shape equals indices.shape[:-1] ++ data.shape[indices.shape[-1]:].
Result<Plan> make_scatter_nd_plan(const TensorSpec& data, const TensorSpec& indices, const TensorSpec& updates,
                                  const ScatterNDParams& params = {});

/// ONNX TensorScatter-24. `write_indices` has shape [batch] and may be left out (all zero).
Result<Plan> make_tensor_scatter_plan(const TensorSpec& past_cache, const TensorSpec& update,
                                      const std::optional<TensorSpec>& write_indices,
                                      TensorScatterParams params = {});

/// How the loop of a call is cut into tasks. Every strategy gives the same bits.
enum class StrategyKind : std::uint8_t {
  kSerial,          ///< one task
  kSplitPositions,  ///< tasks own parts of an axis (or of the rows) that no index value moves
  kCopyBlocks,      ///< scatter: as kSplitPositions, copying data block by block and updating each in the cache
  kPartition,       ///< scatter: updates are sorted by blocks of the destination, which tasks own
  kPrivateCopy,     ///< scatter: one task updates a copy of data in the cache, which is then written out
};

/// As "split_positions" for kSplitPositions; and back.
std::string_view strategy_name(StrategyKind kind) noexcept;
std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept;

class CheckedIndices;

/// How a call is run. Rarely written; results never depend on it.
struct Options {
  /// Who runs the tasks; nullptr stands for `default_executor()`.
  Executor* executor = nullptr;
  /// Report two plain assignments to one place as an error instead of letting the last one win.
  bool reject_duplicates = false;
  /// Use this strategy, or fail with kUnsupported where it does not apply. For tests and measurements.
  std::optional<StrategyKind> force_strategy = std::nullopt;
  /// Bytes of memory that a strategy may work in: one that needs more is passed over for the next best, or refused
  /// where it is forced. docs/design.md says what each needs.
  std::int64_t scratch_limit = std::int64_t{1} << 30;
  /// Nobody needs what is in the output: on an error it may have been written to. Index values are then read once
  /// instead of twice where that pays. An output that is `data` (in place) is never new.
  bool output_is_new = false;
  /// What `check_indices` said of these indices: they are not checked again.
  const CheckedIndices* checked_indices = nullptr;
};

/// What would be done and why.
struct Strategy {
  StrategyKind kind = StrategyKind::kSerial;
  std::int64_t task_count = 1;
  std::string_view reason;  ///< one sentence
};

/// The operands of a plan. `updates` is not used by gathers; `indices` not by a plan without indices.
struct Operands {
  TensorView data;
  std::optional<TensorView> indices = std::nullopt;
  std::optional<TensorView> updates = std::nullopt;
  /// Of a gather with OutOfBounds::kFill: one element of the type of data; left out, zero or the empty string. A
  /// plan that was made with one is refused without.
  std::optional<TensorView> fill_value = std::nullopt;
  /// Of a scatter whose plan was made with one: one element of the type of data.
  std::optional<TensorView> alpha = std::nullopt;
};

/// Runs a plan into `output`, which for a scatter may be `data` itself (in place). Any other overlap of
/// output and operands is refused. All indices are checked before the first write to it; on an
/// error the output is untouched (docs/semantics.md has the exceptions, Options::output_is_new among them). The
/// specs of the operands must be those of the plan.
Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output,
           const Options& options = {});

/// Addresses of dense operands: nullptr where Operands leaves them out.
struct DenseOperands {
  const void* data;
  const void* indices = nullptr;
  const void* updates = nullptr;
  const void* fill_value = nullptr;
  const void* alpha = nullptr;
};

/// The same for operands and an output that are dense and have the types and shapes that the plan was made from,
/// which cannot be checked here: a small call costs no more than its work.
Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options = {});

}  // namespace strew
STREW_API_END
