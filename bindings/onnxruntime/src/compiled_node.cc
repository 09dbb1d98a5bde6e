#include "compiled_node.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace strew::ort {
namespace {

std::vector<std::string> read_names(const Api& api, const std::vector<const OrtValueInfo*>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const OrtValueInfo* value : values) names.emplace_back(value_name(api, value));
  return names;
}

}  // namespace

CompiledNode::CompiledNode(Provider& made_by, const Node& fused_node)
    : OrtNodeComputeInfo{},
      provider(made_by),
      api(made_by.api),
      inputs(read_names(made_by.api, fused_node.inputs())) {
  ort_version_supported = kApiVersion;
  CreateState = [](OrtNodeComputeInfo*, OrtNodeComputeContext*, void** state) noexcept -> OrtStatus* {
    *state = nullptr;
    return nullptr;
  };
  Compute = [](OrtNodeComputeInfo* self, void*, OrtKernelContext* context) noexcept {
    const auto& node = *static_cast<const CompiledNode*>(self);
    return guarded(node.api, [&] {
      try {
        node.compute(context);
      } catch (const Refusal& refusal) {
        throw Refusal{refusal.code, node.replaced + ": " + refusal.message};
      }
    });
  };
  ReleaseState = [](OrtNodeComputeInfo*, void*) noexcept {};
}

Tensor CompiledNode::input(const OrtKernelContext* context, const std::string& name) const {
  const auto place = std::ranges::find(inputs, name) - inputs.begin();
  return read_tensor(api, input_value(api, context, static_cast<std::size_t>(place)));
}

MutableTensorView CompiledNode::output(OrtKernelContext* context, DType dtype, const Shape& shape) const {
  return {address_of(api, output_value(api, context, shape)), dtype, shape};
}

OrtNodeComputeInfo* make_compiled_node(Provider& provider, const OrtGraph* graph, const Node& fused_node) {
  std::unique_ptr<CompiledNode> made;
  std::string replaced;
  for (const Node& node : read_nodes(provider.api, graph)) {
    const std::string named = std::string(node.op_type()) + " '" + std::string(node.name()) + "'";
    replaced += replaced.empty() ? "fused " + named : ", " + named;
    if (made) continue;
    if (auto found = find_fusion(provider.api, node, nullptr)) {
      made = make_fused_node(provider, *std::move(found), fused_node);
    } else if (std::optional<GatheredConcat> concat = find_gathered_concat(provider.api, node, nullptr)) {
      made = make_concat_node(provider, *std::move(concat), fused_node);
    }
  }
  if (!made) throw Refusal{ORT_FAIL, "strew: a fused node does not contain the nodes that were chosen for it"};
  made->replaced = std::move(replaced);
  return made.release();
}

void release_compiled_node(OrtNodeComputeInfo* node) { delete static_cast<CompiledNode*>(node); }

}  // namespace strew::ort
