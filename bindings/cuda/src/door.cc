// The functions that the Python module calls. Functions with a `device` argument run on that device.
#include <utility>

#include "cuda_door.h"
#include "device.h"

namespace strew::cuda {
namespace {

// Calls a function on a device. Returns the error if the device could not be selected.
template <auto function>
struct On;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct On<function> {
  static Result call(int device, Arguments... arguments) {
    const OnDevice here(device);
    if (Status status = here.status(); !status) return tl::unexpected(std::move(status).error());
    return function(arguments...);
  }
};

constexpr Door kDoor{.built_from = STREW_BUILT_FROM,
                     .check_available = &check_available,
                     .device_of = &device_of,
                     .follow = &On<follow>::call,
                     .explain = &On<explain>::call,
                     .run = &On<run>::call,
                     .enqueue = &On<enqueue>::call,
                     .check_indices = &On<check_indices>::call,
                     .device_bytes = [](const CheckedIndices& checked) { return checked.device_bytes(); },
                     .captured = [](const Ticket& ticket) { return ticket.captured(); },
                     .ready = [](const Ticket& ticket) { return ticket.ready(); },
                     .wait = [](const Ticket& ticket) { return ticket.wait(); },
                     .device_strategy_name = &device_strategy_name};

}  // namespace
}  // namespace strew::cuda

extern "C" __attribute__((visibility("default"))) const strew::cuda::Door* strew_cuda_door() noexcept {
  return &strew::cuda::kDoor;
}
