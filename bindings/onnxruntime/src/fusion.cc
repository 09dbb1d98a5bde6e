#include "fusion.h"

#include <algorithm>
#include <utility>

#include "claims.h"
#include "facts.h"

namespace strew::ort {
namespace {

bool is_step(const Node& node, RowStep what) {
  if (what == RowStep::kRelu) return kReluKeepsBits && node.is("Relu") && node.since_version() >= 6;
  const bool has_type = node.is(what == RowStep::kMul ? "Mul" : "Add");
  return has_type && node.since_version() >= 7;  // in earlier versions, an attribute controls broadcasting
}

std::optional<std::int64_t> rank_of(const Api& api, const OrtValueInfo* value) {
  const std::optional<Dims> dims = value_type(api, value).dims;
  return dims ? std::optional(static_cast<std::int64_t>(dims->size())) : std::nullopt;
}

constexpr const char* kReadElsewhere =
    "another node reads, or the graph returns, a value between the gather and the scatter";

// The gather and the following operations, in order.
struct Rows {
  std::vector<Fusion::Step> steps = {};
  std::vector<Node> nodes = {};                  // starts with the gather
  std::vector<const OrtValueInfo*> values = {};  // the value after 0, 1, ... steps
  std::vector<const OrtValueInfo*> others = {};  // weight and addend
  std::vector<const OrtValueInfo*> inner = {};   // each weight or addend that the pattern computes as a product
};

tl::unexpected<std::string> no(std::string reason) { return tl::unexpected(std::move(reason)); }

class Parser {
 public:
  /// Without `taken`, all nodes may be claimed.
  Parser(const Api& api, const Node& scatter, const Claims* taken) : api_(api), scatter_(scatter), taken_(taken) {}

  tl::expected<Fusion, std::string> parse() {
    fusion_.by_elements = scatter_.is("ScatterElements");
    if (scatter_.is("Scatter")) return no("it has no reduction");
    if (!fusion_.by_elements && !scatter_.is("ScatterND")) return no({});
    base_ = scatter_.input(0);
    fusion_.reduction = scatter_.string_attribute("reduction").value_or("none");
    if (fusion_.reduction == "none" && !take_sum()) return no("it has no reduction");
    if (!is_along_rows(scatter_)) return no("it scatters along an axis other than the first");
    const OrtValueInfo* updates = scatter_.input(kUpdatesInput);
    if (std::optional<std::string> reason = take_slice(updates)) return no("the Slice before it: " + *reason);
    const OrtValueInfo* expanded = take_row_expand(updates);
    std::optional<Rows> rows = trace(updates, static_cast<int>(RowStep::kRelu));
    if (!rows) return no(why_not_);
    rows_ = *std::move(rows);
    if (expanded != nullptr) rows_.values.push_back(expanded);
    fusion_.steps = rows_.steps;
    fusion_.data = name(rows_.nodes[0].input(0));
    fusion_.gather_index = name(rows_.nodes[0].input(1));
    fusion_.by_tuples = rows_.nodes[0].is("GatherND");
    fusion_.kernels.push_back(rows_.nodes[0]);
    for (const Node& node : rows_.nodes) add(node);
    inner_.insert(inner_.end(), rows_.values.begin(), rows_.values.end());
    inner_.insert(inner_.end(), rows_.inner.begin(), rows_.inner.end());
    fusion_.index_value = scatter_.input(1);
    fusion_.kernels.push_back(scatter_);
    add(scatter_);
    take_expand();
    take_base();
    if (taken_ == nullptr) return std::move(fusion_);
    if (!all_inside()) return no(kReadElsewhere);
    if (std::optional<std::string> reason = reason_against_kernel()) return no(*std::move(reason));
    if (!(*taken_)(scatter_)) return no("Strew does not claim it");
    if (!(*taken_)(rows_.nodes[0])) return no("Strew does not claim the gather before it");
    return std::move(fusion_);
  }

 private:
  std::string name(const OrtValueInfo* value) const { return std::string(value_name(api_, value)); }
  void add(const Node& node) { fusion_.nodes.push_back(node.get()); }
  bool holds(const Node& node) const { return std::ranges::count(fusion_.nodes, node.get()) != 0; }

