// Files as bytes: read or mapped, written beside and renamed. No format is known here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// The bytes of a regular file, which live as long as the object: those of a small file are read into memory, a
/// larger one is mapped. If another process truncates a mapped file, the system ends this process by SIGBUS when
/// it reads what was lost, as with numpy.memmap.
class FileBytes {
 public:
  /// The largest file that is read: an array of 1 MiB and its header.
  static constexpr std::size_t kMostReadBytes = (std::size_t{1} << 20) + 4096;

  /// Reads a file of up to `most_read` bytes and maps a larger one. kIo names the path and the system's reason;
  /// directories and devices are rejected.
  static Result<std::shared_ptr<const FileBytes>> open(const std::filesystem::path& path,
                                                       std::size_t most_read = kMostReadBytes);
  /// Does the same with the file behind a descriptor, which stays the caller's. `name` is for messages.
  static Result<std::shared_ptr<const FileBytes>> open(int descriptor, const std::string& name,
                                                       std::size_t most_read = kMostReadBytes);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  FileBytes() = default;
  Tensor read_;  ///< holds the bytes unless they are mapped
  std::span<const std::byte> bytes_;
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
