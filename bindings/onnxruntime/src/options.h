// The provider options of a session.
#pragma once

#include <set>
#include <string>

#include "api.h"

namespace strew::ort {

/// What a session's creator asked for. The keys are `ep.strewexecutionprovider.<name>` in the session's
/// configuration, which is where ONNX Runtime puts the options of a provider.
struct ProviderOptions {
  /// `operators`: the operator types that may be claimed.
  std::set<std::string> operators;
  /// Whether these were named, and not left to the default: then also the smallest nodes are claimed.
  bool operators_named = false;
  /// `threads`: how many tasks the work of a node is cut into; ONNX Runtime does not tell how many threads it has.
  int threads = 1;
  /// `fuse`: whether a gather, what is done to its rows and a scatter become one node.
  bool fuse = true;
  /// `placement`: the name under which the reasons of the claims are kept, empty for none.
  std::string placement;
};

/// Refuses an unknown option and a value that makes no sense.
ProviderOptions read_options(const Api& api, const OrtSessionOptions* session_options);

}  // namespace strew::ort
