// What strew bench measures, from a node of a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "bench_case.h"
#include "format.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "tensor_argument.h"

namespace strew::app {
namespace {

constexpr const char* kShapeHint = ", or write the shapes into the model: onnx.shape_inference.infer_shapes";

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

// "edges=40000"
Result<Sizes> parse_sizes(const std::vector<std::string>& texts) {
  Sizes sizes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    std::int64_t size = -1;
    if (equals != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto [after, fault] = std::from_chars(text.data() + equals + 1, end, size);
      if (fault != std::errc() || after != end) size = -1;
    }
    if (size < 0 || equals == 0) {
      return fail(ErrorCode::kInvalidArgument,
                  "--dim {}: write the name of a dimension and its size, 0 or more, as in batch=8", text);
    }
    const auto [first, is_new] = sizes.emplace(text.substr(0, equals), size);
    if (!is_new)
      return fail(ErrorCode::kInvalidArgument, "--dim {}: {} is {} already", text, first->first, first->second);
  }
  return sizes;
}

// The one that --node names, or the only one that there is.
Result<Model> find_node(const Model& model, const BenchOptions& options) {
  if (!options.node.empty()) return model.extract(options.node);
  std::vector<std::string> names;
  const CheckReport report = model.check();
  for (const CheckReport::Node& node : report.nodes) {
    if (node.is_gather_or_scatter()) names.push_back(node.info.address);
  }
  if (names.size() == 1) return model.extract(names.front());
  if (names.empty()) return fail(ErrorCode::kUnsupported, "the model has no gather or scatter");
  const std::size_t count = names.size();
  if (count > 5) names.resize(5);
  return fail(ErrorCode::kInvalidArgument, "which node? --node NAME; there are {} gathers and scatters: {}{}",
              count, fmt::join(names, ", "), count > 5 ? ", ..." : "");
}

class NodeCase {
 public:
  NodeCase(const BenchOptions& options, const Model& piece, Sizes sizes)
      : options_(options), piece_(piece), node_(piece.nodes().front()), sizes_(std::move(sizes)) {}

  Result<BenchCase> make() {
    const auto op = find_operator(node_.op_type, node_.since_version);
    if (!op) return fail(op.error());
    if (Status read = read_files(**op); !read) return fail(std::move(read).error());
    std::map<Role, TensorSpec> specs;
    for (std::size_t i = 0; i < node_.inputs.size() && i < (*op)->inputs.size(); ++i) {
      if (node_.inputs[i].empty()) continue;
      auto spec = spec_of((*op)->inputs[i], node_.inputs[i]);
      if (!spec) return fail(std::move(spec).error());
      if (*spec) specs.emplace((*op)->inputs[i].role, std::move(**spec));
    }
    if (Status known = check_sizes(); !known) return fail(std::move(known).error());
    if (!missing_.empty()) {
      return fail(ErrorCode::kInvalidArgument, "the sizes of some dimensions are not known: give --dim {}=N",
                  fmt::join(missing_, "=N --dim "));
    }
    BenchCase wanted{(*op)->op_type == "Scatter" ? "ScatterElements" : node_.op_type, node_.name, "",
                     node_.attributes, specs.at(Role::kData)};
    const auto indices = specs.find(Role::kIndices);
    if (indices != specs.end()) wanted.indices = indices->second;
    const auto updates = specs.find(Role::kUpdates);
    if (updates != specs.end()) {
      wanted.updates = updates->second;
    } else if ((*op)->op >= OpKind::kScatterElements && wanted.indices) {
      auto spec = update_spec(wanted.op_type, wanted.data, *wanted.indices);
      if (!spec) return fail(std::move(spec).error());
      wanted.updates = std::move(*spec);
    }
    wanted.index_values = std::move(index_values_);
    return wanted;
  }

 private:
  // -i NAME=FILE, by the name of the value or of the operator's input.
  Status read_files(const OperatorVersion& op) {
    for (const std::string& text : options_.inputs) {
      auto argument = parse_file_argument(text, "-i");
      if (!argument) return fail(std::move(argument).error());
      std::vector<std::string_view> names;
      std::size_t at = node_.inputs.size();
      for (std::size_t i = 0; i < node_.inputs.size() && i < op.inputs.size(); ++i) {
        names.push_back(op.inputs[i].name);
        if (argument->name == op.inputs[i].name || argument->name == node_.inputs[i]) at = i;
      }
      if (at == node_.inputs.size()) {
        return fail(ErrorCode::kInvalidArgument, "-i {}: the node has no input '{}'{}", text, argument->name,
                    choices_text(argument->name, names));
      }
      auto tensor = load_input(argument->file, argument->dtype);
      if (!tensor) return fail(std::move(tensor).error());
      files_.insert_or_assign(node_.inputs[at], std::move(*tensor));
    }
    return {};
  }

