// Writes a TensorProto with fields in the order of ONNX's tests: dims, data_type, string_data, name, raw_data.
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/size.h"
#include "core/view_check.h"
#include "io/file.h"
#include "onnx/tensor_message.h"
#include "onnx/wire.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

// A message in three pieces, so that a large tensor is written to a file without a copy.
struct Encoded {
  std::string head;
  Tensor dense;  // owns the payload if the view was not dense
  std::string_view payload;
  std::string tail;  // the last byte of packed elements, if it has unused bits

  std::size_t size() const noexcept { return head.size() + payload.size() + tail.size(); }
};

tl::unexpected<Error> too_large(std::int64_t bytes) {
  return fail(ErrorCode::kUnsupported, "it takes ", bytes, " bytes; one protobuf message holds at most ",
              kLargestMessage, "; larger tensors need external data");
}

void add_varint(std::string& to, std::uint64_t value) {
  for (; value > 127; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

void add_int(std::string& to, TensorField field, std::int64_t value) {
  add_varint(to, field << 3 | static_cast<std::uint32_t>(WireType::kVarint));
  add_varint(to, static_cast<std::uint64_t>(value));
}

// Adds the key and the length of a field of `length` bytes.
void add_length(std::string& to, TensorField field, std::uint64_t length) {
  add_varint(to, field << 3 | static_cast<std::uint32_t>(WireType::kBytes));
  add_varint(to, length);
}

Status add_strings(const std::string* strings, std::int64_t count, std::string& to) {
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    total += static_cast<std::int64_t>(strings[i].size());
    if (total > kLargestMessage) return too_large(total);
    add_length(to, kStringData, strings[i].size());
    to += strings[i];
  }
  return {};
}

// Sets payload and tail to the elements, and clears the unused bits of the last byte.
void set_payload(const void* elements, DType dtype, std::int64_t count, Encoded& to) {
  const auto size = static_cast<std::size_t>(size_bytes(dtype, count));
  to.payload = {static_cast<const char*>(elements), size};
  const int used = static_cast<int>(count * bit_width(dtype) % 8);
  if (is_packed(dtype) && used != 0) {
    const auto last = static_cast<unsigned char>(to.payload.back());
    to.tail = static_cast<char>(last & ((1 << used) - 1));
    to.payload.remove_suffix(1);
  }
}

Result<Encoded> encode(const TensorView& view, const std::string& name) {
  STREW_ASSIGN(const auto& count, check_view("", "it", view));
  const bool is_string = view.dtype() == DType::kString;
  const std::int64_t size = is_string ? count : size_bytes(view.dtype(), count);
  if (size > kLargestMessage) return too_large(size);
  if (name.size() > static_cast<std::size_t>(kLargestMessage)) return too_large(std::ssize(name));

  Encoded to;
  if (!view.dense()) {
    STREW_ASSIGN(to.dense, Tensor::copy_of(view));
  }
  const void* const elements = view.dense() ? view.data() : to.dense.data();
  for (const std::int64_t dim : view.shape()) add_int(to.head, kDims, dim);
  add_int(to.head, kDataType, static_cast<std::int64_t>(view.dtype()));
  if (is_string) STREW_TRY(add_strings(static_cast<const std::string*>(elements), count, to.head));
  if (!name.empty()) {
    add_length(to.head, kTensorName, name.size());
    to.head += name;
  }
  if (!is_string) {
    add_length(to.head, kRawData, static_cast<std::uint64_t>(size));
    set_payload(elements, view.dtype(), count, to);
  }
  if (to.size() > static_cast<std::size_t>(kLargestMessage))
    return too_large(static_cast<std::int64_t>(to.size()));
  return to;
}

Result<Encoded> encode_named(const TensorView& view, const std::string& name) {
  const std::string who = name.empty() ? "tensor" : concat("tensor '", name, "'");
  return with_memory(
      [&]() -> Result<Encoded> {
        auto encoded = encode(view, name);
        if (!encoded) return fail(found_in(who, std::move(encoded).error()));
        return encoded;
      },
      [&] { return fail(ErrorCode::kOutOfMemory, {.where = who}, "no memory to encode it"); });
}

}  // namespace

Result<std::string> serialize_tensor_pb(const TensorView& tensor, const std::string& name) {
  STREW_ASSIGN(auto&& encoded, encode_named(tensor, name));
  return with_memory(
      [&]() -> Result<std::string> {
        std::string message = std::move(encoded.head);
        message.reserve(message.size() + encoded.payload.size() + encoded.tail.size());
        return message.append(encoded.payload).append(encoded.tail);
      },
      [&] {
        return fail(ErrorCode::kOutOfMemory, "tensor: no memory for a message of ", encoded.payload.size(),
                    " bytes");
      });
}

Status save_tensor_pb(const std::filesystem::path& path, const TensorView& tensor, const std::string& name) {
  return with_memory_for("the tensor file", [&]() -> Status {
    const auto encoded = encode_named(tensor, name);
    if (!encoded) return fail(found_in(one_line(path.native()), encoded.error()));
    STREW_ASSIGN(auto&& file, FileWriter::create(path));
    STREW_TRY(file.write(encoded->head));
    STREW_TRY(file.write(encoded->payload));
    STREW_TRY(file.write(encoded->tail));
    return file.commit();
  });
}

}  // namespace strew
