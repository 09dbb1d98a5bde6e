// Reads or maps files as bytes, and writes files under a temporary name. Independent of file formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// The bytes of a regular file, valid for the lifetime of the object. Small files are read; larger ones
/// are mapped. If another process truncates a mapped file, reading the lost part kills this process with SIGBUS.
class FileBytes {
 public:
  /// Size in bytes up to which files are read instead of mapped: an array of 1 MiB and its header.
  static constexpr std::size_t kMostReadBytes = (std::size_t{1} << 20) + 4096;

  /// Reads a file of up to `most_read` bytes and maps a larger one. Rejects directories and devices (kIo).
  static Result<std::shared_ptr<const FileBytes>> open(const std::filesystem::path& path,
                                                       std::size_t most_read = kMostReadBytes);
  /// Reads or maps the file of an open descriptor, which stays open. `name` is for messages.
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

/// A file that appears under its name only when complete: it is written under a temporary name, then renamed. A
/// replaced file's permissions are kept. If the path is a symbolic link, the file that it points to is replaced.
/// Rejects targets that are not regular files.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  ///< removes the temporary file unless `commit` was called

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text.data(), text.size()))); }
  Status seek(std::uint64_t offset);
  /// Completes the file and renames it.
  Status commit();

 private:
  FileWriter(std::filesystem::path path, std::filesystem::path target) noexcept;
  int descriptor_ = -1;
  std::filesystem::path path_;    // as the caller wrote it, for messages
  std::filesystem::path target_;  // the file that symbolic links lead to
  std::string temporary_;
};

/// Returns `result`; if it is an error, adds the file name `name` to it.
template <class T>
Result<T> at_file(std::string_view name, Result<T> result) {
  if (!result) result.error() = found_in(one_line(name), result.error());
  return result;
}

}  // namespace strew