  // Refuses a size of what is no dimension of the node.
  Status check_sizes() const {
    std::set<std::string> symbols;
    for (const ValueInfo& input : piece_.inputs()) {
      if (!input.shape) continue;
      for (const Dim& dim : *input.shape) {
        if (!dim.symbol.empty()) symbols.insert(dim.symbol);
      }
    }
    const std::vector<std::string_view> names(symbols.begin(), symbols.end());
    for (const auto& [name, size] : sizes_) {
      if (symbols.contains(name)) continue;
      return fail(ErrorCode::kInvalidArgument, "--dim {}={}: {}{}", name, size,
                  names.empty() ? "the model has no dimension of the node's inputs by name"
                                : "the node has no such dimension",
                  names.empty() ? "" : choices_text(name, names));
    }
    return {};
  }

  // Nothing where dimensions are missing, which are then noted.
  Result<std::optional<TensorSpec>> spec_of(const InputInfo& input, const std::string& name) {
    const auto& [option, text] = option_of(input.role);
    if (!text.empty()) {
      auto spec = parse_spec(text, option);
      if (!spec) return fail(std::move(spec).error());
      return std::move(*spec);
    }
    const auto file = files_.find(name);
    const Tensor* const known = file != files_.end() ? &file->second : piece_.default_of(name);
    if (known != nullptr) {
      if (input.is_index() && options_.pattern.empty()) {
        auto values = known->clone();
        if (!values) return fail(std::move(values).error());
        index_values_ = std::move(*values);
      }
      return TensorSpec(known->dtype(), known->shape());
    }
    const ValueInfo value = *std::ranges::find(piece_.inputs(), name, &ValueInfo::name);
    const bool is_open = !value.dtype || !value.shape || std::ranges::any_of(*value.shape, [](const Dim& dim) {
      return !dim.value && dim.symbol.empty();
    });
    const bool follows = input.role == Role::kUpdates && node_.op_type != "TensorScatter";  // from the others
    const bool is_sized = !is_open && std::ranges::all_of(*value.shape, [&](const Dim& dim) {
      return dim.value || sizes_.contains(dim.symbol);
    });
    if (follows && !is_sized) return std::nullopt;
    if (!value.dtype && !value.shape) {
      return fail(ErrorCode::kInvalidArgument, "the model says nothing of {}; give {} TYPE[DIMS]{}", input.name,
                  option, kShapeHint);
    }
    if (is_open) {
      return fail(ErrorCode::kInvalidArgument, "of {} the model only says that it is {}; give {} TYPE[DIMS]{}",
                  input.name, to_string(ValueInfo{"", value.dtype, value.shape}), option,
                  value.shape ? "" : kShapeHint);
    }
    Shape shape;
    bool complete = true;
    for (const Dim& dim : *value.shape) {
      const auto size = sizes_.find(dim.symbol);
      if (!dim.value && size == sizes_.end()) {
        complete = false;
        if (std::ranges::find(missing_, dim.symbol) == missing_.end()) missing_.push_back(dim.symbol);
      }
      shape.push_back(dim.value ? *dim.value : size == sizes_.end() ? 0 : size->second);
    }
    if (!complete) return std::nullopt;
    return TensorSpec(*value.dtype, shape);
  }

  std::pair<std::string, const std::string&> option_of(Role role) const {
    if (role == Role::kData) return {"--data", options_.data};
    if (role == Role::kIndices) return {"--indices", options_.indices};
    return {"--updates", options_.updates};
  }

  const BenchOptions& options_;
  const Model& piece_;
  const NodeInfo& node_;
  Sizes sizes_;
  std::map<std::string, Tensor> files_;
  std::vector<std::string> missing_;
  std::optional<Tensor> index_values_;
};

}  // namespace

bool names_model(const BenchOptions& options) {
  return !options.node.empty() || options.op_type.ends_with(".onnx");
}

Result<BenchCase> case_of_node(const BenchOptions& options) {
  if (!options.op_type.ends_with(".onnx") && find_operator(options.op_type, kNewestOpset)) {
    return fail(ErrorCode::kInvalidArgument, "bench: --node is for a node of a model; {} is an operator",
                options.op_type);
  }
  if (!options.given.empty()) {
    return fail(ErrorCode::kInvalidArgument, "bench: the node has its attributes; leave {} out",
                options.given.begin()->first);
  }
  auto sizes = parse_sizes(options.dims);
  if (!sizes) return fail(std::move(sizes).error());
  const auto model = Model::load(options.op_type);
  if (!model) return fail_in(options.op_type, model.error());
  const auto piece = find_node(*model, options);
  if (!piece) return fail_in(options.op_type, piece.error());
  if (Status runnable = piece->runnable(); !runnable) return fail_in(options.op_type, std::move(runnable).error());
  std::string where = fmt::format("{}: node {}", options.op_type, node_text(piece->nodes().front()));
  auto wanted = NodeCase(options, *piece, std::move(*sizes)).make();
  if (!wanted) return fail_in(where, std::move(wanted).error());
  wanted->where = std::move(where);
  return wanted;
}

}  // namespace strew::app