  // PyTorch Geometric writes -2 for the first axis of a matrix.
  bool is_along_rows(const Node& node) const {
    const std::int64_t axis = node.int_attribute("axis").value_or(0);
    return axis == 0 || (axis < 0 && rank_of(api_, node.input(0)) == -axis);
  }

  // Extends the pattern with the Add after a scatter into zeros, as in TorchScript's index_add. The Add's other
  // operand must be zeros too: in rows without updates, the Add turns a -0 of that operand into 0, and the fused
  // kernel would keep the -0.
  bool take_sum() {
    const OrtValueInfo* scattered = scatter_.output(0);
    const std::vector<Use> readers = uses(api_, scattered);
    if (readers.size() != 1 || !is_step(readers[0].node, RowStep::kAdd)) return false;
    sum_ = readers[0].node;
    base_ = sum_->input(readers[0].input == 0 ? 1 : 0);
    if (taken_ != nullptr && !(are_zeros(base_) && are_zeros(scatter_.input(0)) && same_shape(base_)))
      return false;
    fusion_.reduction = "add";
    fusion_.last_only = true;
    add(*sum_);
    inner_.push_back(scattered);
    return true;
  }

  bool are_zeros(const OrtValueInfo* value) const {
    const std::optional<Filled> found = filled(api_, value);
    return found && found->scalar.is_zero();
  }

  // True if the graph proves that a value has the shape of the scatter's base.
  bool same_shape(const OrtValueInfo* value) const {
    const OrtValueInfo* zeros = scatter_.input(0);
    const std::optional<Node> maker = producer(api_, zeros);
    const OrtValueInfo* like =
        maker && maker->is("ConstantOfShape") ? value_of_shape(api_, maker->input(0)) : nullptr;
    if (like != nullptr) return name(like) == name(value);
    const std::optional<Dims> dims = value_type(api_, zeros).dims;
    return dims && std::ranges::count(*dims, -1) == 0 && dims == value_type(api_, value).dims;
  }

  // Adds TorchScript's Slice, which cuts updates to the shape of the indices, or returns the reason against it.
  std::optional<std::string> take_slice(const OrtValueInfo*& updates) {
    const std::optional<Node> slice = producer(api_, updates);
    if (!slice || !slice->is("Slice")) return std::nullopt;
    if (taken_ != nullptr) {
      if (std::optional<std::string> reason = reason_against_slice(api_, *slice, *taken_)) return reason;
    }
    fusion_.has_slice = true;
    fusion_.kernels.push_back(*slice);
    add(*slice);
    slice_ = slice;
    inner_.push_back(updates);
    updates = slice->input(0);
    return std::nullopt;
  }

  // Adds the Expand with which TorchScript's index_add widens rows to the width of the base. Returns the output of
  // the Expand, or nullptr if there is none.
  const OrtValueInfo* take_row_expand(const OrtValueInfo*& updates) {
    const std::optional<Node> expand = producer(api_, updates);
    if (!sum_ || slice_ || !expand || !expand->is("Expand")) return nullptr;
    fusion_.rows_shape = name(expand->input(1));
    add(*expand);
    inner_.push_back(updates);
    return std::exchange(updates, expand->input(0));
  }

  // Traces a value back to its gather through the step `last` and earlier steps.
  std::optional<Rows> trace(const OrtValueInfo* value, int last) {
    const std::optional<Node> node = producer(api_, value);
    if (node && (node->is("Gather") || node->is("GatherND"))) return trace_gather(value, *node);
    for (int step = node ? last : -1; step >= 0; --step) {
      const auto what = static_cast<RowStep>(step);
      if (!is_step(*node, what)) continue;
      const bool unary = what == RowStep::kRelu;
      for (std::size_t i = 0; i < (unary ? 1 : 2); ++i) {
        std::optional<Rows> rows = trace(node->input(i), step - 1);
        if (!rows) continue;
        if (!only_reader(value)) return stop(kReadElsewhere);
        rows->steps.push_back({what, {}, {}});
        if (!unary) take_other(node->input(1 - i), *rows);
        rows->nodes.push_back(*node);
        rows->values.push_back(value);
        return rows;
      }
    }
    // Keeps the reason from an earlier path, which matched more of the pattern.
    if (why_not_.empty()) {
      why_not_ = "its updates come from " + (node ? std::string(node->op_type()) : "an input or a constant") +
                 ", not from a gather through " + kRowSteps + ", each at most once and in this order";
    }
    return std::nullopt;
  }

