// What ONNX Runtime runs instead of several nodes that Strew took together.
#pragma once

#include <string>
#include <vector>

#include "provider.h"
#include "tensors.h"

namespace strew::ort {

struct CompiledNode : OrtNodeComputeInfo {
  /// It has the inputs of `fused_node`.
  CompiledNode(Provider& made_by, const Node& fused_node);
  virtual ~CompiledNode() = default;
  CompiledNode(const CompiledNode&) = delete;
  CompiledNode& operator=(const CompiledNode&) = delete;

  virtual void compute(OrtKernelContext* context) const = 0;

  /// By the name of the value.
  Tensor input(const OrtKernelContext* context, const std::string& name) const;
  /// Output 0, of this shape.
  MutableTensorView output(OrtKernelContext* context, DType dtype, const Shape& shape) const;

  Provider& provider;
  const Api& api;
  const std::vector<std::string> inputs;
};

/// For ONNX Runtime's Compile. Given back by `release_compiled_node`.
OrtNodeComputeInfo* make_compiled_node(Provider& provider, const OrtGraph* graph, const Node& fused_node);
void release_compiled_node(OrtNodeComputeInfo* node);

}  // namespace strew::ort
