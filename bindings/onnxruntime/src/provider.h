// The execution provider of one session.
#pragma once

#include "api.h"
#include "options.h"
#include "repeats.h"

namespace strew::ort {

struct Provider : OrtEp {
  Provider(const Api& api_tables, ProviderOptions chosen, const OrtKernelRegistry* kernels);
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  const Api& api;
  const ProviderOptions options;
  const OrtKernelRegistry* const registry;
  /// Filled by GetCapability, which is over before the first kernel is made.
  RepeatedValues repeated_values;
};

}  // namespace strew::ort
