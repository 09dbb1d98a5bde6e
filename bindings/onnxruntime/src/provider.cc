#include "provider.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "claims.h"
#include "compiled_node.h"
#include "fusion.h"

namespace strew::ort {
namespace {

// Arguments of GetCapability for one graph.
struct Look {
  Provider& provider;
  const Api& api;
  OrtEpGraphSupportInfo* support;

  /// Returns why Strew cannot run the node: another provider has claimed it, or there is no kernel. Returns
  /// nullopt if Strew might claim it.
  std::optional<std::string> reason_without_kernel(const Node& node) const {
    const std::string other = node.provider();
    if (!other.empty() && other != kEpName) return other + " has claimed it";
    if (fetch<const OrtKernelDef*>(api.ep.EpGraphSupportInfo_LookUpKernel, support, node.get()) != nullptr) {
      return std::nullopt;
    }
    if (node.is("Expand")) return "Strew claims an Expand only if its output is indices";
    return "Strew has no kernel for this version of the operator with this element type";
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

// Records the facts about indices that kernels need.
void note_indices(const Look& look, const OrtValueInfo* indices) {
  const Api& api = look.api;
  RepeatedValues& repeated_values = look.provider.repeated_values;
  if (const OrtValueInfo* original = copied_by_branch(api, indices)) {
    const std::optional<Dims> dims = value_type(api, original).dims;
    // The other branch of the If returns a value of rank 1. Kernels tell from the rank which branch ran, so the
    // original must have a higher rank.
    if (!dims || dims->size() < 2) return;
    repeated_values.note_copy(std::string(value_name(api, indices)), std::string(value_name(api, original)),
                              dims->size());
    indices = original;
  }
  // repeated_axes trusts the declared shapes, which may be wrong. If an Expand makes the indices, Strew's kernel
  // of the Expand checks them when it runs, but Strew claims the Expand only if there are readers.
  const std::size_t readers = index_readers(api, indices, look.claims()).count;
  repeated_values.note(std::string(value_name(api, indices)), readers > 0 ? repeated_axes(api, indices) : 0,
                       readers);
}

Verdict verdict_on(const Look& look, const Node& node, std::optional<std::string> reason) {
  return {std::string(node.op_type()),
          std::string(node.name()),
          std::string(value_name(look.api, node.output(0))),
          std::move(reason).value_or(""),
          {}};
}

Verdict judge(const Look& look, const Node& node, std::optional<std::string> reason) {
  if (!reason) look.take(node);
  return verdict_on(look, node, std::move(reason));
}

// Decides whether to claim a node. Returns the verdict; nullopt for operators that Strew never claims.
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

// The nodes that are fused, and why each of the other scatters is not.
struct Fused {
  std::set<const OrtNode*> nodes = {};
  std::map<const OrtNode*, std::string> unfused_reasons = {};
};

// Claims the patterns that run as one node, and adds the verdicts on their nodes.
Fused fuse(const Look& look, const std::vector<Node>& nodes, std::vector<Verdict>& verdicts) {
  Fused fused;
  if (!look.provider.options.fuse) return fused;
  const OrtNodeFusionOptions options{.ort_version_supported = kApiVersion, .drop_constant_initializers = false};
  const auto take_together = [&](const std::vector<const OrtNode*>& group, const std::vector<Node>& kernels) {
    const auto lacks_kernel = [&](const Node& one) { return look.reason_without_kernel(one).has_value(); };
    if (std::ranges::any_of(kernels, lacks_kernel)) return false;
    check(look.api.ep.EpGraphSupportInfo_AddNodesToFuse(look.support, group.data(), group.size(), &options));
    fused.nodes.insert(group.begin(), group.end());
    for (const Node& one : kernels) verdicts.push_back(verdict_on(look, one, std::nullopt));
    return true;
  };
  const Claims claims = look.claims();
  for (const Node& node : nodes) {
    const auto fusion = find_fusion(look.api, node, &claims);
    if (!fusion) {
      if (!fusion.error().empty()) fused.unfused_reasons[node.get()] = fusion.error();
      if (const std::optional<GatheredConcat> concat = find_gathered_concat(look.api, node, &claims)) {
        take_together(concat->nodes, concat->gathers);
      }
      continue;
    }
    if (!take_together(fusion->nodes, fusion->kernels)) {
      fused.unfused_reasons[node.get()] = "Strew has no kernel for an Expand or a Slice before it";
      continue;
    }
    if (!fusion->base.empty()) look.provider.fills.note(fusion->base, fusion->fill);
    if (moves_elements(node) && !fusion->has_expand) note_indices(look, fusion->index_value);
  }
  return fused;
}

// Returns why a gather is not fused, judging by the nodes that read its rows.
std::string reason_by_readers(const Look& look, const Node& gather, const Fused& fused) {
  const OrtValueInfo* rows = gather.output(0);
  std::string name_of_rows = "its rows";
  for (bool straight = true;; straight = false) {
    if (is_graph_output(look.api, rows)) return "the graph returns " + name_of_rows;
    std::vector<Use> readers = uses(look.api, rows);
    std::erase_if(readers, [](const Use& use) { return use.node.is("Shape"); });
    std::set<const OrtNode*> nodes;
    for (const Use& use : readers) nodes.insert(use.node.get());
    if (nodes.size() != 1) return std::to_string(nodes.size()) + " nodes read " + name_of_rows;
    const Node& reader = readers[0].node;
    const std::string name(reader.op_type());
    if (readers.size() > 1)
      return std::string(name).append(" reads ").append(name_of_rows).append(" more than once");
    if (fused.nodes.contains(reader.get()))
      return "its rows go into " + name + ", which is fused with another gather";
    const auto scatter = fused.unfused_reasons.find(reader.get());
    if (scatter != fused.unfused_reasons.end()) {
      return readers[0].input == kUpdatesInput ? "the " + name + " after it is not fused: " + scatter->second
                                               : "its rows are not the updates of the " + name + " after it";
    }
    if (straight && reader.is("Concat")) {
      return gather.is("Gather") || index_dims(look.api, gather)
                 ? "the Concat after it has strings or elements of less than a byte"
                 : "it has batch_dims, or its index tuples are not known to have exactly one component";
    }
    const bool goes_on = reader.is("Mul") || reader.is("Add") || reader.is("Relu") || reader.is("Slice");
    if (!goes_on) {
      return "its rows go into " + name + "; only rows that reach a Concat or a scatter, with at most " +
             kRowSteps + " between, are fused";
    }
    rows = reader.output(0);
    name_of_rows = "the output of " + name;
  }
}

// Returns why a claimed gather or scatter is not fused; empty for other nodes.
std::string reason_apart(const Look& look, const Node& node, const Fused& fused) {
  const bool gathers = node.is("Gather") || node.is("GatherND");
  const bool scatters = node.is("ScatterElements") || node.is("ScatterND") || node.is("Scatter");
  if (!gathers && !scatters) return {};
  if (!look.provider.options.fuse) return "the option fuse is 0";
  return gathers ? reason_by_readers(look, node, fused) : fused.unfused_reasons.at(node.get());
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  return guarded(provider.api, [&] {
    std::vector<Verdict> verdicts;
    const Look look{provider, provider.api, support};
    const std::vector<Node> nodes = read_nodes(provider.api, graph);
    const Fused fused = fuse(look, nodes, verdicts);
    for (const Node& node : nodes) {
      if (fused.nodes.contains(node.get())) continue;
      std::optional<Verdict> verdict = judge(look, node);
      if (!verdict) continue;
      if (verdict->reason.empty()) verdict->unfused_reason = reason_apart(look, node, fused);
      verdicts.push_back(*std::move(verdict));
    }
    if (!provider.options.placement.empty()) keep_placement(provider.options.placement, verdicts, nodes.size());
  });
}

void release_compiled(OrtEp*, OrtNodeComputeInfo** compiled, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) release_compiled_node(compiled[i]);
}

// Ignores the last parameter, the nodes to save: a model with compiled nodes cannot be stored in a file.
OrtStatus* compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes, std::size_t count,
                   OrtNodeComputeInfo** compiled, OrtNode**) noexcept {
  auto& provider = *static_cast<Provider*>(self);
  std::size_t compiled_count = 0;
  OrtStatus* status = guarded(provider.api, [&] {
    for (; compiled_count < count; ++compiled_count) {
      compiled[compiled_count] =
          make_compiled_node(provider, graphs[compiled_count], Node(provider.api, fused_nodes[compiled_count]));
    }
  });
  if (status == nullptr) return nullptr;
  release_compiled(self, compiled, compiled_count);
  std::fill_n(compiled, count, nullptr);
  return status;
}

OrtStatus* get_kernel_registry(OrtEp* self, const OrtKernelRegistry** registry) noexcept {
  *registry = static_cast<Provider*>(self)->registry;
  return nullptr;
}

}  // namespace

Provider& find_provider(const Api& api, const OrtKernelInfo* info) {
  return *static_cast<Provider*>(const_cast<OrtEp*>(fetch<const OrtEp*>(api.ep.KernelInfo_GetEp, info)));
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
