// The execution provider of one session: which nodes it takes, and the registry of its kernels.
#include "provider.h"

#include <utility>

#include "claims.h"
#include "placement.h"

namespace strew::ort {
namespace {

Verdict judge(Provider& provider, OrtEpGraphSupportInfo* support, const Node& node) {
  const Api& api = provider.api;
  Verdict verdict{std::string(node.op_type()), std::string(node.name()), ""};
  const OrtKernelDef* kernel = nullptr;
  check(api.ep.EpGraphSupportInfo_LookUpKernel(support, node.get(), &kernel));
  if (kernel == nullptr) {
    verdict.reason = "Strew has no kernel for this version of the operator with this element type";
  } else if (auto reason = reason_against(api, node, provider.options)) {
    verdict.reason = *std::move(reason);
  } else {
    check(api.ep.EpGraphSupportInfo_AddSingleNode(support, node.get()));
    const OrtValueInfo* indices = node.input(1);
    if (indices != nullptr) {
      provider.repeated_values.note(std::string(value_name(api, indices)), repeated_axes(api, indices));
    }
  }
  return verdict;
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  return guarded(provider.api, [&] {
    std::vector<Verdict> verdicts;
    for (const Node& node : nodes_of(provider.api, graph)) {
      if (is_candidate(node)) verdicts.push_back(judge(provider, support, node));
    }
    if (!provider.options.placement.empty()) keep_placement(provider.options.placement, verdicts);
  });
}

OrtStatus* get_kernel_registry(OrtEp* self, const OrtKernelRegistry** registry) noexcept {
  *registry = static_cast<Provider*>(self)->registry;
  return nullptr;
}

}  // namespace

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
