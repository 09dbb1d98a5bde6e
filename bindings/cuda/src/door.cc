// The functions that the Python module calls, each on the device of its arrays.
#include <utility>

#include "cuda_door.h"
#include "device.h"

namespace strew::cuda {
namespace {

// Calls `work` on a device, or returns the error if there is no such device.
template <class Work>
auto on_device(int device, Work&& work) -> decltype(work()) {
  const OnDevice here(device);
  if (Status status = here.status(); !status) return tl::unexpected(std::move(status).error());
  return work();
}

Status follow_on(int device, void* stream, void* before) {
  return on_device(device, [&] { return follow(stream, before); });
}

Result<Explanation> explain_on(int device, const Plan& plan, const Operands& operands,
                               const MutableDeviceView& output, const DeviceOptions& options) {
  return on_device(device, [&] { return explain(plan, operands, output, options); });
}

Status run_on(int device, const Plan& plan, const Operands& operands, const MutableDeviceView& output,
              const DeviceOptions& options) {
  return on_device(device, [&] { return run(plan, operands, output, options); });
}

Result<Ticket> enqueue_on(int device, const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                          const DeviceOptions& options) {
  return on_device(device, [&] { return enqueue(plan, operands, output, options); });
}

Result<CheckedIndices> check_indices_on(int device, const Plan& plan, const DeviceView& indices,
                                        const DeviceOptions& options) {
  return on_device(device, [&] { return check_indices(plan, indices, options); });
}

std::int64_t device_bytes_of(const CheckedIndices& checked) { return checked.device_bytes(); }
bool is_captured(const Ticket& ticket) { return ticket.captured(); }
bool is_ready(const Ticket& ticket) { return ticket.ready(); }
Status wait_for(const Ticket& ticket) { return ticket.wait(); }

constexpr Door kDoor{STREW_BUILT_FROM, &check_available, &device_of,           &follow_on,       &explain_on,
                     &run_on,          &enqueue_on,      &check_indices_on,    &device_bytes_of, &is_captured,
                     &is_ready,        &wait_for,        &device_strategy_name};

}  // namespace
}  // namespace strew::cuda

extern "C" __attribute__((visibility("default"))) const strew::cuda::Door* strew_cuda_door() noexcept {
  return &strew::cuda::kDoor;
}
