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
  RepeatedValues repeated_values;
};

/// The provider that a kernel is made for.
Provider& provider_of(const Api& api, const OrtKernelInfo* info);

}  // namespace strew::ort
