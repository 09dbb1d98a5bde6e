// Finds and opens the library of the package strew-cuda13.
#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "call.h"
#include "device_call.h"

namespace strew::python {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  PyErr_SetString(PyExc_ImportError, message.c_str());
  throw nb::python_error();
}

std::string path_of_library(const std::string& why) {
  try {
    return text_of(attribute("strew_cuda", "LIBRARY"));
  } catch (nb::python_error& error) {
    const bool missing = error.matches(PyExc_ModuleNotFoundError) &&
                         text_of(nb::getattr(error.value(), "name", nb::none())) == "strew_cuda";
    if (!missing) throw;
  }
  refuse(
      why +
      "for arrays on CUDA devices, strew needs the package strew-cuda13; `make cuda PYTHON=...` in Strew's source "
      "tree, with the path of this environment's interpreter, builds and installs it (if you have a wheel of it: "
      "pip install strew-cuda13)");
}

const cuda::Door* open(const std::string& why) {
  const std::string path = path_of_library(why);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(why + "strew-cuda13 cannot be loaded: " + dlerror());
  const auto open_door = reinterpret_cast<cuda::OpenDoor>(dlsym(library, cuda::kDoorName));
  if (open_door == nullptr) refuse(why + path + " is not a library of strew-cuda13");
  const cuda::Door* door = open_door();
  if (std::string_view(door->built_from) != STREW_BUILT_FROM) {
    refuse(why + "strew-cuda13 was built from a different version of Strew (" + door->built_from +
           ") than this one (" + STREW_BUILT_FROM +
           "): build both from the same source with the same C++ standard library");
  }
  return door;
}

}  // namespace

const cuda::Door& cuda_door(const std::string& why) {
  static std::atomic<const cuda::Door*> opened{nullptr};
  const cuda::Door* door = opened.load(std::memory_order_acquire);
  if (door == nullptr) {
    door = open(why);  // two threads that open it at once get the same library
    opened.store(door, std::memory_order_release);
  }
  return *door;
}

}  // namespace strew::python
