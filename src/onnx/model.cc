// Loads models, and forwards calls to their graphs.
#include "strew/model.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "io/file.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"
#include "onnx/wire.h"

namespace strew {

struct Model::Impl {
  std::shared_ptr<LoadedModel> loaded;  // shared with models extracted from it
  CheckReport report;
  Status runnable;
  std::vector<ValueInfo> inputs;
  std::vector<NodeInfo> nodes;
};

namespace {

// Returns "text" or another description of bytes that are clearly not a model; "" for any other bytes.
std::string_view other_kind(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x93NUMPY")) return "a NumPy array (.npy)";
  if (text.size() >= 8 && text.substr(4, 4) == "ORTM") return "an ONNX Runtime model (.ort); pass the .onnx file";
  if (text.starts_with("PK\3\4")) return "a zip archive, as .npz files are";
  if (is_text(bytes)) return "text";
  return {};
}

Result<LoadedModel> read_model(std::span<const std::byte> bytes, const TensorSource& source,
                               const LoadOptions& options) {
  if (bytes.size() > kLargestMessage) {
    return fail(ErrorCode::kInvalidModel, "a model has at most ", kLargestMessage, " bytes; this one has ",
                bytes.size(), "; store large tensors as external data");
  }
  if (const std::string_view kind = other_kind(bytes); !kind.empty()) {
    return fail(ErrorCode::kInvalidModel, "not an ONNX model but ", kind);
  }
  const auto proto = read_model_proto(bytes);
  if (!proto) return fail(proto.error().code, "not a readable ONNX model: ", proto.error());
  return load_graphs(*proto, source, options);
}

template <class Impl>
std::unique_ptr<Impl> make_impl(LoadedModel&& loaded) {
  auto impl = std::make_unique<Impl>();
  impl->loaded = std::make_shared<LoadedModel>(std::move(loaded));
  Graph& graph = impl->loaded->graph;
  impl->report = check_graphs(*impl->loaded);
  impl->runnable = check_runnable(graph, impl->report);
  if (impl->runnable) find_last_uses(graph);
  for (const ValueInfo& input : graph.inputs) {
    if (is_callers_input(graph, input)) impl->inputs.push_back(input);
  }
  for (const GraphNode& node : graph.nodes) impl->nodes.push_back(node.info);
  return impl;
}

}  // namespace

Model::Model(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Result<Model> Model::load(const std::filesystem::path& path, const LoadOptions& options) {
  return with_memory_for("the model", [&]() -> Result<Model> {
    STREW_ASSIGN(const auto& file,
                 FileBytes::open(path, kLargestMessage));  // reads the file instead of mapping it
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    auto loaded = read_model(file->bytes(), {file, folder, options.links_within}, options);
    if (!loaded) return fail(found_in(one_line(path.native()), std::move(loaded).error()));
    return Model(make_impl<Impl>(std::move(*loaded)));
  });
}

Result<Model> Model::parse(std::span<const std::byte> bytes, const LoadOptions& options) {
  return with_memory_for("the model", [&]() -> Result<Model> {
    if (options.external_data_dir && options.external_data_dir->empty()) {
      return fail(ErrorCode::kInvalidArgument, {.where = "model"},
                  "external_data_dir is empty; '.' is the current folder");
    }
    const TensorSource source{nullptr, options.external_data_dir, options.links_within};
    auto loaded = read_model(bytes, source, options);
    if (!loaded) return fail(found_in("model", std::move(loaded).error()));
    return Model(make_impl<Impl>(std::move(*loaded)));
  });
}

const std::vector<ValueInfo>& Model::inputs() const noexcept { return impl_->inputs; }

bool Model::has_default(const std::string& input) const noexcept { return default_of(input) != nullptr; }

const Tensor* Model::default_of(const std::string& input) const noexcept {
  const bool is_input = std::ranges::find(impl_->inputs, input, &ValueInfo::name) != impl_->inputs.end();
  return is_input ? impl_->loaded->graph.initializer(input) : nullptr;
}

const std::vector<ValueInfo>& Model::outputs() const noexcept { return impl_->loaded->graph.outputs; }
const std::vector<NodeInfo>& Model::nodes() const noexcept { return impl_->nodes; }
std::int64_t Model::ir_version() const noexcept { return impl_->loaded->graph.ir_version; }
std::int64_t Model::opset() const noexcept { return impl_->loaded->graph.imported_opset; }
bool CheckReport::Node::is_gather_or_scatter() const noexcept {
  return checked && info.op_type != "Constant" && info.op_type != "Identity";
}

CheckReport Model::check() const { return impl_->report; }
Status Model::runnable() const { return impl_->runnable; }

Result<Model> Model::extract(std::string_view node) const {
  return with_memory_for("the model", [&]() -> Result<Model> {
    STREW_ASSIGN(auto&& piece, extract_node(impl_->loaded, impl_->report, node));
    return Model(make_impl<Impl>(std::move(piece)));
  });
}

Result<std::vector<NamedTensor>> Model::run(std::span<const std::pair<std::string, TensorView>> inputs,
                                            const Options& options) const {
  return with_memory_for("the model", [&]() -> Result<std::vector<NamedTensor>> {
    STREW_TRY(runnable());
    return run_graph(impl_->loaded->graph, inputs, options);
  });
}

}  // namespace strew
