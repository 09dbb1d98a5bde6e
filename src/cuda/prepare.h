// Prepares a call before it is enqueued: checks operands, computes the layout, chooses a strategy. Never reads
// device memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "cuda/choose.h"
#include "cuda/layout.h"
#include "cuda/queue.h"
#include "cuda/workspace.h"
#include "engine/operands.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

/// Results of a check of indices, kept in device memory.
struct Kept {
  TensorView indices;     ///< the caller's view; its memory is not read again
  Layout layout;          ///< layout of a call with dense operands
  Buffers buffers;        ///< location numbers, winners and sorted positions, if the strategy needs them
  bool distinct = false;  ///< true if all destinations are distinct
  std::int64_t bytes = 0;
  void* memory = nullptr;

  explicit Kept(const TensorView& view) : indices(view) {}
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// True if a call with layout `of_call` and indices `view` would compute the location numbers kept here.
  bool applies_to(const TensorView& view, const Layout& of_call) const;
};

struct Unwrap {
  static const TensorView& view(const DeviceView& view) { return view.view_; }
  static std::optional<TensorView> view(const std::optional<DeviceView>& view) {
    return view ? std::optional(view->view_) : std::nullopt;
  }
  static strew::Operands operands(const Operands& o) { return {view(o.data), view(o.indices), view(o.updates)}; }
  static MutableTensorView output(const MutableDeviceView& o) {
    const TensorView& v = view(o);
    return v.dense() ? MutableTensorView(o.data(), v.dtype(), v.shape())
                     : MutableTensorView(o.data(), v.dtype(), v.shape(), v.strides());
  }
  static const Kept& kept(const CheckedIndices& indices) { return *indices.kept_; }
  static CheckedIndices checked(std::shared_ptr<const Kept> kept) { return CheckedIndices(std::move(kept)); }
};

struct Prepared {
  strew::Operands operands;
  MutableTensorView output;
  strew::Options options;
  Call call;
  Layout layout;
  Verdict verdict{};
  const Kept* kept = nullptr;  ///< results of DeviceOptions::checked_indices, if they apply
  HotRuns hot;                 ///< thresholds for long runs of equal destinations; its pointers are null
  BufferSizes sizes;           ///< sizes of the call's buffers, except kept ones
  std::int64_t scratch_bytes = 0;

  Prepared(const Plan& plan, const Operands& o, const MutableDeviceView& to)
      : operands(Unwrap::operands(o)), output(Unwrap::output(to)), call{plan, operands, output, options} {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// True if the call sorts positions by destination.
  bool sorts(const DeviceOptions& wanted) const;
};

Status reject_strings(const Plan& plan);
/// Checks that the address is aligned as a device requires.
Status check_address(std::string_view op, std::string_view name, const TensorView& view);

/// Computes the layout of a call with checked operands, and chooses its strategy.
Status arrange(Prepared& prepared, const DeviceOptions& options);

/// Returns the sizes of the buffers whose contents depend only on index values, as if no results were kept.
BufferSizes compute_sizes(const Prepared& prepared, const DeviceOptions& options, Queue& queue);

/// Checks a call, chooses its strategy, and computes its layout and the sizes of all buffers.
Status prepare(Prepared& prepared, const DeviceOptions& options, Queue& queue);

/// For calls that wait: returns kInvalidArgument if the stream is being captured. `instead`: advice for the user.
Status reject_capture(const Queue& queue, const Plan& plan, std::string_view instead);
/// Returns the error of the queue, but success for kOutOfMemory, which the callers report.
Status check_queue(const Queue& queue, const Plan& plan);

/// Returns kUnsupported if `bytes` of device memory exceed DeviceOptions::limits.
Status check_limit(const Prepared& prepared, const DeviceOptions& options, std::int64_t bytes);

}  // namespace strew::cuda
