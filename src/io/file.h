// Files as bytes: mapped for reading, written beside and renamed. No format is known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/guarded_memory.h"
#include "strew/error.h"

namespace strew {

/// A regular file mapped read-only; its bytes live as long as the object. Where the file becomes shorter meanwhile
/// they are zero (see GuardedMemory).
class MappedFile {
 public:
  /// Maps the whole file. kIo names the path and the system's reason; directories and devices are rejected.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);
  /// Maps the file behind a descriptor, which stays the caller's. `name` is for messages.
  static Result<std::shared_ptr<const MappedFile>> map(int descriptor, const std::string& name);

  std::span<const std::byte> bytes() const noexcept { return memory_.bytes(); }

 private:
  MappedFile(std::span<const std::byte> bytes, const std::string& name) : memory_(bytes, name) {}
  GuardedMemory memory_;
};

/// A file that appears under its name only when it is complete: written beside it, then renamed over it. A file
/// that is there keeps its rights, a symbolic link goes on to point to it; what is no regular file is rejected.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  ///< without `commit`, removes what was written

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// What is written next goes to this offset from the start.
  Status seek(std::uint64_t offset);
  /// Ends writing and gives the file its name.
  Status commit();

 private:
  FileWriter(int descriptor, std::filesystem::path path, std::string temporary) noexcept;
  int descriptor_;
  std::filesystem::path path_;
  std::string temporary_;
};

}  // namespace strew
