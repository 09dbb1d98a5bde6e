// Passes errors to C and reads arguments from C.
#include "c/boundary.h"

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/shape.h"
#include "strew/version.h"

static_assert(static_cast<int>(strew::ErrorCode::kDevice) + 1 == STREW_DEVICE);
static_assert(static_cast<int>(strew::DType::kFloat4E2M1) == STREW_FLOAT4_E2M1FN);
static_assert(static_cast<int>(strew::DType::kInt2) == STREW_INT2 && strew::kDTypeMax == STREW_INT2);

namespace strew::c {
namespace {

// Owner of the memory that a strew_error points to.
struct HandedError : strew_error {
  Error error;
  std::string whole;
};

int code_of(const Error& error) noexcept { return static_cast<int>(error.code) + 1; }

void fill(HandedError& to) {
  const auto& [op, operand, axis] = to.error.subject();
  to.whole = to.error.message();
  to.size = sizeof(strew_error);
  to.code = code_of(to.error);
  to.axis = axis ? static_cast<std::int32_t>(*axis) : -1;
  to.message = to.whole.c_str();
  to.text = to.error.text.c_str();
  to.op = op.c_str();
  to.operand = operand.c_str();
  to.where = to.error.where().c_str();
  const auto& position = to.error.position();
  to.position = position ? position->data() : nullptr;
  to.position_rank = position ? static_cast<std::int32_t>(position->rank()) : -1;
  to.value_kind = static_cast<std::int32_t>(to.error.value().index());
  to.word_value = "";
  if (const auto* number = std::get_if<std::int64_t>(&to.error.value())) to.signed_value = *number;
  if (const auto* number = std::get_if<std::uint64_t>(&to.error.value())) to.unsigned_value = *number;
  if (const auto* word = std::get_if<std::string>(&to.error.value())) to.word_value = word->c_str();
}
static_assert(std::is_same_v<std::variant_alternative_t<STREW_SIGNED, ErrorValue>, std::int64_t> &&
              std::is_same_v<std::variant_alternative_t<STREW_UNSIGNED, ErrorValue>, std::uint64_t> &&
              std::is_same_v<std::variant_alternative_t<STREW_WORD_VALUE, ErrorValue>, std::string>);

// Returned if there is no memory for an error; never freed.
strew_error no_memory = {sizeof(strew_error),
                         STREW_OUT_OF_MEMORY,
                         -1,
                         "out of memory",
                         "out of memory",
                         "",
                         "",
                         "",
                         nullptr,
                         -1,
                         STREW_NO_VALUE,
                         0,
                         0,
                         ""};

}  // namespace

int hand_over(const Error& error, strew_error** to) noexcept {
  if (to == nullptr) return code_of(error);
  try {
    auto handed = std::make_unique<HandedError>();
    handed->error = error;
    fill(*handed);
    *to = handed.release();
  } catch (...) {
    *to = &no_memory;
  }
  return (*to)->code;
}

Status need(std::string_view op, std::string_view operand, const void* argument) {
  if (argument != nullptr) return {};
  return fail(ErrorCode::kInvalidArgument, {op, operand}, operand, " is NULL");
}

Result<MutableTensorView> read_view(std::string_view op, std::string_view operand, const strew_view* view) {
  STREW_TRY(need(op, operand, view));
  STREW_ASSIGN(const auto& known, read_struct(op, operand, "strew_view", view));
  const auto dtype = dtype_from_onnx(known.dtype);
  if (!dtype) {
    return fail(ErrorCode::kInvalidType, {op, operand, -1, std::int64_t{known.dtype}}, operand, " has the type ",
                known.dtype, ", which is outside [", kDTypeMin, ", ", kDTypeMax, ']');
  }
  if (dtype == DType::kString) {
    return fail(ErrorCode::kUnsupported, {op, operand}, operand, " holds strings, which have no C representation");
  }
  if (known.rank < 0 || known.rank > kMaxRank) {
    return fail(ErrorCode::kInvalidArgument, {op, operand, -1, std::int64_t{known.rank}}, operand,
                " has the rank ", known.rank, ", which is outside [0, ", kMaxRank, ']');
  }
  if (known.rank > 0 && known.shape == nullptr) {
    return fail(ErrorCode::kInvalidArgument, {op, operand}, operand, " has the rank ", known.rank,
                " and no shape");
  }
  const auto rank = static_cast<std::size_t>(known.rank);
  const Shape shape(std::span(known.shape, rank));
  if (known.strides == nullptr) return MutableTensorView(known.data, *dtype, shape);
  return MutableTensorView(known.data, *dtype, shape, Shape(std::span(known.strides, rank)));
}

Result<std::optional<TensorView>> read_optional_view(std::string_view op, std::string_view operand,
                                                     const strew_view* view) {
  if (view == nullptr) return std::nullopt;
  STREW_ASSIGN(auto&& read, read_view(op, operand, view));
  return read;
}

Result<strew_attribute> read_attribute(std::string_view op, const strew_attribute* attributes, std::size_t at) {
  STREW_TRY(need(op, "attributes", attributes));
  const auto* bytes = reinterpret_cast<const std::byte*>(attributes) + at * attributes->size;
  auto known = read_struct(op, "attributes", "strew_attribute", reinterpret_cast<const strew_attribute*>(bytes));
  if (known && known->size != attributes->size) {
    return fail(ErrorCode::kInvalidArgument, {op, "attributes"}, "attributes have the sizes ", attributes->size,
                " and ", known->size, ", which must be equal");
  }
  if (!known) return known;
  STREW_TRY(need(op, "name of an attribute", known->name));
  const bool has_word = known->word != nullptr;
  const bool has_element = known->element != nullptr;
  if ((known->number != 0) + has_word + has_element > 1) {
    return fail(ErrorCode::kInvalidArgument, {op, std::string_view(known->name)}, "attribute '",
                std::string_view(known->name), "' has more than one of a number, a word and an element");
  }
  return known;
}

Result<Options> read_options(std::string_view op, const strew_options* options) {
  Options read;
  if (options == nullptr) return read;
  STREW_ASSIGN(const auto& known, read_struct(op, "options", "strew_options", options));
  if (known.threads != nullptr) read.executor = known.threads->executor.get();
  if (known.scratch_bytes < 0) {
    return fail(ErrorCode::kInvalidArgument, {op, "scratch_bytes", -1, known.scratch_bytes},
                "scratch_bytes = ", known.scratch_bytes, " is negative");
  }
  if (known.scratch_bytes > 0) read.limits.scratch_bytes = known.scratch_bytes;
  read.reject_duplicates = known.reject_duplicates != 0;
  read.promises.output_is_new = known.output_is_new != 0;
  return read;
}

}  // namespace strew::c

void strew_error_free(strew_error* error) {
  if (error != &strew::c::no_memory) delete static_cast<strew::c::HandedError*>(error);
}

const char* strew_version(void) { return strew::version(); }
