// Nodes that replace a gather, row operations and a scatter, or a Concat and the gathers that it reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "claims.h"
#include "fusion.h"
#include "provider.h"
#include "strew/executor.h"
#include "strew/tensor.h"
#include "tensors.h"

namespace strew::ort {

struct CompiledNode : OrtNodeComputeInfo {
  CompiledNode(Provider& made_by, const Node& fused_node);
  virtual ~CompiledNode() = default;
  CompiledNode(const CompiledNode&) = delete;
  CompiledNode& operator=(const CompiledNode&) = delete;

  virtual void compute(OrtKernelContext* context) const = 0;

  Tensor input(const OrtKernelContext* context, const std::string& name) const;
  /// Returns output 0, allocated with this shape.
  MutableTensorView output(OrtKernelContext* context, DType dtype, const Shape& shape) const;

  Provider& provider;
  const Api& api;
  const std::vector<std::string> inputs;
  /// Operators and names of the nodes that this one replaces, for error messages: "fused Gather 'g', Relu 'r'".
  std::string replaced;
};

/// Makes a node for ONNX Runtime's Compile. `release_compiled_node` deletes it.
OrtNodeComputeInfo* make_compiled_node(Provider& provider, const OrtGraph* graph, const Node& fused_node);
void release_compiled_node(OrtNodeComputeInfo* node);

std::unique_ptr<CompiledNode> make_fused_node(Provider& provider, Fusion found, const Node& fused_node);

// elementwise.cc: Mul, Add and Relu as in ONNX Runtime's CPU provider, for runs in which a fused node cannot use
// the fused kernel

/// Applies the step to `rows` and to `other`, which is nullptr for Relu. Operands of float16, bfloat16, float32 or
/// float64 broadcast against each other. Results are rounded to the type; Relu keeps NaN and -0.
strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor);

/// Adds `other`, of the same shape, to `to`.
void add_to(const MutableTensorView& to, const TensorView& other, Executor& executor);

/// Returns the product of two tensors that are broadcast against each other.
strew::Tensor product(const TensorView& one, const TensorView& other, Executor& executor);

/// A Concat, and each Gather or GatherND whose output only the Concat reads. Strings are names of values.
struct GatheredConcat {
  struct Part {
    std::string data;     ///< data of a gather, or an input to copy
    std::string indices;  ///< empty for an input to copy
    std::int64_t axis = 0;
    bool by_tuples = false;  ///< a GatherND, whose indices have a last dimension of 1
  };
  std::vector<const OrtNode*> nodes;
  std::vector<Node> gathers;
  std::vector<Part> parts;
  std::int64_t axis = 0;
};

/// Returns the pattern that ends in this Concat. `taken` is as for find_fusion.
std::optional<GatheredConcat> find_gathered_concat(const Api& api, const Node& concat, const Claims* taken);

std::unique_ptr<CompiledNode> make_concat_node(Provider& provider, GatheredConcat found, const Node& fused_node);

}  // namespace strew::ort