  std::optional<Rows> stop(std::string reason) {
    why_not_ = std::move(reason);
    return std::nullopt;
  }

  // Adds a weight or an addend. If it is an outer product, adds its two factors instead.
  void take_other(const OrtValueInfo* other, Rows& rows) const {
    rows.others.push_back(other);
    const std::optional<Node> mul = producer(api_, other);
    if (!mul || !is_step(*mul, RowStep::kMul) || !only_used_once(other) || !is_outer_product(*mul)) {
      rows.steps.back().other = name(other);
      return;
    }
    rows.steps.back().other = name(mul->input(0));
    rows.steps.back().times = name(mul->input(1));
    rows.nodes.push_back(*mul);
    rows.inner.push_back(other);
  }

  // True if each operand is broadcast along some axis of the other.
  bool is_outer_product(const Node& mul) const {
    const std::optional<Dims> one = value_type(api_, mul.input(0)).dims;
    const std::optional<Dims> other = value_type(api_, mul.input(1)).dims;
    if (!one || !other || one->size() != other->size()) return false;
    const auto repeats = [](const Dims& a, const Dims& b) {
      for (std::size_t axis = 0; axis < a.size(); ++axis) {
        if (a[axis] == 1 && b[axis] != 1) return true;
      }
      return false;
    };
    return repeats(*one, *other) && repeats(*other, *one);
  }

  bool only_used_once(const OrtValueInfo* value) const {
    return !is_graph_output(api_, value) && uses(api_, value).size() == 1;
  }

  std::optional<Rows> trace_gather(const OrtValueInfo* value, const Node& gather) {
    if (!is_along_rows(gather)) return stop("the Gather before it gathers along an axis other than the first");
    const std::optional<Dims> index = index_dims(api_, gather);
    if (!index)
      return stop(
          "the GatherND before it has batch_dims, or its index tuples are not known to have exactly one "
          "component");
    if (index->size() != 1) return stop("the indices of the gather before it do not have exactly one axis");
    if (!only_reader(value)) return stop(kReadElsewhere);
    return Rows{.nodes = {gather}, .values = {value}};
  }

  // True if exactly one use reads the elements of a value; readers of its shape are examined later.
  bool only_reader(const OrtValueInfo* value) const {
    if (is_graph_output(api_, value)) return false;
    return std::ranges::count_if(uses(api_, value), [](const Use& use) { return !use.node.is("Shape"); }) == 1;
  }

  // Adds the Expand of the indices, and the Shape nodes before and after it, if they have no other reader.
  void take_expand() {
    const std::optional<Node> expand = producer(api_, fusion_.index_value);
    fusion_.indices = name(fusion_.index_value);
    if (!expand || !expand->is("Expand") || is_graph_output(api_, fusion_.index_value)) return;
    std::vector<Node> shapes;
    for (const Use& use : uses(api_, fusion_.index_value)) {
      if (use.node.get() == scatter_.get() && use.input == 1) continue;
      if (!use.node.is("Shape") || !slice_ || !only_used_by(use.node.output(0), *slice_)) return;
      shapes.push_back(use.node);
    }
    const OrtValueInfo* shaped = value_of_shape(api_, expand->input(1));
    const auto rows =
        shaped == nullptr ? rows_.values.end() : std::ranges::find_if(rows_.values, [&](const OrtValueInfo* one) {
          return name(one) == name(shaped);
        });
    if (rows != rows_.values.end()) {
      const Node shape = *producer(api_, expand->input(1));
      if (!only_used_by(shape.output(0), *expand)) return;
      shapes.push_back(shape);
      fusion_.expand_to_step = static_cast<std::size_t>(rows - rows_.values.begin());
    } else {
      fusion_.expand_shape = name(expand->input(1));
    }
    for (const Node& shape : shapes) {
      add(shape);
      inner_.push_back(shape.output(0));
    }
    fusion_.has_expand = true;
    fusion_.indices = name(expand->input(0));
    fusion_.kernels.push_back(*expand);
    add(*expand);
    inner_.push_back(fusion_.index_value);
    expanded_ = expand->input(0);
  }

