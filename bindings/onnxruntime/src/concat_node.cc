// Concat of gathers as one node.
#include "concat_node.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "executor.h"
#include "refuse.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::ort {
namespace {

constexpr std::int64_t kTaskBytes = std::int64_t{1} << 18;

std::optional<GatheredConcat> parse(const Api& api, const Node& concat, const Claims* taken) {
  const std::optional<std::int64_t> axis = concat.int_attribute("axis");
  if (!concat.is("Concat") || concat.since_version() < 4 || !axis) return std::nullopt;
  const ValueType type = value_type(api, concat.output(0));
  if (!type.dtype || *type.dtype == DType::kString || bit_width(*type.dtype) < 8) return std::nullopt;
  const auto read_here = [&](const OrtValueInfo* value) {
    return !is_graph_output(api, value) && std::ranges::all_of(uses(api, value), [&](const Use& use) {
      return use.node.get() == concat.get() && use.input >= 0;
    });
  };
  GatheredConcat found{.nodes = {concat.get()}, .gathers = {}, .parts = {}, .axis = *axis};
  for (const OrtValueInfo* input : concat.inputs()) {
    const std::optional<Node> gather = producer(api, input);
    if (!gather || !gather->is("Gather") || !read_here(input) || (taken != nullptr && !(*taken)(*gather))) {
      found.parts.push_back({std::string(value_name(api, input)), {}, 0});
      continue;
    }
    found.parts.push_back({std::string(value_name(api, gather->input(0))),
                           std::string(value_name(api, gather->input(1))),
                           gather->int_attribute("axis").value_or(0)});
    if (std::ranges::count(found.nodes, gather->get()) != 0) continue;
    found.nodes.push_back(gather->get());
    found.gathers.push_back(*gather);
  }
  return found.gathers.empty() ? std::nullopt : std::optional(std::move(found));
}

std::int64_t product(const Shape& shape, std::int64_t begin, std::int64_t end) {
  return element_count(Shape(std::span(shape.begin() + begin, shape.begin() + end)));
}

// Blocks that lie one after the other, to others that lie further apart.
struct Copy {
  const std::byte* from;
  std::byte* to;
  std::int64_t blocks;
  std::int64_t bytes;  // of a block
  std::int64_t step;   // from a block to the next in what is written
  std::int64_t tasks;
};

void copy_blocks(void* context, std::int64_t task) {
  const Copy& all = *static_cast<const Copy*>(context);
  for (std::int64_t i = all.blocks * task / all.tasks; i < all.blocks * (task + 1) / all.tasks; ++i) {
    std::memcpy(all.to + i * all.step, all.from + i * all.bytes, static_cast<std::size_t>(all.bytes));
  }
}

struct ConcatNode : CompiledNode {
  ConcatNode(Provider& made_by, GatheredConcat found, const Node& fused_node)
      : CompiledNode(made_by, fused_node), concat(std::move(found)) {}

  struct Part {
    Tensor data;
    std::optional<Tensor> indices = std::nullopt;  // with a plan: of a gather
    std::optional<Plan> plan = std::nullopt;
    Shape shape = {};
  };

  void compute(OrtKernelContext* context) const override;
  std::vector<Part> read(const OrtKernelContext* context) const;

  const GatheredConcat concat;
};

[[noreturn]] void refuse_shape(std::size_t place, const Shape& shape, const Shape& first, std::int64_t axis) {
  throw Refusal{ORT_INVALID_ARGUMENT, "concat: input " + std::to_string(place) + " has shape " + to_string(shape) +
                                          ", input 0 " + to_string(first) + "; they must be equal but for axis " +
                                          std::to_string(axis)};
}

std::vector<ConcatNode::Part> ConcatNode::read(const OrtKernelContext* context) const {
  std::vector<Part> parts;
  parts.reserve(concat.parts.size());
  for (const GatheredConcat::Part& part : concat.parts) {
    Part& made = parts.emplace_back(Part{.data = input(context, part.data)});
    made.shape = Shape(made.data.dims);
    if (part.indices.empty()) continue;
    made.indices = input(context, part.indices);
    made.plan = unwrap(make_gather_plan(made.data.spec(), made.indices->spec(), {.axis = part.axis}));
    made.shape = made.plan->output_shape();
  }
  return parts;
}

void ConcatNode::compute(OrtKernelContext* context) const {
  const std::vector<Part> parts = read(context);
  Shape whole = parts[0].shape;
  const std::int64_t rank = whole.rank();
  const std::int64_t axis = concat.axis < 0 ? concat.axis + rank : concat.axis;
  if (axis < 0 || axis >= rank) {
    throw Refusal{ORT_INVALID_ARGUMENT,
                  "concat: axis " + std::to_string(concat.axis) + " is not one of shape " + to_string(whole)};
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Shape wanted = whole;
    if (parts[i].shape.rank() == rank) wanted[axis] = parts[i].shape[axis];
    if (wanted != parts[i].shape) refuse_shape(i, parts[i].shape, parts[0].shape, axis);
    whole[axis] += parts[i].shape[axis];
  }
  const DType dtype = parts[0].data.dtype;
  const MutableTensorView all = output(context, dtype, whole);
  const Shape strides = dense_strides(whole);
  const std::int64_t width = bit_width(dtype) / 8;
  SessionThreads executor(api, context, provider.options.threads);
  std::int64_t begin = 0;  // elements of the first block, before this part's
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    std::byte* to = static_cast<std::byte*>(all.data()) + begin * width;
    const std::int64_t block = product(part.shape, axis, rank);
    begin += block;
    if (part.plan) {
      const MutableTensorView view(to, dtype, part.shape, strides);
      unwrap(run(*part.plan, {part.data.view(), part.indices->view()}, view, {.executor = &executor}));
      continue;
    }
    const std::int64_t bytes = element_count(part.shape) * width;
    if (bytes == 0) continue;
    Copy copy{static_cast<const std::byte*>(part.data.data),
              to,
              product(part.shape, 0, axis),
              block * width,
              product(whole, axis, rank) * width,
              1};
    copy.tasks = std::clamp<std::int64_t>(std::min(copy.blocks, bytes / kTaskBytes), 1, executor.thread_count());
    if (copy.tasks == 1) {
      copy_blocks(&copy, 0);
    } else {
      executor.run(copy_blocks, &copy, copy.tasks);
    }
  }
  if (!executor.complete()) throw Refusal{ORT_FAIL, "strew: ONNX Runtime's threads did not run all tasks"};
}

}  // namespace

std::optional<GatheredConcat> find_gathered_concat(const Api& api, const Node& concat, const Claims& taken) {
  return parse(api, concat, &taken);
}

std::optional<GatheredConcat> chosen_gathered_concat(const Api& api, const Node& concat) {
  return parse(api, concat, nullptr);
}

std::unique_ptr<CompiledNode> make_concat_node(Provider& provider, GatheredConcat found, const Node& fused_node) {
  return std::make_unique<ConcatNode>(provider, std::move(found), fused_node);
}

}  // namespace strew::ort
