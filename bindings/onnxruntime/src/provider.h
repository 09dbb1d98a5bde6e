// The execution provider of one session.
#pragma once

#include <set>
#include <string>

#include "api.h"
#include "edge_cache.h"
#include "fills.h"
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
  /// Names of updates that a claimed Slice returns whole. Written while graphs are examined, read while kernels
  /// are created. If two branches of an If use such a name, the scatters of both cut updates that are too large.
  std::set<std::string> whole_updates;
  EdgeCache edges;
  Fills fills;
};

/// Returns the provider for which a kernel is created.
Provider& find_provider(const Api& api, const OrtKernelInfo* info);

}  // namespace strew::ort
