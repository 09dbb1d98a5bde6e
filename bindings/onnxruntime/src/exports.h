// Exported functions of the shared library.
#pragma once

#include "api.h"

#define STREW_ORT_EXPORT extern "C" __attribute__((visibility("default")))

/// ONNX Runtime calls these two functions when it registers and releases the library.
STREW_ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* api_base,
                                              const OrtLogger* default_logger, OrtEpFactory** factories,
                                              std::size_t max_factories, std::size_t* factory_count) noexcept;
STREW_ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) noexcept;

/// Writes the text of `placement_text` (placement.cc) for the session whose option `placement` is `session`, if
/// `size` bytes suffice. Returns the size of the text in bytes.
STREW_ORT_EXPORT std::size_t StrewPlacement(const char* session, char* buffer, std::size_t size) noexcept;
