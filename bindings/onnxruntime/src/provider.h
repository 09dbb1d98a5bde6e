// The execution provider of one session, and its options.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api.h"
#include "edge_cache.h"
#include "facts.h"

namespace strew::ort {

/// Options of a session, stored in its configuration with the keys `ep.strewexecutionprovider.<name>`.
struct ProviderOptions {
  std::set<std::string> operators;  ///< operator types that may be claimed
  bool operators_named = false;     ///< the user set `operators`: even the smallest nodes are claimed
  int threads = 1;        ///< tasks per node; an option, since ONNX Runtime does not report its thread count
  bool fuse = true;       ///< whether gathers become one node with the scatter or Concat after them
  std::string placement;  ///< name under which the verdicts on nodes are stored; empty: not stored
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
  /// Names of the outputs of claimed Slices. Such a Slice returns its whole input, and the scatters that read it
  /// cut their updates to the shape of the indices. Written while graphs are examined, read while kernels are
  /// created. If two branches of an If use the same name, the scatters of both cut their updates, which changes
  /// nothing in the branch without the Slice.
  std::set<std::string> whole_updates;
  EdgeCache edges;
  Fills fills;
};

// placement.cc: which nodes were claimed, and why others were not

struct Verdict {
  std::string op_type;
  std::string node;
  std::string output;          ///< name of the first output, which identifies unnamed nodes
  std::string reason;          ///< why the node was not claimed; empty if it was
  std::string unfused_reason;  ///< why a claimed gather or scatter is not fused; else empty
};

/// Stores the verdicts on one graph of a session until `forget_placement`. The graph has `node_count` nodes. A
/// later verdict on a node replaces an earlier one.
void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts, std::size_t node_count);
void forget_placement(const std::string& session);

/// Returns the provider for which a kernel is created.
Provider& find_provider(const Api& api, const OrtKernelInfo* info);

}  // namespace strew::ort
