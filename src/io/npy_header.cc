// Reads and writes .npy headers as described in numpy/lib/_format_impl.py. Parses element types (`descr`), and
// finds their DTypes and names.
#include "io/npy_header.h"

#include <bit>
#include <charconv>

#include "core/error.h"
#include "core/size.h"

namespace strew {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMaxHeaderBytes = std::int64_t{1} << 20;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A string of width 0 has no bytes in the file but is an object in memory, so a small file could exhaust it.
Status check_width(const NpyHeader& header) {
  if (header.item.bytes > 0 || element_count(header.shape) == 0) return {};
  return fail(ErrorCode::kUnsupported, "elements of width 0 (", npy_item_name(header.item), ") are not supported");
}

// Returns the number of bytes before the data.
Result<std::int64_t> npy_header_bytes(std::span<const std::byte> start) {
  if (!as_text(start).starts_with(kMagic)) {
    return fail(ErrorCode::kInvalidModel, "not a .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t at) { return at < start.size() ? std::to_integer<int>(start[at]) : -1; };
  const int major = byte(6);
  const int minor = byte(7);
  const std::size_t width = major == 1 ? 2 : 4;
  if (start.size() < 8 + width) return fail(ErrorCode::kInvalidModel, "ends inside the .npy header");
  if (major < 1 || major > 3 || minor != 0) {
    return fail(ErrorCode::kUnsupported, ".npy version ", major, '.', minor,
                " is not supported; 1.0, 2.0 and 3.0 are");
  }
  std::int64_t length = 0;
  for (std::size_t at = 8 + width; at-- > 8;) length = length * 256 + byte(at);
  if (length > kMaxHeaderBytes) {
    return fail(ErrorCode::kUnsupported, "the header has ", length, " bytes; the maximum is ", kMaxHeaderBytes);
  }
  return static_cast<std::int64_t>(8 + width) + length;
}

static_assert(std::endian::native == std::endian::little, "'=' and '|' are read as little-endian");

std::int64_t stored_bytes(DType dtype) { return div_up(bit_width(dtype), 8); }

// Returns the type with this code, a kind letter and a width such as "f4".
std::optional<DType> typed(std::string_view code) {
  if (code == "f1") return DType::kFloat8E5M2;  // ml_dtypes' code
  if (code.starts_with('V')) return std::nullopt;
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const std::string_view descr = npy_descr(static_cast<DType>(number));
    if (!descr.empty() && descr.substr(1) == code) return static_cast<DType>(number);
  }
  return std::nullopt;
}

// Returns the width in a code such as "U12", or nullopt if the text after the letter is not a number.
std::optional<std::int64_t> width_of(std::string_view code) {
  std::int64_t width = 0;
  const char* end = code.data() + code.size();
  const auto [at, error] = std::from_chars(code.data() + 1, end, width);
  if (error != std::errc() || at != end || width < 0) return std::nullopt;
  return width;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes) {
  STREW_ASSIGN(const auto& total, npy_header_bytes(bytes));
  const auto size = static_cast<std::size_t>(total);
  if (bytes.size() < size) {
    return fail(ErrorCode::kInvalidModel, "ends inside the header: it has ", total, " bytes, but the file has ",
                bytes.size());
  }
  const std::size_t text_at = bytes[6] == std::byte{1} ? 10 : 12;
  STREW_ASSIGN(auto&& dict, parse_npy_dict(as_text(bytes.subspan(text_at, size - text_at)),
                                           static_cast<std::int64_t>(text_at)));
  STREW_ASSIGN(const auto& item, parse_npy_descr(dict.descr));

  NpyHeader header{item, dict.fortran_order, std::move(dict.shape), total, 0};
  if (header.shape.rank() > kMaxRank) {
    return fail(ErrorCode::kUnsupported, "the array has rank ", header.shape.rank(), "; the highest is ",
                kMaxRank);
  }
  STREW_TRY(check_width(header));
  const auto count = checked_element_count("", "the array", item.dtype, header.shape);
  if (!count) return fail(ErrorCode::kInvalidModel, count.error());
  if (__builtin_mul_overflow(*count, item.bytes, &header.data_bytes)) {
    return fail(ErrorCode::kInvalidModel, "header declares ", header.shape, ' ', npy_item_name(item),
                ", which is more than 2^63 - 1 bytes");
  }
  return header;
}

Result<std::span<const std::byte>> npy_data(const NpyHeader& header, std::span<const std::byte> file) {
  const auto behind = file.subspan(static_cast<std::size_t>(header.header_bytes));
  if (std::ssize(behind) >= header.data_bytes) return behind.first(static_cast<std::size_t>(header.data_bytes));
  return fail(ErrorCode::kInvalidModel, "header declares ", header.shape, ' ', npy_item_name(header.item), ", ",
              header.data_bytes, " bytes, but ", behind.size(), " follow");
}

std::string make_npy_header(std::string_view descr, const Shape& shape) {
  std::string dict = concat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (");
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    append_text(dict, shape[axis]);
    if (axis + 1 < shape.rank()) dict += ", ";
  }
  dict += shape.rank() == 1 ? ",), }" : "), }";
  // NumPy leaves room for the first dimension to grow to 21 digits, then pads by 1 to 64 bytes.
  if (!shape.empty()) dict.append(21 - concat(shape[0]).size(), ' ');
  dict.append(64 - (10 + dict.size() + 1) % 64, ' ');
  dict += '\n';
  // A shape of kMaxRank dimensions needs less than 2 KiB, so the two length bytes of version 1.0 suffice.
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xFF), static_cast<char>(dict.size() >> 8)};
  return header += dict;
}

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
                "), which are not supported");
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
              " is not supported; bool, integers, floats of up to 64 bits, complex, 'S' and 'U' are");
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
    return fail(ErrorCode::kInvalidType, "holds ", dtype_name(item.dtype), ", not ", dtype_name(*as),
                " as requested");
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
