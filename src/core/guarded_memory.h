// Memory that a file is mapped to, guarded against the file shrinking.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/view.h"

namespace strew {

/// As long as it lives, reading what the mapped file has lost gives zeros instead of a SIGBUS that ends the
/// process, and `check_intact` knows of it. The first one sets a handler for SIGBUS, and a later one sets it again
/// where another handler has replaced it; what it does not guard it passes on to the one that it replaced.
class GuardedMemory {
 public:
  /// Takes over what mmap gave, to unmap it at the end; nothing for no bytes. `name` is the file's, for messages.
  GuardedMemory(std::span<const std::byte> bytes, std::string name);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

  struct Slot;

 private:
  std::span<const std::byte> bytes_;
  Slot* slot_ = nullptr;
};

/// Whether any guarded file has become shorter in this process.
bool any_file_shrank() noexcept;

/// kIo where the operand lies in a file that shrank since it was mapped: what was read of it may have been zeros.
Status check_intact(std::string_view op, std::string_view operand, const TensorView& view);

}  // namespace strew
