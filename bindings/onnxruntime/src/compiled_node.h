// A node that replaces several nodes which Strew claimed together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fusion.h"
#include "provider.h"
#include "tensors.h"

namespace strew::ort {

struct CompiledNode : OrtNodeComputeInfo {
  /// Has the inputs of `fused_node`.
  CompiledNode(Provider& made_by, const Node& fused_node);
  virtual ~CompiledNode() = default;
  CompiledNode(const CompiledNode&) = delete;
  CompiledNode& operator=(const CompiledNode&) = delete;

  virtual void compute(OrtKernelContext* context) const = 0;

  /// Returns an input by the name of its value.
  Tensor input(const OrtKernelContext* context, const std::string& name) const;
  /// Returns output 0, allocated with this shape.
  MutableTensorView output(OrtKernelContext* context, DType dtype, const Shape& shape) const;

  Provider& provider;
  const Api& api;
  const std::vector<std::string> inputs;
  /// Operators and names of the nodes that this one replaces, for errors: "fused Gather 'g', Relu 'r'".
  std::string replaced;
};

/// Makes a node for ONNX Runtime's Compile. `release_compiled_node` deletes it.
OrtNodeComputeInfo* make_compiled_node(Provider& provider, const OrtGraph* graph, const Node& fused_node);
void release_compiled_node(OrtNodeComputeInfo* node);

std::unique_ptr<CompiledNode> make_fused_node(Provider& provider, Fusion found, const Node& fused_node);

}  // namespace strew::ort
