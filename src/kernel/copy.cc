// Copies elements by byte width: rows, repeated values and a few columns of rows. The type matters only for
// strings and for elements that share a byte.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/visit_dtype.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

// Returns the offset of row i; see Kernel.
std::int64_t offset_of(const std::int64_t* offset, std::int64_t i, std::int64_t row) noexcept {
  return offset != nullptr ? offset[i] : i * row;
}

// Copies rows of kBytes; offsets count elements of `width` bytes. A constant size compiles to a few loads and
// stores.
template <std::size_t kBytes>
void copy_fixed(std::byte* to, const std::byte* from, const std::int64_t* target_offset,
                const std::int64_t* source_offset, std::int64_t count, std::int64_t width) {
  constexpr auto kStep = static_cast<std::int64_t>(kBytes);
  if (target_offset == nullptr && source_offset != nullptr) {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * kStep, from + source_offset[i] * width, kBytes);
  } else if (target_offset != nullptr && source_offset == nullptr) {
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + target_offset[i] * width, from + i * kStep, kBytes);
  } else {
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + offset_of(target_offset, i, kStep / width) * width,
                  from + offset_of(source_offset, i, kStep / width) * width, kBytes);
    }
  }
}

template <std::int64_t kWidth>
void copy_rows(void* target, const void* source, const std::int64_t* target_offset,
               const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  if (row == 1) return copy_fixed<kWidth>(to, from, target_offset, source_offset, count, kWidth);
  const auto bytes = static_cast<std::size_t>(row * kWidth);
  switch (bytes) {
    case 8:
      return copy_fixed<8>(to, from, target_offset, source_offset, count, kWidth);
    case 12:
      return copy_fixed<12>(to, from, target_offset, source_offset, count, kWidth);
    case 16:
      return copy_fixed<16>(to, from, target_offset, source_offset, count, kWidth);
    case 32:
      return copy_fixed<32>(to, from, target_offset, source_offset, count, kWidth);
    case 64:
      return copy_fixed<64>(to, from, target_offset, source_offset, count, kWidth);
    case 128:
      return copy_fixed<128>(to, from, target_offset, source_offset, count, kWidth);
    default:
      break;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + offset_of(target_offset, i, row) * kWidth, from + offset_of(source_offset, i, row) * kWidth,
                bytes);
  }
}

void copy_strings(void* target, const void* source, const std::int64_t* target_offset,
                  const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  auto* to = static_cast<std::string*>(target);
  const auto* from = static_cast<const std::string*>(source);
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(from + offset_of(source_offset, i, row), row, to + offset_of(target_offset, i, row));
  }
}

// Copies elements of kBits that share bytes, without changing the bits of their neighbours.
template <unsigned kBits>
void copy_packed(void* target, const void* source, const std::int64_t* target_offset,
                 const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr std::int64_t kPerByte = 8 / kBits;
  constexpr unsigned kMask = (1u << kBits) - 1u;
  auto* to = static_cast<std::uint8_t*>(target);
  const auto* from = static_cast<const std::uint8_t*>(source);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t j = 0; j < row; ++j) {
      const std::int64_t s = offset_of(source_offset, i, row) + j;
      const std::int64_t t = offset_of(target_offset, i, row) + j;
      const unsigned element = (static_cast<unsigned>(from[s / kPerByte]) >> (s % kPerByte * kBits)) & kMask;
      const auto shift = static_cast<unsigned>(t % kPerByte * kBits);
      const unsigned kept = to[t / kPerByte] & ~(kMask << shift);
      to[t / kPerByte] = static_cast<std::uint8_t>(kept | (element << shift));
    }
  }
}

template <std::size_t kBytes>
void repeat(void* rows, const void* source, const std::int64_t* source_offset, std::int64_t count,
            std::int64_t row) {
  using Word =
      std::conditional_t<kBytes == 1, std::uint8_t,
                         std::conditional_t<kBytes == 2, std::uint16_t,
                                            std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;
  constexpr auto kWidth = static_cast<std::int64_t>(kBytes);
  auto* to = static_cast<std::byte*>(rows);
  const auto* from = static_cast<const std::byte*>(source);
  for (std::int64_t i = 0; i < count; ++i, to += row * kWidth) {
    std::array<Word, kRepeatSlackBytes / sizeof(Word)> value;
    std::memcpy(value.data(), from + source_offset[i] * kWidth, kBytes);
    if constexpr (kBytes <= sizeof(Word)) value.fill(value[0]);
    for (std::int64_t at = 0; at < row * kWidth; at += kRepeatSlackBytes) {
      std::memcpy(to + at, value.data(), sizeof value);
    }
  }
}

// Copies kColumns columns, whose offsets then stay in registers, or rows.columns if kColumns is 0.
template <std::size_t kBytes, std::size_t kColumns>
void copy_columns(void* target, const void* source, const std::int64_t* column_offset, RowSteps rows) {
  constexpr auto kWidth = static_cast<std::int64_t>(kBytes);
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  std::array<std::int64_t, kColumns> few;
  std::copy_n(column_offset, kColumns, few.begin());
  const std::int64_t* at = kColumns > 0 ? few.data() : column_offset;
  const std::int64_t columns = kColumns > 0 ? std::int64_t{kColumns} : rows.columns;
  for (std::int64_t i = 0; i < rows.count; ++i, to += rows.target * kWidth, from += rows.source * kWidth) {
#pragma GCC unroll 8
    for (std::int64_t c = 0; c < columns; ++c) {
      std::memcpy(to + c * kWidth, from + at[c] * kWidth, kBytes);
    }
  }
}

template <std::size_t kBytes>
ColumnsKernel columns_of(std::int64_t columns) noexcept {
  return columns == 2   ? &copy_columns<kBytes, 2>
         : columns == 3 ? &copy_columns<kBytes, 3>
         : columns == 4 ? &copy_columns<kBytes, 4>
                        : &copy_columns<kBytes, 0>;
}

}  // namespace

Kernel copy_kernel(DType dtype) noexcept {
  if (dtype == DType::kString) return &copy_strings;
  switch (bit_width(dtype)) {
    case 2:
      return &copy_packed<2>;
    case 4:
      return &copy_packed<4>;
    default:
      return visit_width(bit_width(dtype) / 8, [](auto bytes) -> Kernel { return &copy_rows<bytes>; });
  }
}

RepeatKernel repeat_kernel(std::int64_t width) noexcept {
  return visit_width(width, [](auto bytes) -> RepeatKernel { return &repeat<bytes>; });
}

ColumnsKernel columns_kernel(std::int64_t width, std::int64_t columns) noexcept {
  return visit_width(width, [&](auto bytes) { return columns_of<bytes>(columns); });
}

}  // namespace strew
