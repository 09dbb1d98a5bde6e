// A tensor in what tests take for device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "strew/experimental/cuda.h"
#include "strew/view.h"

namespace strew::support {

/// The bytes between the first and the last element of a view, at an address that a device can read, in a block of
/// their own. Copies are deep.
class DeviceTensor {
 public:
  /// `shift` bytes beyond an address that is a multiple of 16.
  explicit DeviceTensor(const TensorView& view, std::int64_t shift = 0);

  cuda::DeviceView device() const;
  cuda::MutableDeviceView mutable_device();
  /// The same for the library on the host.
  TensorView host() const { return const_cast<DeviceTensor*>(this)->mutable_host(); }
  MutableTensorView mutable_host();
  /// Gives every byte this value.
  void overwrite(std::byte value);
  /// Equal byte for byte, but for bits of a last byte that belong to no element.
  bool same_bytes(const DeviceTensor& other) const;

 private:
  DType dtype_;
  Shape shape_;
  Shape strides_;
  bool dense_;
  std::int64_t first_;  // byte of the element at coordinate 0
  std::int64_t shift_;
  struct Block {
    explicit Block(std::int64_t size);
    Block(const Block& other);
    Block& operator=(const Block&) = delete;
    ~Block();
    std::byte* at;
    std::int64_t size;
  } block_;
};

}  // namespace strew::support
