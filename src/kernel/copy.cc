// Copies rows, repeats values and copies columns of rows, with loops for each element width. The type matters only
// for strings and for elements that share a byte.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/size.h"
#include "core/visit_dtype.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

// Returns the offset of row i; see Kernel.
std::int64_t offset_of(const std::int64_t* offset, std::int64_t i, std::int64_t row) noexcept {
  return offset != nullptr ? offset[i] : i * row;
}

// Copies rows of kBytes bytes; offsets count elements of `width` bytes. Since the size is a constant, memcpy
// compiles to a few loads and stores.
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

// Fills rows with `steps` stores of kStore bytes. The last store ends at the row's end and may overlap others.
template <std::size_t kBytes, std::size_t kStore>
void fill_rows(std::byte* to, const std::byte* from, const std::int64_t* row_offset,
               const std::int64_t* source_offset, std::int64_t count, std::int64_t row, auto steps) {
  constexpr auto kWidth = static_cast<std::int64_t>(kBytes);
  constexpr auto kStep = static_cast<std::int64_t>(kStore);
  for (std::int64_t i = 0; i < count; ++i) {
    std::array<std::byte, kStore> value;
    for (std::size_t at = 0; at < kStore; at += kBytes)
      std::memcpy(&value[at], from + source_offset[i] * kWidth, kBytes);
    std::byte* const begin = to + offset_of(row_offset, i, row) * kWidth;
    for (std::int64_t s = 0; s < steps - 1; ++s) std::memcpy(begin + s * kStep, value.data(), kStore);
    std::memcpy(begin + row * kWidth - kStep, value.data(), kStore);
  }
}

template <std::size_t kBytes>
void repeat(void* rows, const void* source, const std::int64_t* row_offset, const std::int64_t* source_offset,
            std::int64_t count, std::int64_t row) {
  auto* const to = static_cast<std::byte*>(rows);
  const auto* const from = static_cast<const std::byte*>(source);
  const std::int64_t row_bytes = row * static_cast<std::int64_t>(kBytes);
  const auto fill = [&](auto steps) {
    fill_rows<kBytes, 16>(to, from, row_offset, source_offset, count, row, steps);
  };
  const auto fill_short = [&](auto store) {
    if constexpr (kBytes <= store)
      fill_rows<kBytes, store>(to, from, row_offset, source_offset, count, row, std::integral_constant<int, 2>());
  };
  if (row_bytes >= 16) {
    switch (div_up(row_bytes, 16)) {
      case 1:
        return fill(std::integral_constant<std::int64_t, 1>());
      case 2:
        return fill(std::integral_constant<std::int64_t, 2>());
      case 3:
        return fill(std::integral_constant<std::int64_t, 3>());
      case 4:
        return fill(std::integral_constant<std::int64_t, 4>());
      default:
        return fill(div_up(row_bytes, 16));
    }
  }
  if (row_bytes >= 8) return fill_short(std::integral_constant<std::size_t, 8>());
  if (row_bytes >= 4) return fill_short(std::integral_constant<std::size_t, 4>());
  if (row_bytes >= 2) return fill_short(std::integral_constant<std::size_t, 2>());
  fill_short(std::integral_constant<std::size_t, 1>());
}

// Copies kColumns columns, whose offsets stay in registers. If kColumns is 0, copies rows.columns columns.
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
