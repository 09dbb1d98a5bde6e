// Parses, names and resolves the element types of .npy files (`descr`).
#include <bit>
#include <charconv>

#include "core/error.h"
#include "core/size.h"
#include "io/npy_header.h"

namespace strew {
namespace {

static_assert(std::endian::native == std::endian::little, "'=' and '|' are read as little-endian");

std::int64_t stored_bytes(DType dtype) { return div_up(bit_width(dtype), 8); }

// Returns the type with this kind letter and width, as in "f4".
std::optional<DType> typed(std::string_view code) {
  if (code == "f1") return DType::kFloat8E5M2;  // ml_dtypes' code
  if (code.starts_with('V')) return std::nullopt;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const std::string_view descr = npy_descr(static_cast<DType>(number));
    if (!descr.empty() && descr.substr(1) == code) return static_cast<DType>(number);
  }
  return std::nullopt;
}

// Returns the width after a letter, as in "U12", or nullopt if it is not a plain number.
std::optional<std::int64_t> width_of(std::string_view code) {
  std::int64_t width = 0;
  const char* end = code.data() + code.size();
  const auto [at, error] = std::from_chars(code.data() + 1, end, width);
  if (error != std::errc() || at != end || width < 0) return std::nullopt;
  return width;
}

}  // namespace

Result<NpyItem> parse_npy_descr(std::string_view descr) {
  if (const auto named = dtype_from_name(descr);
      named && *named != DType::kString && descr == dtype_name(*named)) {
    return NpyItem{NpyItem::Kind::kTyped, *named, stored_bytes(*named), false};
  }
  std::string_view code = descr;
  const bool has_order = !code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos;
  const bool big = has_order && code[0] == '>';
  if (has_order) code.remove_prefix(1);
  if (const auto dtype = typed(code)) {
    return NpyItem{NpyItem::Kind::kTyped, *dtype, stored_bytes(*dtype), big && stored_bytes(*dtype) > 1};
  }
  const char letter = code.empty() ? '\0' : code[0];
  if (letter == 'O') {
    return fail(ErrorCode::kUnsupported, "holds pickled Python objects (descr ", quoted(descr),
                "), which are not read");
  }
  if (letter == 'S' || letter == 'a' || letter == 'U' || letter == 'V') {
    const auto width = width_of(code);
    std::int64_t bytes = 0;
    const bool fits = width && !__builtin_mul_overflow(*width, letter == 'U' ? 4 : 1, &bytes);
    if (fits && letter == 'V') return NpyItem{NpyItem::Kind::kRaw, DType::kUInt8, bytes, big && bytes > 1};
    const auto kind = letter == 'U' ? NpyItem::Kind::kUnicode : NpyItem::Kind::kBytes;
    if (fits) return NpyItem{kind, DType::kString, bytes, big && letter == 'U'};
  }
  return fail(ErrorCode::kUnsupported, "element type ", quoted(descr),
              " is not read; bool, integers, floats to 64 bits, complex, 'S' and 'U' are");
}

std::string_view npy_descr(DType dtype) noexcept { return dtype_info(dtype).npy_descr; }

std::string npy_item_name(const NpyItem& item) {
  switch (item.kind) {
    case NpyItem::Kind::kTyped:
      return std::string(dtype_name(item.dtype));
    case NpyItem::Kind::kRaw:
      return concat('V', item.bytes);
    case NpyItem::Kind::kBytes:
      return concat('S', item.bytes);
    case NpyItem::Kind::kUnicode:
      return concat('U', item.bytes / 4);
  }
  return {};
}

Result<DType> resolve_npy_dtype(const NpyItem& item, std::optional<DType> as) {
  if (item.kind != NpyItem::Kind::kRaw) {
    if (!as || *as == item.dtype) return item.dtype;
    return fail(ErrorCode::kInvalidType, "holds ", dtype_name(item.dtype), ", not ", dtype_name(*as), " as asked");
  }
  if (!as) {
    return fail(ErrorCode::kInvalidType, "holds raw ", item.bytes, "-byte elements, which is how NumPy saves ",
                item.bytes == 2 ? "bfloat16" : "float8 and types of 4 and 2 bits",
                "; the type must be given (program: --dtype TYPE or NAME:TYPE=FILE; C++: `as`)");
  }
  if (*as == DType::kString || stored_bytes(*as) != item.bytes) {
    return fail(ErrorCode::kInvalidType, "holds raw ", item.bytes, "-byte elements, which cannot be ",
                dtype_name(*as));
  }
  return *as;
}

}  // namespace strew
