// Runs a Concat of gathers as one node.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "api.h"
#include "claims.h"
#include "compiled_node.h"
#include "executor.h"
#include "strew/checked_indices.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::ort {

std::optional<GatheredConcat> find_gathered_concat(const Api& api, const Node& concat, const Claims* taken) {
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
    const bool is_gather = gather && (gather->is("Gather") || index_dims(api, *gather));
    if (!is_gather || !read_here(input) || (taken != nullptr && !(*taken)(*gather))) {
      found.parts.push_back({std::string(value_name(api, input)), {}});
      continue;
    }
    found.parts.push_back({std::string(value_name(api, gather->input(0))),
                           std::string(value_name(api, gather->input(1))),
                           gather->int_attribute("axis").value_or(0), gather->is("GatherND")});
    if (std::ranges::count(found.nodes, gather->get()) != 0) continue;
    found.nodes.push_back(gather->get());
    found.gathers.push_back(*gather);
  }
  return found.gathers.empty() ? std::nullopt : std::optional(std::move(found));
}

namespace {

std::int64_t product(const Shape& shape, std::int64_t begin, std::int64_t end) {
  return element_count(Shape(std::span(shape.begin() + begin, shape.begin() + end)));
}

// Outputs of up to kSmallBytes are copied here, since a call of the library takes longer. Larger outputs are
// copied here only if rows have at least kWideRowBytes: the library copies narrower rows faster.
constexpr std::int64_t kSmallBytes = std::int64_t{1} << 14;
constexpr std::int64_t kWideRowBytes = 16;
constexpr std::int64_t kRowsAtOnce = 32;

// Rows of a gather along axis 0, or of a copied input, and their destination in the output.
struct Rows {
  const std::byte* from;
  std::byte* to;
  std::int64_t count;
  std::int64_t bytes;
  std::int64_t step;                      // stride of the rows in the output, in bytes
  std::vector<std::int64_t> chosen = {};  // the source row of each row of a gather; empty: all rows in order

  void copy(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = chosen.empty() ? i : chosen[static_cast<std::size_t>(i)];
      std::memcpy(to + i * step, from + row * bytes, static_cast<std::size_t>(bytes));
    }
  }
};

[[noreturn]] void refuse_shape(std::size_t place, const Shape& shape, std::size_t place_of_first,
                               const Shape& first, std::int64_t axis) {
  throw Refusal{ORT_INVALID_ARGUMENT, "concat: input " + std::to_string(place) + " has shape " + to_string(shape) +
                                          ", and input " + std::to_string(place_of_first) + " has " +
                                          to_string(first) + "; the shapes must be equal except along axis " +
                                          std::to_string(axis)};
}

struct ConcatNode : CompiledNode {
  ConcatNode(Provider& made_by, GatheredConcat found, const Node& fused_node)
      : CompiledNode(made_by, fused_node), concat(std::move(found)) {}

  struct Part {
    Tensor data;
    std::optional<Tensor> indices = std::nullopt;  // set for a gather
    std::int64_t axis = 0;                         // axis of the gather
    bool by_tuples = false;                        // as in GatheredConcat::Part
    bool one_row_each = false;                     // the gather has one index for each row of its output
    bool left_out = false;
    Shape shape = {};

    Plan plan() const {
      if (by_tuples) return unwrap(make_gather_nd_plan(data.spec(), indices->spec()));
      return unwrap(make_gather_plan(data.spec(), indices->spec(), {.axis = axis}));
    }
    void gather(const MutableTensorView& to, Executor& executor) const {
      unwrap(run(plan(), {data.view(), indices->view()}, to, {.executor = &executor}));
    }
  };

  void compute(OrtKernelContext* context) const override {
    SessionThreads executor(api, context, provider.options.threads);
    std::vector<Part> parts = read(context);
    const DType dtype = parts[0].data.dtype;
    const Shape whole = whole_shape(parts, executor);
    const std::int64_t axis = concat.axis < 0 ? concat.axis + whole.rank() : concat.axis;
    const MutableTensorView all = output(context, dtype, whole);
    if (!copy_rows(parts, axis, all, executor)) copy_parts(parts, axis, all, executor);
    executor.check_complete();
  }

  std::vector<Part> read(const OrtKernelContext* context) const {
    std::vector<Part> parts;
    parts.reserve(concat.parts.size());
    for (const GatheredConcat::Part& part : concat.parts) {
      Part& entry = parts.emplace_back(Part{.data = input(context, part.data)});
      entry.shape = Shape(entry.data.dims);
      if (part.indices.empty()) continue;
      entry.indices = input(context, part.indices);
      entry.by_tuples = part.by_tuples;
      entry.axis = part.axis;
      const auto& index = entry.indices->dims;
      const auto rank = static_cast<std::int64_t>(entry.data.dims.size());
      const bool is_list = part.by_tuples ? index.size() == 2 && index[1] == 1 : index.size() == 1;
      entry.one_row_each = is_list && rank > 0 && (part.axis == 0 || part.axis == -rank);
      if (entry.one_row_each) {
        entry.shape[0] = index[0];
      } else {
        entry.shape = entry.plan().output_shape();
      }
    }
    return parts;
  }

