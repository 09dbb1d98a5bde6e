// The factory that ONNX Runtime gets when it loads this library.
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "kernel.h"
#include "provider.h"

namespace strew::ort {
namespace {

constexpr std::uint32_t kNoVendor = 0;

struct Factory : OrtEpFactory {
  explicit Factory(const Api& tables) : OrtEpFactory{}, api(tables) {
    ort_version_supported = kApiVersion;
    GetName = [](const OrtEpFactory*) noexcept { return kEpName; };
    GetVendor = [](const OrtEpFactory*) noexcept { return "Strew"; };
    GetVendorId = [](const OrtEpFactory*) noexcept { return kNoVendor; };
    GetVersion = [](const OrtEpFactory*) noexcept { return STREW_VERSION; };
    GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, std::size_t device_count,
                             OrtEpDevice** ep_devices, std::size_t max_ep_devices,
                             std::size_t* ep_device_count) noexcept {
      const Factory& factory = *static_cast<Factory*>(self);
      *ep_device_count = 0;
      return guarded(factory.api, [&] {
        for (std::size_t i = 0; i < device_count && *ep_device_count < max_ep_devices; ++i) {
          if (factory.api.ort.HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
          check(factory.api.ep.CreateEpDevice(self, devices[i], nullptr, nullptr, &ep_devices[*ep_device_count]));
          ++*ep_device_count;
          return;
        }
      });
    };
    CreateEp = [](OrtEpFactory* self, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*, std::size_t,
                  const OrtSessionOptions* session_options, const OrtLogger*, OrtEp** ep) noexcept {
      Factory& factory = *static_cast<Factory*>(self);
      return guarded(factory.api, [&] {
        ProviderOptions options = read_options(factory.api, session_options);
        *ep = std::make_unique<Provider>(factory.api, std::move(options), factory.registry()).release();
      });
    };
    ReleaseEp = [](OrtEpFactory*, OrtEp* ep) noexcept { delete static_cast<Provider*>(ep); };
    // Nodes run on the CPU and use its memory, so they need no allocator, data transfer or stream.
    CreateAllocator = [](OrtEpFactory*, const OrtMemoryInfo*, const OrtKeyValuePairs*,
                         OrtAllocator** out) noexcept { return create_nothing(out); };
    ReleaseAllocator = [](OrtEpFactory*, OrtAllocator*) noexcept {};
    CreateDataTransfer = [](OrtEpFactory*, OrtDataTransferImpl** out) noexcept { return create_nothing(out); };
    IsStreamAware = [](const OrtEpFactory*) noexcept { return false; };
    CreateSyncStreamForDevice = [](OrtEpFactory*, const OrtMemoryDevice*, const OrtKeyValuePairs*,
                                   OrtSyncStreamImpl** out) noexcept { return create_nothing(out); };
  }

  const OrtKernelRegistry* registry() {
    const std::lock_guard lock(mutex);
    if (!kernels) kernels.emplace(make_registry(api));
    return kernels->get();
  }

  template <class T>
  static OrtStatus* create_nothing(T** out) noexcept {
    *out = nullptr;
    return nullptr;
  }

  const Api api;
  std::mutex mutex;
  std::optional<Owned<OrtKernelRegistry>> kernels;
};

}  // namespace
}  // namespace strew::ort

// ONNX Runtime calls this function when it registers the library, and the next one when it releases the factory.
extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char*, const OrtApiBase* api_base, const OrtLogger*, OrtEpFactory** factories, std::size_t max_factories,
    std::size_t* factory_count) noexcept {
  using strew::ort::kApiVersion;
  *factory_count = 0;
  const OrtApi* ort = api_base->GetApi(kApiVersion);
  if (ort == nullptr) {
    const std::string message = std::string("strew: ONNX Runtime ") + api_base->GetVersionString() +
                                " is too old to register kernels; 1.24 or newer is needed";
    return api_base->GetApi(1)->CreateStatus(ORT_NOT_IMPLEMENTED, message.c_str());
  }
  if (max_factories == 0) return ort->CreateStatus(ORT_INVALID_ARGUMENT, "strew: no room for a factory");
  const strew::ort::Api api{*ort, *ort->GetEpApi()};
  return strew::ort::guarded(api, [&] {
    factories[0] = std::make_unique<strew::ort::Factory>(api).release();
    *factory_count = 1;
  });
}

// Does nothing, since sessions that are still alive call the factory after its release.
extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(OrtEpFactory*) noexcept {
  return nullptr;
}
