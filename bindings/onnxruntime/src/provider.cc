// The execution provider of one session: which nodes it takes, and the registry of its kernels.
#include "provider.h"

#include <algorithm>
#include <utility>

#include "claims.h"
#include "placement.h"

namespace strew::ort {
namespace {

// What GetCapability is called with, for one graph.
struct Look {
  Provider& provider;
  const Api& api;
  OrtEpGraphSupportInfo* support;

  bool has_kernel(const Node& node) const {
    const OrtKernelDef* kernel = nullptr;
    check(api.ep.EpGraphSupportInfo_LookUpKernel(support, node.get(), &kernel));
    return kernel != nullptr;
  }

  std::optional<std::string> reason_against(const Node& node) const {
    const std::string other = node.provider();
    if (!other.empty() && other != kEpName) return other + " has taken it";
    if (!has_kernel(node)) return "Strew has no kernel for this version of the operator with this element type";
    return ort::reason_against(api, node, provider.options);
  }

  bool claims(const Node& node) const { return is_candidate(node) && !reason_against(node); }

  void take(const Node& node) const { check(api.ep.EpGraphSupportInfo_AddSingleNode(support, node.get())); }
};

// How many claimed nodes read the value as the indices of elements; 0 if anything else reads it.
std::size_t index_readers(const Look& look, const OrtValueInfo* value) {
  bool is_output = false;
  check(look.api.ort.ValueInfo_IsGraphOutput(value, &is_output));
  if (is_output) return 0;
  const std::vector<Use> readers = uses(look.api, value);
  const bool all = std::ranges::all_of(readers, [&](const Use& use) {
    return use.input == kIndicesInput && moves_elements(use.node) && look.claims(use.node);
  });
  return all ? readers.size() : 0;
}

Verdict judge(const Look& look, const Node& node) {
  Verdict verdict{std::string(node.op_type()), std::string(node.name()),
                  std::string(value_name(look.api, node.output(0))), look.reason_against(node).value_or("")};
  if (!verdict.reason.empty()) return verdict;
  look.take(node);
  if (moves_elements(node)) {
    const OrtValueInfo* indices = node.input(kIndicesInput);
    // The graph may say what is not so: only an Expand that is taken finds out before its output is used.
    const std::size_t readers = index_readers(look, indices);
    look.provider.repeated_values.note(std::string(value_name(look.api, indices)),
                                       readers > 0 ? repeated_axes(look.api, indices) : 0, readers);
  }
  return verdict;
}

// An Expand that only makes indices for claimed nodes need not write them all.
void judge_expand(const Look& look, const Node& node) {
  const OrtValueInfo* expanded = node.output(0);
  if (!node.in_onnx_domain() || !node.provider().empty() || !look.has_kernel(node)) return;
  if (repeated_axes(look.api, expanded) > 0 && index_readers(look, expanded) > 0) look.take(node);
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  return guarded(provider.api, [&] {
    std::vector<Verdict> verdicts;
    const Look look{provider, provider.api, support};
    for (const Node& node : nodes_of(provider.api, graph)) {
      if (is_candidate(node)) verdicts.push_back(judge(look, node));
      if (node.op_type() == "Expand") judge_expand(look, node);
    }
    if (!provider.options.placement.empty()) keep_placement(provider.options.placement, verdicts);
  });
}

OrtStatus* get_kernel_registry(OrtEp* self, const OrtKernelRegistry** registry) noexcept {
  *registry = static_cast<Provider*>(self)->registry;
  return nullptr;
}

}  // namespace

Provider& provider_of(const Api& api, const OrtKernelInfo* info) {
  const OrtEp* provider = nullptr;
  check(api.ep.KernelInfo_GetEp(info, &provider));
  return *static_cast<Provider*>(const_cast<OrtEp*>(provider));
}

Provider::Provider(const Api& api_tables, ProviderOptions chosen, const OrtKernelRegistry* kernels)
    : OrtEp{}, api(api_tables), options(std::move(chosen)), registry(kernels) {
  ort_version_supported = kApiVersion;
  GetName = [](const OrtEp*) noexcept { return kEpName; };
  GetCapability = get_capability;
  GetKernelRegistry = get_kernel_registry;
}

Provider::~Provider() {
  if (!options.placement.empty()) forget_placement(options.placement);
}

}  // namespace strew::ort
