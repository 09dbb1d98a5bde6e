// The execution provider of one session: which nodes it takes, and the registry of its kernels.
#include "provider.h"

#include <algorithm>
#include <utility>

#include "branches.h"
#include "claims.h"
#include "compiled_node.h"
#include "concat_node.h"
#include "feeders.h"
#include "fusion.h"
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

  /// Why others run the node, or none here can; nothing where Strew might take it.
  std::optional<std::string> reason_without_kernel(const Node& node) const {
    const std::string other = node.provider();
    if (!other.empty() && other != kEpName) return other + " has taken it";
    if (!has_kernel(node)) return "Strew has no kernel for this version of the operator with this element type";
    return std::nullopt;
  }

  std::optional<std::string> reason_against(const Node& node) const {
    std::optional<std::string> reason = reason_without_kernel(node);
    return reason ? reason : ort::reason_against(api, node, provider.options);
  }

  Claims claims() const {
    return [this](const Node& node) { return is_candidate(node) && !reason_against(node); };
  }

  template <class Reason>
  std::optional<std::string> reason_against(const Node& feeder, Reason reason_against_feeder) const {
    std::optional<std::string> reason = reason_without_kernel(feeder);
    return reason ? reason : reason_against_feeder(api, feeder, claims());
  }

  void take(const Node& node) const { check(api.ep.EpGraphSupportInfo_AddSingleNode(support, node.get())); }
};

// What kernels have to know of the indices of elements.
void note_indices(const Look& look, const OrtValueInfo* indices) {
  const Api& api = look.api;
  RepeatedValues& repeated_values = look.provider.repeated_values;
  if (const OrtValueInfo* original = copied_by_branch(api, indices)) {
    const std::optional<Dims> dims = value_type(api, original).dims;
    if (!dims || dims->size() < 2) return;  // the other branch gives one axis, and is known by that
    repeated_values.note_copy(std::string(value_name(api, indices)), std::string(value_name(api, original)),
                              dims->size());
    indices = original;
  }
  // The graph may say what is not so: only an Expand that is taken finds out before its output is used.
  const std::size_t readers = index_readers(api, indices, look.claims()).count;
  repeated_values.note(std::string(value_name(api, indices)), readers > 0 ? repeated_axes(api, indices) : 0,
                       readers);
}

Verdict verdict_on(const Look& look, const Node& node, std::optional<std::string> reason) {
  return {std::string(node.op_type()), std::string(node.name()), std::string(value_name(look.api, node.output(0))),
          std::move(reason).value_or("")};
}

Verdict judge(const Look& look, const Node& node, std::optional<std::string> reason) {
  if (!reason) look.take(node);
  return verdict_on(look, node, std::move(reason));
}

// What Strew may take, with the reason why it does not; nothing for other nodes.
std::optional<Verdict> judge(const Look& look, const Node& node) {
  if (is_candidate(node)) {
    Verdict verdict = judge(look, node, look.reason_against(node));
    if (verdict.reason.empty() && moves_elements(node)) note_indices(look, node.input(kIndicesInput));
    return verdict;
  }
  if (node.is("Expand")) return judge(look, node, look.reason_against(node, reason_against_expand));
  if (!node.is("Slice")) return std::nullopt;
  Verdict verdict = judge(look, node, look.reason_against(node, reason_against_slice));
  if (verdict.reason.empty()) look.provider.whole_updates.insert(verdict.output);
  return verdict;
}

// Takes the patterns that run as one node; the nodes in them, with their verdicts.
std::set<const OrtNode*> fuse(const Look& look, const std::vector<Node>& nodes, std::vector<Verdict>& verdicts) {
  std::set<const OrtNode*> taken;
  if (!look.provider.options.fuse) return taken;
  const OrtNodeFusionOptions options{.ort_version_supported = kApiVersion, .drop_constant_initializers = false};
  const auto take_together = [&](const std::vector<const OrtNode*>& group, const std::vector<Node>& kernels) {
    const auto lacks_kernel = [&](const Node& one) { return look.reason_without_kernel(one).has_value(); };
    if (std::ranges::any_of(kernels, lacks_kernel)) return false;
    check(look.api.ep.EpGraphSupportInfo_AddNodesToFuse(look.support, group.data(), group.size(), &options));
    taken.insert(group.begin(), group.end());
    for (const Node& one : kernels) verdicts.push_back(verdict_on(look, one, std::nullopt));
    return true;
  };
  for (const Node& node : nodes) {
    const std::optional<Fusion> fusion = find_fusion(look.api, node, look.claims());
    if (!fusion) {
      if (const std::optional<GatheredConcat> concat = find_gathered_concat(look.api, node, look.claims())) {
        take_together(concat->nodes, concat->gathers);
      }
      continue;
    }
    if (!take_together(fusion->nodes, fusion->kernels)) continue;
    if (!fusion->base.empty()) look.provider.fills.note(fusion->base, fusion->fill);
    if (moves_elements(node) && !fusion->has_expand) note_indices(look, fusion->index_value);
  }
  return taken;
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  return guarded(provider.api, [&] {
    std::vector<Verdict> verdicts;
    const Look look{provider, provider.api, support};
    const std::vector<Node> nodes = nodes_of(provider.api, graph);
    const std::set<const OrtNode*> fused = fuse(look, nodes, verdicts);
    for (const Node& node : nodes) {
      if (fused.contains(node.get())) continue;
      if (std::optional<Verdict> verdict = judge(look, node)) verdicts.push_back(*std::move(verdict));
    }
    if (!provider.options.placement.empty()) keep_placement(provider.options.placement, verdicts, nodes.size());
  });
}

void release_compiled(OrtEp*, OrtNodeComputeInfo** compiled, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) release_compiled_node(compiled[i]);
}

// There is nothing to save: a model with compiled nodes is none that a file could hold.
OrtStatus* compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes, std::size_t count,
                   OrtNodeComputeInfo** compiled, OrtNode**) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  std::size_t made = 0;
  OrtStatus* status = guarded(provider.api, [&] {
    for (; made < count; ++made) {
      compiled[made] = make_compiled_node(provider, graphs[made], Node(provider.api, fused_nodes[made]));
    }
  });
  if (status == nullptr) return nullptr;
  release_compiled(self, compiled, made);
  std::fill_n(compiled, count, nullptr);
  return status;
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
  Compile = compile;
  ReleaseNodeComputeInfos = release_compiled;
}

Provider::~Provider() {
  if (!options.placement.empty()) forget_placement(options.placement);
}

}  // namespace strew::ort
