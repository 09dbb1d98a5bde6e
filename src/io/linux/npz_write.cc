// Writes .npz archives with minizip, under a temporary name until they are complete.
#include <minizip/zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/utf8.h"
#include "io/file.h"
#include "io/npy_header.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

constexpr std::size_t kMaxBytesOfAWrite = 1 << 30;  // per call, since minizip counts bytes in an unsigned int
constexpr std::size_t kMaxNameBytes = 0xFFFF - 4;   // the length of the name with ".npy" has 16 bits
constexpr std::size_t kMaxArrays = 0xFFFF;          // minizip 1.1 cannot write a larger count
constexpr std::size_t kFirstZip64Size = 0xFFFFFFFF;

// The error for the only failure of minizip that can happen here.
tl::unexpected<Error> no_memory() { return fail(ErrorCode::kOutOfMemory, "no memory for the archive"); }

// The file that minizip writes. After a failed write, minizip leaks memory and fails to report some errors. This
// struct therefore hides failures from minizip: it stores the first one and then writes nothing more.
struct Sink {
  FileWriter& file;
  Status status;
  std::uint64_t at = 0;
};

voidpf open_sink(voidpf sink, const void*, int) { return sink; }
int close_sink(voidpf, voidpf) { return 0; }
int sink_failed(voidpf, voidpf) { return 0; }
ZPOS64_T tell_sink(voidpf, voidpf stream) { return static_cast<Sink*>(stream)->at; }

uLong write_sink(voidpf, voidpf stream, const void* bytes, uLong size) {
  Sink& sink = *static_cast<Sink*>(stream);
  if (sink.status) sink.status = sink.file.write({static_cast<const std::byte*>(bytes), size});
  sink.at += size;
  return size;
}

// minizip seeks only from the start: back to write sizes in a header, then to the end.
long seek_sink(voidpf, voidpf stream, ZPOS64_T offset, int) {
  Sink& sink = *static_cast<Sink*>(stream);
  if (sink.status) sink.status = sink.file.seek(offset);
  sink.at = offset;
  return 0;
}

struct CloseNewArchive {
  void operator()(zipFile archive) const noexcept { zipClose(archive, nullptr); }
};
using NewArchive = std::unique_ptr<void, CloseNewArchive>;

/// Returns nullptr if memory runs out. `sink` must outlive the result.
NewArchive make_archive(Sink& sink) {
  zlib_filefunc64_def calls{open_sink, nullptr, write_sink, tell_sink, seek_sink, close_sink, sink_failed, &sink};
  return NewArchive(zipOpen2_64(nullptr, APPEND_STATUS_CREATE, nullptr, &calls));
}

Status check_name(const std::string& name) {
  if (name.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the name of an array contains NUL");
  }
  if (!is_utf8(name)) return fail(ErrorCode::kInvalidArgument, "the name of an array is not UTF-8");
  if (name.size() > kMaxNameBytes) {
    return fail(ErrorCode::kInvalidArgument, "the name of an array has ", name.size(),
                " bytes; the maximum in an archive is ", kMaxNameBytes);
  }
  return {};
}

void append(zipFile archive, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMaxBytesOfAWrite));
    zipWriteInFileInZip(archive, part.data(), static_cast<unsigned>(part.size()));
    bytes = bytes.subspan(part.size());
  }
}

Status add_entry(zipFile archive, const std::string& name, const TensorView& tensor) {
  STREW_ASSIGN(const auto& image, encode_npy(tensor));
  // Entries are uncompressed and dated 1980-01-01, as in NumPy, so that equal arrays result in equal files.
  zip_fileinfo info{};
  info.dosDate = (1 << 5 | 1) << 16;
  constexpr uLong kNameIsUtf8 = 1 << 11;
  const int zip64 = image.header.size() + image.data.size() >= kFirstZip64Size ? 1 : 0;
  if (zipOpenNewFileInZip4_64(archive, (name + ".npy").c_str(), &info, nullptr, 0, nullptr, 0, nullptr, 0, 0, 0, 0,
                              0, 0, nullptr, 0, 0, kNameIsUtf8, zip64) != ZIP_OK) {
    return no_memory();
  }
  append(archive, std::as_bytes(std::span(image.header)));
  append(archive, image.data);
  if (zipCloseFileInZip(archive) != ZIP_OK) return no_memory();
  return {};
}

Status add_entries(Sink& sink, std::span<const std::pair<std::string, TensorView>> arrays) {
  const NewArchive archive = make_archive(sink);
  if (archive == nullptr) return no_memory();
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : arrays) {
    if (!sink.status) break;
    STREW_TRY(check_name(name));
    if (!names.insert(name).second) {
      return fail(ErrorCode::kInvalidArgument, "two arrays are named '", name, "'");
    }
    STREW_TRY(at_file(name, add_entry(archive.get(), name, tensor)));
  }
  return {};
}

}  // namespace

Status save_npz(const std::filesystem::path& path, std::span<const std::pair<std::string, TensorView>> arrays) {
  return with_memory_for("the .npz file", [&]() -> Status {
    if (arrays.size() > kMaxArrays) {
      return fail(ErrorCode::kUnsupported, {.where = path.native()}, arrays.size(), " arrays; at most ",
                  kMaxArrays, " can be written to a .npz file");
    }
    STREW_ASSIGN(auto&& file, FileWriter::create(path));
    Sink sink{file, {}};
    STREW_TRY(at_file(path.string(), add_entries(sink, arrays)));
    STREW_TRY(sink.status);
    return file.commit();
  });
}

}  // namespace strew
