// The operators on a CUDA device, with the bits of the CPU. Plain C++: no header of CUDA is needed to include
// this. The library is strew_cuda. Not yet run on a device: see docs/cuda.md.
//
// Adds three numbers to places of four, all in device memory:
//
//   auto plan = strew::make_scatter_nd_plan({kFloat32, {4}}, {kInt64, {3, 1}}, {kFloat32, {3}},
//                                           {.reduction = strew::Reduction::kAdd});
//   strew::cuda::Operands operands{{data, kFloat32, {4}}};
//   operands.indices.emplace(indices, kInt64, strew::Shape{3, 1});
//   operands.updates.emplace(updates, kFloat32, strew::Shape{3});
//   strew::Status status = strew::cuda::run(*plan, operands, {data, kFloat32, {4}});
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/shape.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew::cuda {

/// A tensor in device memory that is only read: as TensorView, but another type, so that no device address gets to
/// a function that reads on the host. Strides are in elements. An address must be a multiple of the element's
/// bytes (of a complex number's part).
class DeviceView {
 public:
  /// A dense row-major tensor.
  DeviceView(const void* data, DType dtype, Shape shape) : view_(data, dtype, std::move(shape)) {}
  DeviceView(const void* data, DType dtype, Shape shape, Shape strides)
      : view_(data, dtype, std::move(shape), std::move(strides)) {}

  const void* data() const noexcept { return view_.data(); }
  DType dtype() const noexcept { return view_.dtype(); }
  const Shape& shape() const noexcept { return view_.shape(); }

 private:
  friend struct Unwrap;  // not exported
  TensorView view_;
};

/// A DeviceView that may be written.
class MutableDeviceView : public DeviceView {
 public:
  MutableDeviceView(void* data, DType dtype, Shape shape)
      : DeviceView(data, dtype, std::move(shape)), mutable_data_(data) {}
  MutableDeviceView(void* data, DType dtype, Shape shape, Shape strides)
      : DeviceView(data, dtype, std::move(shape), std::move(strides)), mutable_data_(data) {}

  void* data() const noexcept { return mutable_data_; }

 private:
  void* mutable_data_;
};

/// As strew::Operands, in device memory.
struct Operands {
  DeviceView data;
  std::optional<DeviceView> indices = std::nullopt;
  std::optional<DeviceView> updates = std::nullopt;
};

/// How a call is done. Every strategy that applies gives the same bits.
enum class DeviceStrategy : std::uint8_t {
  kGatherFused,  ///< gathers of single elements into a new output: indices are checked while elements are copied
  kGather,       ///< gathers: indices are checked, then rows are copied
  kLastWins,     ///< scatters without a reduction: positions race for a place by their number, then the last one's
                 ///< row moves
  kAtomic,       ///< reductions whose order changes no bit, of 4 and 8 bytes: atomic operations
  kSortFold,     ///< all reductions: positions are sorted by place, stable, and each place folds its own in order
  kColumns,  ///< reductions without counts or another type to fold in: a thread takes all updates that may meet in
             ///< its element, in order
};

/// "device_gather_fused", "device_gather", "device_last_wins", "device_atomic", "device_sort_fold",
/// "device_columns"; and back (nothing for any other text).
std::string_view device_strategy_name(DeviceStrategy strategy) noexcept;
std::optional<DeviceStrategy> device_strategy_from_name(std::string_view name) noexcept;

class CheckedIndices;
class DeferredErrors;

struct DeviceOptions {
  /// A cudaStream_t; nullptr is the default stream.
  void* stream = nullptr;
  /// Device memory to work in, at a multiple of 256 bytes and as much as `explain` says; nullptr: as much is
  /// allocated in the order of the stream.
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  /// A call that needs more device memory to work in than `scratch_bytes` is refused.
  Limits limits = {};
  bool reject_duplicates = false;
  /// Nobody has seen the output, nor looks at it where the call is refused, which then holds anything: a gather
  /// may read indices once.
  bool output_is_new = false;
  /// Use this strategy, or fail with kUnsupported where it does not apply.
  std::optional<DeviceStrategy> force_strategy = std::nullopt;
  /// Takes the tickets of calls to `run`, which then do not wait.
  DeferredErrors* deferred = nullptr;
  /// What `check_indices` made of these indices: where it applies, they are not read again.
  const CheckedIndices* checked_indices = nullptr;
};

/// What will be known of a call when its stream has got there.
class Ticket {
 public:
  /// Whether the call was captured into a graph. Nobody can wait for that: wait for the stream that the graph was
  /// launched in, then ask.
  bool captured() const;
  /// Whether the stream has got there; of a captured call, whether a launch of the graph ever has.
  bool ready() const;
  /// Waits for it: success, or why the call was refused and wrote nothing. Of a captured call what its last launch
  /// said, without waiting; kInvalidArgument before the first.
  [[nodiscard]] Status wait() const;

 private:
  friend struct TicketMaker;  // not exported
  struct Call;
  std::shared_ptr<const Call> call_;
};

/// Tickets that somebody will look at later. For one thread and one stream at a time.
class DeferredErrors {
 public:
  void add(Ticket ticket) { tickets_.push_back(std::move(ticket)); }
  /// The first refusal among the calls that the stream has finished; these are forgotten. Of captured calls, which
  /// are never forgotten, among what their last launches said.
  [[nodiscard]] Status poll() { return take(false); }
  /// Waits for all calls; the first refusal.
  [[nodiscard]] Status wait() { return take(true); }

 private:
  [[nodiscard]] Status take(bool wait);
  std::vector<Ticket> tickets_;
};

struct Kept;  // not exported

/// Index values that were checked once, and what was made of them, in device memory of its own: the places that
/// they address, and for a scatter who wins these or the positions sorted by them. Give it to calls as
/// `DeviceOptions::checked_indices`: where it applies they do not read the indices again, whose memory may hold
/// anything by then, and only move or fold; anywhere else it is as if it were not there. Copies share the memory,
/// which is released with the last of them: by then every stream must have finished the calls that use it.
class CheckedIndices {
 public:
  /// True for the same view of indices (address, type, shape and strides), the same rules, and data of the same
  /// extents along the axes that are addressed, where operands are dense, and for other operands whose places are
  /// numbered alike, as those of rows with gaps behind them are. Rows may have another length and type. False for
  /// every TensorScatter. `explain` says it of a call.
  bool applies_to(const Plan& plan, const DeviceView& indices) const;
  /// Device memory that it holds.
  std::int64_t device_bytes() const noexcept;

 private:
  friend struct Unwrap;  // not exported
  explicit CheckedIndices(std::shared_ptr<const Kept> kept);
  std::shared_ptr<const Kept> kept_;
};

/// Whether there are a driver and a device that the kernels were compiled for. Never fails.
bool available() noexcept;

/// Success where `available` is true, else why it is not: kUnsupported, or kDevice for what CUDA has against it.
[[nodiscard]] Status check_available();

/// Puts a call into the stream, without waiting for it. `output` may be the data of a scatter (in place). An index
/// value that is refused is found on the device: then no kernel of the call writes to the output, and the ticket
/// says what `strew::run` would. All memory must stay until the stream has got there; views need not.
///
/// A call may be captured into a CUDA graph (cudaStreamBeginCapture, in any mode): nothing waits and nothing is
/// allocated that a capture forbids. Each launch then reads the operands anew and is refused, or not, by itself.
/// What DeviceOptions::checked_indices know is of the time of capture. Memory to work in is part of the graph
/// where DeviceOptions::workspace gives none. All memory, and kept indices, must stay as long as the graph; of
/// each captured call 48 bytes of host memory are never freed.
///
/// kDevice says which call to CUDA failed, and how; also where a kernel of somebody else did.
[[nodiscard]] Result<Ticket> enqueue(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                                     const DeviceOptions& options = {});

/// `enqueue`, and waits: what `strew::run` says, word for word. With DeviceOptions::deferred it does not wait, but
/// fails where an earlier call was refused; only so can it be captured.
[[nodiscard]] Status run(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                         const DeviceOptions& options = {});

/// Checks indices for a plan as `run` does, waits, and keeps what its strategy (DeviceOptions::force_strategy too)
/// makes of them. With DeviceOptions::reject_duplicates duplicates are refused here, and calls need not look for
/// them. Memory beside what is kept is allocated for the time of the check; both count for
/// DeviceOptions::limits.
///
///   auto kept = strew::cuda::check_indices(*plan, *operands.indices);
///   options.checked_indices = &*kept;
[[nodiscard]] Result<CheckedIndices> check_indices(const Plan& plan, const DeviceView& indices,
                                                   const DeviceOptions& options = {});

struct Explanation {
  DeviceStrategy strategy = DeviceStrategy::kGather;
  std::string_view reason;              ///< one sentence
  std::int64_t scratch_bytes = 0;       ///< device memory that the call works in
  std::vector<std::string> considered;  ///< of each strategy that does not apply, or not pay, why
  bool uses_checked_indices = false;    ///< DeviceOptions::checked_indices apply
};

/// What `enqueue` would do. No device memory is read.
[[nodiscard]] Result<Explanation> explain(const Plan& plan, const Operands& operands,
                                          const MutableDeviceView& output, const DeviceOptions& options = {});

}  // namespace strew::cuda
STREW_API_END