  // Returns the shape of the output. Like ONNX Runtime, omits a part whose shape does not match if the part has
  // length 0 along the axis, as an empty cache of keys has.
  Shape whole_shape(std::vector<Part>& parts, Executor& executor) const {
    const auto full = std::ranges::find_if(parts, [](const Part& part) { return element_count(part.shape) > 0; });
    const auto first = full == parts.end() ? parts.begin() : full;
    const std::size_t place_of_first = static_cast<std::size_t>(first - parts.begin());
    Shape whole = first->shape;
    const std::int64_t rank = whole.rank();
    const std::int64_t axis = concat.axis < 0 ? concat.axis + rank : concat.axis;
    if (axis < 0 || axis >= rank) {
      throw Refusal{ORT_INVALID_ARGUMENT,
                    "concat: shape " + to_string(whole) + " has no axis " + std::to_string(concat.axis)};
    }
    const Shape like = whole;
    whole[axis] = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Shape& shape = parts[i].shape;
      Shape wanted = like;
      if (shape.rank() == rank) wanted[axis] = shape[axis];
      if (wanted == shape) {
        whole[axis] += shape[axis];
        continue;
      }
      parts[i].left_out = element_count(shape) == 0 && axis < shape.rank() && shape[axis] == 0;
      if (!parts[i].left_out) refuse_shape(i, shape, place_of_first, like, axis);
      if (parts[i].indices)
        parts[i].gather({nullptr, parts[i].data.dtype, shape}, executor);  // checks index values
    }
    std::erase_if(parts, [](const Part& part) { return part.left_out; });
    return whole;
  }

  // Copies the parts row by row. Returns false, and writes nothing, if a gather does not have one index per row,
  // if an index is out of bounds, or if the library would be faster.
  static bool copy_rows(const std::vector<Part>& parts, std::int64_t axis, const MutableTensorView& all,
                        Executor& executor) {
    const Shape& whole = all.shape();
    const std::int64_t width = bit_width(all.dtype()) / 8;
    const std::int64_t bytes = element_count(whole) * width;
    if (axis > 1 || whole.rank() < 2 || bytes == 0) return false;
    const bool small = bytes <= kSmallBytes;
    if (axis == 0 && !small) return false;
    const std::int64_t step = product(whole, 1, whole.rank()) * width;
    auto* to = static_cast<std::byte*>(all.data());
    std::vector<Rows> rows;
    rows.reserve(parts.size());
    for (const Part& part : parts) {
      const std::int64_t row = product(part.shape, 1, part.shape.rank()) * width;
      Rows& entry =
          rows.emplace_back(Rows{static_cast<const std::byte*>(part.data.data), to, part.shape[0], row, step});
      to += axis == 0 ? row * part.shape[0] : row;
      if (!part.indices) continue;
      if (!part.one_row_each || !(small || row >= kWideRowBytes)) return false;
      entry.chosen.resize(static_cast<std::size_t>(part.shape[0]));
      if (!resolve_indices(part.indices->view(), part.data.dims[0], entry.chosen.data())) return false;
    }
    if (axis == 0) {
      for (const Rows& one : rows) one.copy(0, one.count);
      return true;
    }
    // Interleaves a few rows of each part, so that the output is written once from beginning to end.
    run_in_parts(executor, rows[0].count, bytes / kTaskBytes, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += kRowsAtOnce) {
        for (const Rows& one : rows) one.copy(begin, std::min(begin + kRowsAtOnce, end));
      }
    });
    return true;
  }

  static void copy_parts(const std::vector<Part>& parts, std::int64_t axis, const MutableTensorView& all,
                         Executor& executor) {
    const Shape& whole = all.shape();
    const std::int64_t rank = whole.rank();
    const DType dtype = all.dtype();
    const Shape strides = dense_strides(whole);
    const std::int64_t width = bit_width(dtype) / 8;
    std::int64_t begin = 0;  // offset of the part in each block of the output, in elements
    for (const Part& part : parts) {
      std::byte* to = static_cast<std::byte*>(all.data()) + begin * width;
      const std::int64_t block = product(part.shape, axis, rank);
      begin += block;
      if (part.indices) {
        part.gather({to, dtype, part.shape, strides}, executor);
        continue;
      }
      const std::int64_t bytes = element_count(part.shape) * width;
      if (bytes == 0) continue;
      const auto* from = static_cast<const std::byte*>(part.data.data);
      const std::int64_t blocks = product(part.shape, 0, axis);
      const std::int64_t step = product(whole, axis, rank) * width;
      run_in_parts(executor, blocks, std::min(blocks, bytes / kTaskBytes), [&](std::int64_t i, std::int64_t end) {
        const auto size = static_cast<std::size_t>(block * width);
        for (; i < end; ++i) std::memcpy(to + i * step, from + i * block * width, size);
      });
    }
  }

  const GatheredConcat concat;
};

}  // namespace

std::unique_ptr<CompiledNode> make_concat_node(Provider& provider, GatheredConcat found, const Node& fused_node) {
  return std::make_unique<ConcatNode>(provider, std::move(found), fused_node);
}

}  // namespace strew::ort
