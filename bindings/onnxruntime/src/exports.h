// Exported functions of the shared library.
#pragma once

#include "api.h"

#define STREW_ORT_EXPORT extern "C" __attribute__((visibility("default")))

/// ONNX Runtime calls these when it registers and releases the library.
STREW_ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* api_base,
                                              const OrtLogger* default_logger, OrtEpFactory** factories,
                                              std::size_t max_factories, std::size_t* factory_count) noexcept;
STREW_ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) noexcept;

/// Writes which nodes the session with this value of its option `placement` claimed. First the number of nodes
/// examined, then a record for each node of Strew's operators, Expand and Slice: operator, node name and reason
/// against the claim (empty if claimed), separated by 0x1F. Each part ends with 0x1E. Returns the size of the
/// whole, which is written if `size` suffices.
STREW_ORT_EXPORT std::size_t StrewPlacement(const char* session, char* buffer, std::size_t size) noexcept;
