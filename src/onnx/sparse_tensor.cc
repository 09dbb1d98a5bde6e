// Decoding a SparseTensorProto into a dense tensor.
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/size.h"
#include "onnx/tensor_proto.h"
#include "onnx/wire.h"

namespace strew {
namespace {

struct SparseMessage {
  std::optional<std::span<const std::byte>> values;
  std::optional<std::span<const std::byte>> indices;
  Shape dims;
};

Status read_part(const WireField& field, std::string_view part, std::optional<std::span<const std::byte>>& to) {
  if (to) return fail(ErrorCode::kInvalidModel, part, " are given twice");
  return field.read(to.emplace());
}

Result<SparseMessage> read_sparse_message(std::span<const std::byte> bytes) {
  SparseMessage message;
  STREW_TRY(for_each_field(bytes, [&](const WireField& field) -> Status {
    if (field.number == 1) return read_part(field, "values", message.values);
    if (field.number == 2) return read_part(field, "indices", message.indices);
    if (field.number != 3) return {};
    const auto count = field.value_count<std::int64_t>();
    if (!count) return fail(count.error());
    if (*count > kMaxRank - message.dims.rank())
      return fail(ErrorCode::kUnsupported, "more than ", kMaxRank, " dims");
    return field.for_each_value<std::int64_t>([&](std::int64_t dim) { message.dims.push_back(dim); });
  }));
  if (!message.values) return fail(ErrorCode::kInvalidModel, "it has no values");
  return message;
}

Result<std::int64_t> check_dense(const Shape& dims, DType dtype, std::int64_t max_bytes) {
  if (dtype == DType::kString) {
    return fail(ErrorCode::kUnsupported, "sparse strings are not supported: a string has no zero");
  }
  bool positive = dims.rank() > 0;
  for (const std::int64_t dim : dims) positive = positive && dim > 0;
  if (!positive) {
    return fail(ErrorCode::kInvalidModel, "dims are ", dims, "; at least one is needed, and all must be above 0");
  }
  const auto count = checked_element_count("", "it", dtype, dims);
  if (!count) return fail(ErrorCode::kInvalidModel, count.error());
  if (size_bytes(dtype, *count) > max_bytes) {
    return fail(ErrorCode::kUnsupported, "as a dense tensor it takes ", size_bytes(dtype, *count),
                " bytes, the limit is ", max_bytes);
  }
  return *count;
}

// Where the values go: row-major positions in the dense tensor, read from [NNZ] or [NNZ, rank] coordinates.
class Positions {
 public:
  Positions(const Tensor& indices, const Shape& dims)
      : from_(static_cast<const std::byte*>(indices.data())), dims_(dims), linear_(indices.shape().rank() == 1) {}

  Result<std::int64_t> at(std::int64_t entry, std::int64_t dense_count) const {
    if (linear_) return coordinate(entry, dense_count, entry, -1);
    std::int64_t position = 0;
    for (std::int64_t axis = 0; axis < dims_.rank(); ++axis) {
      auto value = coordinate(entry * dims_.rank() + axis, dims_[axis], entry, axis);
      if (!value) return value;
      position = position * dims_[axis] + *value;  // below the dense count, which was checked
    }
    return position;
  }

 private:
  Result<std::int64_t> coordinate(std::int64_t at, std::int64_t bound, std::int64_t entry,
                                  std::int64_t axis) const {
    std::int64_t value = 0;
    std::memcpy(&value, from_ + at * static_cast<std::int64_t>(sizeof value), sizeof value);  // may be unaligned
    if (value >= 0 && value < bound) return value;
    const Shape where = axis < 0 ? Shape{entry} : Shape{entry, axis};
    return fail(ErrorCode::kInvalidModel, "indices", where, " = ", value, " is outside [0, ", bound - 1,
                "] for dims ", dims_);
  }

