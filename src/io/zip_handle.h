// Owners of libzip's handles.
#pragma once

#include <zip.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace strew {

/// Discards an archive unless it was closed with `zip_close` after `release()`.
struct ZipDiscard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipDiscard>;

struct ZipFileClose {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
using ZipFile = std::unique_ptr<zip_file_t, ZipFileClose>;

/// libzip's error of a call that has no archive yet.
class ZipError {
 public:
  ZipError() noexcept { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() noexcept { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

/// An archive for reading over bytes that outlive it; nullptr and `error` where they are none.
inline ZipArchive open_zip(std::span<const std::byte> bytes, ZipError& error) {
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) return nullptr;
  ZipArchive archive(zip_open_from_source(source, ZIP_RDONLY, error.get()));
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

}  // namespace strew
