// Writing .npz archives with libzip, which writes beside the file and renames.
#include <zip.h>

#include <array>
#include <list>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "io/at_file.h"
#include "io/file.h"
#include "io/npy_data.h"
#include "io/zip_handle.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

// What an entry is made from; libzip reads it when the archive is closed.
struct Part {
  NpyImage image;
  std::array<zip_buffer_fragment_t, 2> fragments{};
};

zip_buffer_fragment_t fragment(std::span<const std::byte> bytes) {
  return {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
}

tl::unexpected<Error> zip_failure(ErrorCode code, zip_t* archive) {
  return fail(code, zip_error_strerror(zip_get_error(archive)));
}

Status add_entry(zip_t* archive, const std::string& name, Part& part) {
  part.fragments = {fragment(std::as_bytes(std::span(part.image.header))), fragment(part.image.data)};
  ZipError error;
  const zip_uint64_t count = part.image.data.empty() ? 1 : 2;
  zip_source_t* source = zip_source_buffer_fragment_create(part.fragments.data(), count, 0, error.get());
  if (source == nullptr) return fail(ErrorCode::kOutOfMemory, error.text());
  const zip_int64_t index = zip_file_add(archive, (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return zip_failure(ErrorCode::kInvalidArgument, archive);
  }
  const auto at = static_cast<zip_uint64_t>(index);
  // Stored, and dated 1980-01-01 as by NumPy, so that the same arrays give the same file.
  constexpr zip_uint16_t kFirstDosDate = 1 << 5 | 1;
  if (zip_set_file_compression(archive, at, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, 0, kFirstDosDate, 0) != 0) {
    return zip_failure(ErrorCode::kIo, archive);
  }
  return {};
}

// libzip removes an archive without entries instead of writing it.
Status write_empty_archive(const std::filesystem::path& path) {
  std::array<std::byte, 22> end_record{std::byte{'P'}, std::byte{'K'}, std::byte{5}, std::byte{6}};
  auto file = FileWriter::create(path);
  if (!file) return fail(std::move(file).error());
  STREW_TRY(file->write(end_record));
  return file->commit();
}

Status write_npz(const std::filesystem::path& path, std::span<const std::pair<std::string, TensorView>> arrays) {
  int code = 0;
  ZipArchive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    auto failure = fail(ErrorCode::kIo, "cannot write: ", zip_error_strerror(&error));
    zip_error_fini(&error);
    return failure;
  }
  std::list<Part> parts;
  for (const auto& [name, tensor] : arrays) {
    if (name.find('\0') != std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "the name of an array contains NUL");
    }
    auto image = at_file(name, encode_npy(tensor));
    if (!image) return fail(std::move(image).error());
    parts.push_back({std::move(*image), {}});
    STREW_TRY(at_file(name, add_entry(archive.get(), name, parts.back())));
  }
  if (zip_close(archive.get()) != 0) return zip_failure(ErrorCode::kIo, archive.get());
  std::ignore = archive.release();  // zip_close has freed it
  return {};
}

}  // namespace

Status save_npz(const std::filesystem::path& path, std::span<const std::pair<std::string, TensorView>> arrays) {
  if (arrays.empty()) return write_empty_archive(path);
  return at_file(path.string(), write_npz(path, arrays));
}

}  // namespace strew
