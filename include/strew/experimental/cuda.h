// A preview: the operators on a CUDA device, bit for bit as on the CPU. Needs no CUDA headers; see docs/cuda.md.
//
// Adds three numbers to elements of a four-element tensor, all in device memory:
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

/// A read-only tensor in device memory. A separate type keeps device addresses out of host code. Strides are in
/// elements. The address must be a multiple of the size of an element (for complex types, of its real part).
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

/// A writable DeviceView.
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

/// As strew::Operands, but in device memory.
struct Operands {
  DeviceView data;
  std::optional<DeviceView> indices = std::nullopt;
  std::optional<DeviceView> updates = std::nullopt;
};

/// How the device runs a call. All applicable strategies give the same bits.
enum class DeviceStrategy : std::uint8_t {
  kGatherFused,  ///< gathers of single elements into a new output: checks indices while copying elements
  kGather,       ///< gathers: checks indices, then copies rows
  kLastWins,  ///< scatters without a reduction: atomic maxima find each destination's last update, which is copied
  kAtomic,    ///< reductions of 4- or 8-byte elements that give the same bits in any order: atomic operations
  kSortFold,  ///< all reductions: a stable sort of updates by destination, then a reduction in order
  kColumns,   ///< reductions with `include_self` and acc_dtype kData, except means: for each element, one thread
              ///< applies all updates that can reach it, in order
};

/// "device_gather_fused", "device_gather", "device_last_wins", "device_atomic", "device_sort_fold",
/// "device_columns". The inverse returns nullopt for any other text.
std::string_view device_strategy_name(DeviceStrategy strategy) noexcept;
std::optional<DeviceStrategy> device_strategy_from_name(std::string_view name) noexcept;

class CheckedIndices;
class DeferredErrors;

struct DeviceOptions {
  /// A cudaStream_t; nullptr is the default stream.
  void* stream = nullptr;
  /// Device scratch memory, aligned to 256 bytes, of the size that `explain` reports. nullptr: the call allocates
  /// it.
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;
  /// A call that needs more than `scratch_bytes` of scratch memory on the device is rejected.
  Limits limits = {};
  bool reject_duplicates = false;
  /// True: a failed call may leave the output unspecified, so a gather may check indices while it copies elements.
  bool output_is_new = false;
  /// Uses this strategy, or fails with kUnsupported if it does not apply.
  std::optional<DeviceStrategy> force_strategy = std::nullopt;
  /// If not nullptr, `run` adds the ticket of its call to this list instead of waiting.
  DeferredErrors* deferred = nullptr;
  /// Result of `check_indices` for these indices: if it applies, the call does not read them again.
  const CheckedIndices* checked_indices = nullptr;
};

/// The outcome of a call, available when its stream has finished the call.
class Ticket {
 public:
  /// True if the call was captured into a CUDA graph. `wait` does not wait for it: synchronise the graph's stream.
  bool captured() const;
  /// True if the stream has finished the call; for a captured call, if it has finished the graph's first launch.
  bool ready() const;
  /// Waits for the call. Returns success, or the error of a rejected call. For a captured call it returns the
  /// outcome of the last launch without waiting, or kInvalidArgument before the first launch.
  [[nodiscard]] Status wait() const;

 private:
  friend struct TicketMaker;  // not exported
  struct Call;
  std::shared_ptr<const Call> call_;
};

/// Tickets to be inspected later. For one thread and one stream at a time.
class DeferredErrors {
 public:
  void add(Ticket ticket) { tickets_.push_back(std::move(ticket)); }
  /// Returns the first error of finished calls and drops their tickets. Captured calls stay in the list.
  [[nodiscard]] Status poll() { return take(false); }
  /// Waits for all calls except captured ones, and returns the first error.
  [[nodiscard]] Status wait() { return take(true); }

 private:
  [[nodiscard]] Status take(bool wait);
  std::vector<Ticket> tickets_;
};

struct Kept;  // not exported

/// Indices that were checked once, and data derived from them: the offset of each index tuple and, for a scatter,
/// each destination's last update or the positions sorted by destination. Pass the object as
/// `DeviceOptions::checked_indices`. Calls to which it applies do not read the indices again, so the indices may
/// change; other calls ignore it. Copies share device memory. The last copy frees it, and must outlive all calls
/// that use it.
class CheckedIndices {
 public:
  /// True if the view of indices (address, type, shape, strides), the index rules, and the extents of data along
  /// the indexed axes are unchanged. The length and type of rows may change. False for TensorScatter. A call
  /// uses this object only if its operands are also dense, or have strides that keep destinations equally spaced,
  /// as in rows with equal padding.
  bool applies_to(const Plan& plan, const DeviceView& indices) const;
  /// Bytes of device memory in use by this object and its copies.
  std::int64_t device_bytes() const noexcept;

 private:
  friend struct Unwrap;  // not exported
  explicit CheckedIndices(std::shared_ptr<const Kept> kept);
  std::shared_ptr<const Kept> kept_;
};

/// True if there is a driver, and a device for which the kernels were compiled. Never fails.
bool available() noexcept;

/// Returns success if `available`, and otherwise kUnsupported, or kDevice with CUDA's error.
[[nodiscard]] Status check_available();

/// Enqueues a call in the stream, without waiting for it. `output` may be the data of a scatter (in place). If the
/// device rejects an index value, the ticket has the error that `strew::run` would return. No kernel then writes
/// to the output, unless DeviceOptions::output_is_new is set. Memory must stay valid until the stream has finished
/// the call.
///
/// A call may be captured into a CUDA graph (cudaStreamBeginCapture, in any mode). Each launch reads the operands
/// anew and succeeds or fails on its own; DeviceOptions::checked_indices keep their values from capture time.
/// Without DeviceOptions::workspace the scratch memory is part of the graph. All memory, including checked
/// indices, must live as long as the graph. Each captured call occupies 48 bytes of host memory forever.
///
/// A kDevice error names the CUDA call that failed and CUDA's error, which may come from a kernel outside Strew.
[[nodiscard]] Result<Ticket> enqueue(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                                     const DeviceOptions& options = {});

/// Calls `enqueue` and waits. Returns the same errors as `strew::run`, word for word. With DeviceOptions::deferred
/// it does not wait, and fails if an earlier call was rejected; a capture needs this option.
[[nodiscard]] Status run(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                         const DeviceOptions& options = {});

/// Checks indices for a plan as `run` does, and waits for the check. The result includes the data that the
/// strategy (chosen, or DeviceOptions::force_strategy) derives from the indices. With
/// DeviceOptions::reject_duplicates this function rejects duplicates, and calls do not check for them again. The
/// result and scratch memory count against DeviceOptions::limits.
///
///   auto kept = strew::cuda::check_indices(*plan, *operands.indices);
///   options.checked_indices = &*kept;
[[nodiscard]] Result<CheckedIndices> check_indices(const Plan& plan, const DeviceView& indices,
                                                   const DeviceOptions& options = {});

struct Explanation {
  DeviceStrategy strategy = DeviceStrategy::kGather;
  std::string_view reason;              ///< one sentence
  std::int64_t scratch_bytes = 0;       ///< device scratch memory of the call
  std::vector<std::string> considered;  ///< each strategy that does not apply or is slower, with the reason
  bool uses_checked_indices = false;    ///< true if DeviceOptions::checked_indices apply
};

/// Returns how `enqueue` would run the call. Reads no device memory.
[[nodiscard]] Result<Explanation> explain(const Plan& plan, const Operands& operands,
                                          const MutableDeviceView& output, const DeviceOptions& options = {});

}  // namespace strew::cuda
STREW_API_END
