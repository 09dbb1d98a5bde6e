// The execution provider of one session, and its options.
#pragma once

#include <set>
#include <string>

#include "api.h"
#include "edge_cache.h"
#include "fills.h"
#include "repeats.h"

namespace strew::ort {

/// Options of a session. ONNX Runtime stores them in the session's configuration with the keys
/// `ep.strewexecutionprovider.<name>`.
struct ProviderOptions {
  /// `operators`: the operator types that may be claimed.
  std::set<std::string> operators;
  /// True if `operators` was set explicitly: then even the smallest nodes are claimed.
  bool operators_named = false;
  /// `threads`: the number of tasks per node, since ONNX Runtime does not report its number of threads.
  int threads = 1;
  /// `fuse`: whether a gather, the operations on its rows and a scatter become one node.
  bool fuse = true;
  /// `placement`: the name under which the reasons of the claims are stored; empty: not stored.
  std::string placement;
};

/// Rejects unknown options and invalid values.
ProviderOptions read_options(const Api& api, const OrtSessionOptions* session_options);

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
  /// are created. If two branches of an If use the same name, scatters of both branches cut their updates.
  std::set<std::string> whole_updates;
  EdgeCache edges;
  Fills fills;
};

/// Returns the provider for which a kernel is created.
Provider& find_provider(const Api& api, const OrtKernelInfo* info);

}  // namespace strew::ort
