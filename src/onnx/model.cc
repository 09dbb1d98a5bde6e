// Model: loading, and the face of the graph behind it.
#include "strew/model.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "core/catch_bad_alloc.h"
#include "core/error.h"
#include "io/file.h"
#include "onnx/graph.h"
#include "onnx/graph_inputs.h"
#include "onnx/node_rules.h"

namespace strew {

struct Model::Impl {
  Graph graph;
  CheckReport report;
  std::vector<ValueInfo> inputs;
  std::vector<NodeInfo> nodes;
};

namespace {

constexpr std::size_t kLargestMessage = 2147483647;  // of any protobuf message

// What a file is that is often given in place of a model; no model begins so.
std::string_view other_kind(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x93NUMPY")) return "a NumPy array (.npy)";
  if (text.starts_with("PK\3\4")) return "a zip archive, as .npz files are";
  return {};
}

Result<Graph> read_graph(std::span<const std::byte> bytes, const TensorSource& source,
                         const LoadOptions& options) {
  if (options.max_dense_bytes < 0) {
    return fail(ErrorCode::kInvalidArgument, "max_dense_bytes is ", options.max_dense_bytes, "; 0 to ",
                std::numeric_limits<std::int64_t>::max(), " are possible");
  }
  if (bytes.size() > kLargestMessage) {
    return fail(ErrorCode::kInvalidModel, "a model has at most ", kLargestMessage, " bytes, this has ",
                bytes.size(), "; larger tensors belong into external data");
  }
  if (const std::string_view kind = other_kind(bytes); !kind.empty()) {
    return fail(ErrorCode::kInvalidModel, "not an ONNX model but ", kind);
  }
  const auto proto = read_model_proto(bytes);
  if (!proto) return fail(proto.error().code, "not a readable ONNX model: ", proto.error());
  return load_graph(*proto, source, options);
}

template <class Impl>
std::unique_ptr<Impl> make_impl(Graph&& graph) {
  auto impl = std::make_unique<Impl>();
  impl->graph = std::move(graph);
  impl->report = check_graph(impl->graph);
  if (impl->report.ok()) find_last_uses(impl->graph);
  for (const ValueInfo& input : impl->graph.inputs) {
    if (is_callers_input(impl->graph, input)) impl->inputs.push_back(input);
  }
  for (const GraphNode& node : impl->graph.nodes) impl->nodes.push_back(node.info);
  return impl;
}

}  // namespace

Model::Model(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Result<Model> Model::load(const std::filesystem::path& path, const LoadOptions& options) {
  return guarded("the model", [&]() -> Result<Model> {
    const auto file = MappedFile::open(path);
    if (!file) return fail(file.error());
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    auto graph =
        read_graph((*file)->bytes(), {*file, folder, options.links_within, options.max_dense_bytes}, options);
    if (!graph) return fail(found_in(one_line(path.native()), std::move(graph).error()));
    return Model(make_impl<Impl>(std::move(*graph)));
  });
}

Result<Model> Model::parse(std::span<const std::byte> bytes, const LoadOptions& options) {
  return guarded("the model", [&]() -> Result<Model> {
    if (options.external_data_dir && options.external_data_dir->empty()) {
      return fail(ErrorCode::kInvalidArgument, {.where = "model"},
                  "external_data_dir is empty; '.' is the current folder");
    }
    const TensorSource source{nullptr, options.external_data_dir, options.links_within, options.max_dense_bytes};
    auto graph = read_graph(bytes, source, options);
    if (!graph) return fail(found_in("model", std::move(graph).error()));
    return Model(make_impl<Impl>(std::move(*graph)));
  });
}

const std::vector<ValueInfo>& Model::inputs() const noexcept { return impl_->inputs; }

bool Model::has_default(const std::string& input) const noexcept {
  const bool is_input = std::ranges::find(impl_->inputs, input, &ValueInfo::name) != impl_->inputs.end();
  return is_input && impl_->graph.initializer(input) != nullptr;
}

const std::vector<ValueInfo>& Model::outputs() const noexcept { return impl_->graph.outputs; }
const std::vector<NodeInfo>& Model::nodes() const noexcept { return impl_->nodes; }
std::int64_t Model::ir_version() const noexcept { return impl_->graph.ir_version; }
std::int64_t Model::opset() const noexcept { return impl_->graph.imported_opset; }
CheckReport Model::check() const { return impl_->report; }

Result<std::vector<NamedTensor>> Model::run(std::span<const std::pair<std::string, TensorView>> inputs,
                                            const Options& options) const {
  return guarded("the model", [&]() -> Result<std::vector<NamedTensor>> {
    if (!impl_->report.ok()) return fail(impl_->report.violations.front().error);
    return run_graph(impl_->graph, inputs, options);
  });
}

}  // namespace strew
