// The provider options of a session.
#pragma once

#include <set>
#include <string>

#include "api.h"

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

}  // namespace strew::ort
