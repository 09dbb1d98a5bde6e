// Blocks of their own.
#include "cuda/device_tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/view_check.h"

namespace strew::support {

DeviceTensor::Block::Block(std::int64_t bytes)
    : at(static_cast<std::byte*>(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{16}))),
      size(bytes) {
  std::fill_n(at, size, std::byte{0xA5});
}
DeviceTensor::Block::Block(const Block& other) : Block(other.size) { std::copy_n(other.at, size, at); }
DeviceTensor::Block::~Block() { ::operator delete (at, std::align_val_t{16}); }

DeviceTensor::DeviceTensor(const TensorView& view, std::int64_t shift)
    : dtype_(view.dtype()),
      shape_(view.shape()),
      strides_(view.strides()),
      dense_(view.dense()),
      first_(0),
      shift_(shift),
      block_([&] {
        const ByteRange range = byte_range(view);
        return static_cast<std::int64_t>(range.end - range.begin) + shift;
      }()) {
  const ByteRange range = byte_range(view);
  if (range.begin == range.end) return;
  first_ = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data()) - range.begin);
  std::memcpy(block_.at + shift_, static_cast<const std::byte*>(view.data()) - first_, range.end - range.begin);
}

MutableTensorView DeviceTensor::mutable_host() {
  void* data = block_.at + shift_ + first_;
  return dense_ ? MutableTensorView(data, dtype_, shape_) : MutableTensorView(data, dtype_, shape_, strides_);
}

cuda::MutableDeviceView DeviceTensor::mutable_device() {
  void* data = block_.at + shift_ + first_;
  return dense_ ? cuda::MutableDeviceView(data, dtype_, shape_)
                : cuda::MutableDeviceView(data, dtype_, shape_, strides_);
}

cuda::DeviceView DeviceTensor::device() const { return const_cast<DeviceTensor*>(this)->mutable_device(); }

void DeviceTensor::overwrite(std::byte value) { std::fill_n(block_.at, block_.size, value); }

bool DeviceTensor::same_bytes(const DeviceTensor& other) const {
  if (block_.size != other.block_.size) return false;
  const std::int64_t used = element_count(shape_) * bit_width(dtype_) % 8;
  const std::int64_t whole = is_packed(dtype_) && used != 0 ? block_.size - 1 : block_.size;
  if (!std::equal(block_.at, block_.at + whole, other.block_.at)) return false;
  if (whole == block_.size) return true;
  const std::byte mask{static_cast<unsigned char>((1u << used) - 1u)};
  return (block_.at[whole] & mask) == (other.block_.at[whole] & mask);
}

}  // namespace strew::support