  // Adds a base whose elements are all equal, and the node that produces the base if the base has no other reader.
  void take_base() {
    const OrtValueInfo* scattered_into = scatter_.input(0);
    fusion_.base = name(base_);
    const std::optional<Filled> found = filled(api_, scattered_into);
    if (!found) return;
    fusion_.fill = found->scalar;
    if (!found->maker || !only_used_by(scattered_into, scatter_)) return;
    if (!sum_) {
      fusion_.base_shape = name(found->shape);
      fusion_.base_rank = found->rank;
      fusion_.base.clear();
    }
    add(*found->maker);
    inner_.push_back(scattered_into);
  }

  bool only_used_by(const OrtValueInfo* value, const Node& node) const {
    return !is_graph_output(api_, value) &&
           std::ranges::all_of(uses(api_, value), [&](const Use& use) { return use.node.get() == node.get(); });
  }

  // True if nothing outside the pattern reads its intermediate values: a fused node has one output.
  bool all_inside() const {
    return std::ranges::all_of(inner_, [&](const OrtValueInfo* value) {
      return !is_graph_output(api_, value) && std::ranges::all_of(uses(api_, value), [&](const Use& use) {
        return use.input >= 0 && holds(use.node);
      });
    });
  }

  // Returns why ranks or types rule out the fused kernel, or nullopt.
  std::optional<std::string> reason_against_kernel() const {
    const ValueType data = value_type(api_, rows_.nodes[0].input(0));
    if (!data.dtype || !data.dims || data.dims->empty())
      return "the model does not say how many axes the data have";
    const auto rank = static_cast<std::int64_t>(data.dims->size());
    const bool wide = data.dtype == DType::kFloat32 || data.dtype == DType::kFloat64;
    const bool narrow = data.dtype == DType::kFloat16 || data.dtype == DType::kBFloat16;
    if (!wide && !narrow) return "the data are not float16, bfloat16, float32 or float64";
    // ONNX Runtime computes 16-bit floats in float32 and does not round between two nodes.
    if (narrow && (fusion_.steps.size() > 1 || !rows_.inner.empty())) {
      return "ONNX Runtime does not round 16-bit floats between two of " + std::string(kRowSteps);
    }
    if (rank_of(api_, scatter_.input(0)) != rank || rank_of(api_, base_) != rank) {
      return "its data are not known to have as many axes as those of the gather";
    }
    const bool fit = std::ranges::all_of(
        rows_.others, [&](const OrtValueInfo* other) { return rank_of(api_, other).value_or(rank) <= rank; });
    if (!fit) return "an operand of Mul or Add has more axes than the data";
    if (one_index_a_row(rank)) return std::nullopt;
    return "its indices are not known to have one value for each row (ScatterElements: indices expanded from "
           "[edges, 1]; "
           "ScatterND: indices of shape [edges, 1])";
  }

  bool one_index_a_row(std::int64_t rank) const {
    const OrtValueInfo* indices = fusion_.index_value;
    const std::optional<Dims> dims = value_type(api_, indices).dims;
    if (!fusion_.by_elements) return dims && dims->size() == 2 && dims->back() == 1;
    if (rank == 1) return rank_of(api_, indices) == 1;
    if (fusion_.has_expand && rank_of(api_, expanded_) != rank) return false;
    return repeated_axes(api_, indices) >= rank - 1 || is_constant(api_, indices);
  }

  const Api& api_;
  const Node& scatter_;
  const Claims* taken_;
  Fusion fusion_;
  std::string why_not_;
  std::optional<Node> slice_;
  std::optional<Node> sum_;
  const OrtValueInfo* base_ = nullptr;  // initial values of the reduction
  const OrtValueInfo* expanded_ = nullptr;
  Rows rows_;
  std::vector<const OrtValueInfo*> inner_;  // all intermediate values
};

}  // namespace

tl::expected<Fusion, std::string> find_fusion(const Api& api, const Node& scatter, const Claims* taken) {
  return Parser(api, scatter, taken).parse();
}

}  // namespace strew::ort
