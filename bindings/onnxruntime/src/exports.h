// The functions that the shared library shows to the outside.
#pragma once

#include "api.h"

#define STREW_ORT_EXPORT extern "C" __attribute__((visibility("default")))

/// Called by ONNX Runtime when the library is registered and given up.
STREW_ORT_EXPORT OrtStatus* CreateEpFactories(const char* registered_name, const OrtApiBase* api_base,
                                              const OrtLogger* default_logger, OrtEpFactory** factories,
                                              std::size_t max_factories, std::size_t* factory_count) noexcept;
STREW_ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) noexcept;

/// What the session whose option `placement` has this value claimed and what not. First how many nodes were looked
/// at, then a record for each node of Strew's operators, Expand and Slice: operator, node name and reason against
/// the claim (empty where it was claimed), separated by 0x1F. Each is ended by 0x1E. Returns the size of the
/// whole, which is written if `size` is enough.
STREW_ORT_EXPORT std::size_t StrewPlacement(const char* session, char* buffer, std::size_t size) noexcept;
