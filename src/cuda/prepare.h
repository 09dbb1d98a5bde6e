// A call before anything of it is in a stream: operands checked, laid out, a strategy chosen. Addresses of device
// memory are never read here.
#pragma once

#include <cstdint>
#include <string_view>

#include "cuda/checked_indices.h"
#include "cuda/choose.h"
#include "cuda/layout.h"
#include "cuda/queue.h"
#include "cuda/workspace.h"
#include "engine/operands.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

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

/// A call from its operands to what its kernels need.
struct Prepared {
  strew::Operands operands;
  MutableTensorView output;
  strew::Options options;
  Call call;
  Layout layout;
  Verdict verdict{};
  const Kept* kept = nullptr;  ///< what DeviceOptions::checked_indices knows, where it applies
  HotRuns hot;                 ///< what long runs are; without memory
  BufferSizes sizes;           ///< of the call's own memory
  std::int64_t scratch_bytes = 0;

  Prepared(const Plan& plan, const Operands& o, const MutableDeviceView& to)
      : operands(Unwrap::operands(o)), output(Unwrap::output(to)), call{plan, operands, output, options} {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  /// Whether positions are sorted by their destination.
  bool sorts(const DeviceOptions& wanted) const;
};

Status reject_strings(const Plan& plan);
/// That a device can read elements where they lie.
Status check_address(std::string_view op, std::string_view name, const TensorView& view);

/// Lays a call out whose operands were checked, and chooses: all of `prepared` but `kept` and the memory.
Status arrange(Prepared& prepared, const DeviceOptions& options);

/// The memory that is made of index values alone, where nothing was kept.
BufferSizes sizes_of(const Prepared& prepared, const DeviceOptions& options, Queue& queue);

/// All of it, for a call that is to run.
Status prepare(Prepared& prepared, const DeviceOptions& options, Queue& queue);

/// kInvalidArgument where the stream is captured, for calls that wait; `instead` says what to do.
Status reject_capture(const Queue& queue, const Plan& plan, std::string_view instead);
/// What the machine says, but for a want of memory.
Status check_queue(const Queue& queue, const Plan& plan);

/// kUnsupported where `bytes` of device memory are beyond DeviceOptions::limits.
Status check_limit(const Prepared& prepared, const DeviceOptions& options, std::int64_t bytes);

}  // namespace strew::cuda
