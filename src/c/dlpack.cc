// Reads tensors that other libraries pass as DLPack structs.
#include <cstddef>
#include <cstdint>

#include "c/boundary.h"
#include "strew/dtype.h"

namespace strew::c {
namespace {

// The layout of a DLTensor, unchanged since DLPack's first version.
struct DLPackTensor {
  void* data;
  std::int32_t device_type;
  std::int32_t device_id;
  std::int32_t rank;
  std::uint8_t type_code;
  std::uint8_t bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

constexpr std::string_view kFromDLPack = "view_from_dlpack";
constexpr std::int32_t kHost = 1;
constexpr std::int32_t kPinnedForCuda = 3;

Result<DType> dtype_of(const DLPackTensor& tensor) {
  const auto dtype = dtype_from_dlpack(tensor.type_code, tensor.bits, tensor.lanes);
  if (dtype) return *dtype;
  return fail(ErrorCode::kInvalidType, {kFromDLPack, "tensor"},
              "tensor has elements of the DLPack type with code ", std::int64_t{tensor.type_code}, ", ",
              std::int64_t{tensor.bits}, " bits and ", std::int64_t{tensor.lanes},
              " lanes, which is not an ONNX type");
}

Status read_tensor(const void* tensor, strew_view* view) {
  STREW_TRY(need(kFromDLPack, "tensor", tensor));
  STREW_TRY(need(kFromDLPack, "view", view));
  const auto& given = *static_cast<const DLPackTensor*>(tensor);
  if (given.device_type != kHost && given.device_type != kPinnedForCuda) {
    return fail(ErrorCode::kUnsupported, {kFromDLPack, "tensor"}, "tensor is on a device of type ",
                given.device_type, "; this interface supports host memory only");
  }
  STREW_ASSIGN(const auto& dtype, dtype_of(given));
  auto* const begin = static_cast<std::byte*>(given.data);
  const strew_view contents = {sizeof(strew_view),
                               begin == nullptr ? nullptr : begin + given.byte_offset,
                               static_cast<std::int32_t>(dtype),
                               given.rank,
                               given.shape,
                               given.strides};
  // read_view checks the rest.
  STREW_TRY(read_view(kFromDLPack, "tensor", &contents));
  return write_struct(kFromDLPack, "view", "strew_view", contents, view);
}

}  // namespace
}  // namespace strew::c

int strew_view_from_dlpack(const void* tensor, strew_view* view, strew_error** error) {
  return strew::c::enter(error, [&] { return strew::c::read_tensor(tensor, view); });
}