  const std::byte* from_;
  const Shape& dims_;
  bool linear_;
};

// Copies element `from` of `source` to element `to` of `target`, whose bits there are still zero.
void put_element(const Tensor& source, std::int64_t from, std::byte* target, std::int64_t to) {
  const int bits = bit_width(source.dtype());
  const auto* const bytes = static_cast<const std::byte*>(source.data());
  if (bits >= 8) {
    const std::int64_t width = bits / 8;
    std::memcpy(target + to * width, bytes + from * width, static_cast<std::size_t>(width));
    return;
  }
  const std::int64_t per_byte = 8 / bits;
  const auto low_bits = std::byte((1 << bits) - 1);
  const std::byte value = bytes[from / per_byte] >> (bits * static_cast<int>(from % per_byte)) & low_bits;
  target[to / per_byte] |= value << (bits * static_cast<int>(to % per_byte));
}

Status check_indices(const Tensor& indices, std::int64_t nnz, std::int64_t rank) {
  if (indices.dtype() != DType::kInt64) {
    return fail(ErrorCode::kInvalidModel, "indices are ", dtype_name(indices.dtype()), "; they must be int64");
  }
  if (indices.shape() == Shape{nnz} || indices.shape() == Shape{nnz, rank}) return {};
  return fail(ErrorCode::kInvalidModel, "indices have shape ", indices.shape(), "; it must be ", Shape{nnz},
              " or ", Shape{nnz, rank});
}

Status fill_dense(const Tensor& values, const Tensor& indices, Tensor& dense) {
  const Positions positions(indices, dense.shape());
  auto* const target = static_cast<std::byte*>(dense.mutable_data());
  std::int64_t last = -1;
  for (std::int64_t entry = 0; entry < values.element_count(); ++entry) {
    const auto position = positions.at(entry, dense.element_count());
    if (!position) return fail(position.error());
    if (*position <= last) {
      return fail(ErrorCode::kInvalidModel, "indices", Shape{entry}, " is ",
                  *position == last ? "the same as" : "before", " the one before it; they must ascend");
    }
    put_element(values, entry, target, *position);
    last = *position;
  }
  return {};
}

Result<Tensor> decode_dense(std::span<const std::byte> bytes, const TensorSource& source, std::string& name) {
  const auto message = read_sparse_message(bytes);
  if (!message) return fail(message.error());
  auto values = decode_tensor(*message->values, source);
  if (!values) return fail(values.error().code, "values: ", values.error());
  name = std::move(values->name);
  const Tensor& elements = values->tensor;
  if (elements.shape().rank() != 1) {
    return fail(ErrorCode::kInvalidModel, "values have shape ", elements.shape(), "; they must have rank 1");
  }
  const auto count = check_dense(message->dims, elements.dtype(), source.max_dense_bytes);
  if (!count) return fail(count.error());
  Tensor indices;
  if (message->indices) {
    auto decoded = decode_tensor(*message->indices, source);
    if (!decoded) return fail(decoded.error().code, "indices: ", decoded.error());
    indices = std::move(decoded->tensor);
    STREW_TRY(check_indices(indices, elements.element_count(), message->dims.rank()));
  } else if (elements.element_count() > 0) {
    return fail(ErrorCode::kInvalidModel, "it has values but no indices");
  }
  auto dense = Tensor::zeros(elements.dtype(), message->dims);
  if (!dense) return fail(dense.error());
  STREW_TRY(fill_dense(elements, indices, *dense));
  return dense;
}

}  // namespace

Result<NamedTensor> decode_sparse_tensor(std::span<const std::byte> message, const TensorSource& source) {
  try {
    std::string name;
    auto dense = decode_dense(message, source, name);
    if (dense) return NamedTensor{std::move(name), *std::move(dense)};
    const std::string who = name.empty() ? "sparse tensor" : concat("sparse tensor '", name, "'");
    return fail(found_in(who, std::move(dense).error()));
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "sparse tensor: no memory to read a message of ", message.size(),
                " bytes");
  }
}

}  // namespace strew
