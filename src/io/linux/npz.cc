// Reads .npz archives with minizip from the bytes of a file.
#include <minizip/unzip.h>

#include <algorithm>
#include <array>
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

// Maximum ratio of uncompressed to compressed size, from zlib's documentation.
constexpr std::uint64_t kMaxDeflateRatio = 1032;
constexpr std::size_t kMaxBytesAtOnce = 1 << 30;  // per call, since minizip counts bytes in an int

// Marks a size that is in the zip64 extra field, which minizip 1.1 does not read if a long has 64 bits.
constexpr std::uint64_t kInZip64 = 0xFFFFFFFF;
constexpr std::uint64_t kMaxEntries = 0xFFFF;  // entries that an archive without zip64 can count

// An archive without entries, which minizip rejects.
constexpr std::array<std::byte, 22> kEmptyArchive{std::byte{'P'}, std::byte{'K'}, std::byte{5}, std::byte{6}};

// The file that minizip reads.
struct Source {
  std::span<const std::byte> bytes;
  std::uint64_t at = 0;
};

voidpf open_source(voidpf source, const void*, int) { return source; }
int close_source(voidpf, voidpf) { return 0; }
// minizip calls this after a short read. If it returned 0, minizip would treat missing bytes as zeros.
int source_failed(voidpf, voidpf) { return 1; }
ZPOS64_T tell_source(voidpf, voidpf stream) { return static_cast<Source*>(stream)->at; }

uLong read_source(voidpf, voidpf stream, void* to, uLong size) {
  Source& source = *static_cast<Source*>(stream);
  const auto rest = source.bytes.subspan(source.at);
  const auto read = rest.first(std::min<std::size_t>(rest.size(), size));
  std::ranges::copy(read, static_cast<std::byte*>(to));
  source.at += read.size();
  return read.size();
}

long seek_source(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  Source& source = *static_cast<Source*>(stream);
  // The sums wrap: minizip seeks backwards by offsets of 2^64 - n.
  if (origin == ZLIB_FILEFUNC_SEEK_CUR) offset += source.at;
  if (origin == ZLIB_FILEFUNC_SEEK_END) offset += source.bytes.size();
  if (offset > source.bytes.size()) return -1;
  source.at = offset;
  return 0;
}

struct CloseArchive {
  void operator()(unzFile archive) const noexcept { unzClose(archive); }
};
using Archive = std::unique_ptr<void, CloseArchive>;

/// Returns nullptr if the source is not a zip archive. `source` must outlive the result.
Archive open_archive(Source& source) {
  zlib_filefunc64_def calls{open_source, read_source,  nullptr,       tell_source,
                            seek_source, close_source, source_failed, &source};
  return Archive(unzOpen2_64(nullptr, &calls));
}

struct Entry {
  std::string name;
  std::int64_t bytes = 0;  // uncompressed size, from the directory of the archive
};

/// Describes the current entry, and subtracts its compressed size from the `remaining` bytes of the file.
Result<Entry> describe(unzFile archive, std::uint64_t& remaining) {
  unz_file_info64 info{};
  Entry entry;
  const auto look = [&] {
    return unzGetCurrentFileInfo64(archive, &info, entry.name.data(), entry.name.size(), nullptr, 0, nullptr, 0);
  };
  if (look() == UNZ_OK) entry.name.resize(info.size_filename);
  if (look() != UNZ_OK) return fail(ErrorCode::kInvalidModel, "the directory of the archive is damaged");
  if (!is_utf8(entry.name) || entry.name.find('\0') != std::string::npos) {
    return fail(ErrorCode::kInvalidModel, "the name of an array is not UTF-8 or contains NUL");
  }
  if (!entry.name.ends_with(".npy")) {
    return fail(ErrorCode::kInvalidModel, {.where = entry.name}, "not a .npy file; a .npz file holds only those");
  }
  if ((info.flag & 1) != 0) return fail(ErrorCode::kUnsupported, {.where = entry.name}, "encrypted");
  const bool stored = info.compression_method == 0;
  if (!stored && info.compression_method != Z_DEFLATED) {
    return fail(ErrorCode::kUnsupported, {.where = entry.name}, "compression method ", info.compression_method,
                " is not supported; stored and deflated are");
  }
  const std::uint64_t size = info.uncompressed_size;
  const std::uint64_t compressed = info.compressed_size;
  if (size == kInZip64 || compressed == kInZip64) {
    return fail(ErrorCode::kUnsupported, {.where = entry.name}, "4 GiB or more, which minizip 1.1 does not read");
  }
  // Rejects entries that together exceed the file, or expand too far, so that the file's size bounds the memory.
  if (compressed > remaining || (stored ? size != compressed : size / kMaxDeflateRatio > compressed)) {
    return fail(ErrorCode::kInvalidModel, {.where = entry.name}, size, " bytes cannot come from ", compressed,
                " compressed bytes; ", remaining, " bytes are left in the file");
  }
  remaining -= compressed;
  entry.bytes = static_cast<std::int64_t>(size);
  entry.name.resize(entry.name.size() - 4);
  return entry;
}

Result<Tensor> extract(unzFile archive, std::int64_t size) {
  auto image = Tensor::uninitialized(DType::kUInt8, {size});
  if (!image) return image;
  if (unzOpenCurrentFile(archive) != UNZ_OK) {
    return fail(ErrorCode::kInvalidModel,
                "its header does not match the directory of the archive "
                "(minizip 1.1 does not look beyond 4 GiB)");
  }
  std::span rest(static_cast<std::byte*>(image->mutable_data()), static_cast<std::size_t>(size));
  while (!rest.empty()) {
    const auto most = static_cast<unsigned>(std::min(rest.size(), kMaxBytesAtOnce));
    const int got = unzReadCurrentFile(archive, rest.data(), most);
    if (got <= 0) {
      return fail(ErrorCode::kInvalidModel, "damaged: the last ", rest.size(), " bytes cannot be read");
    }
    rest = rest.subspan(static_cast<std::size_t>(got));
  }
  if (unzCloseCurrentFile(archive) != UNZ_OK) return fail(ErrorCode::kInvalidModel, "damaged: CRC error");
  return image;
}

Result<Tensor> read_entry(unzFile archive, const Entry& entry, std::optional<DType> raw_as) {
  auto image = extract(archive, entry.bytes);
  if (!image) return image;
  const auto owner = std::make_shared<const Tensor>(std::move(*image));
  const std::span bytes(static_cast<const std::byte*>(owner->data()), static_cast<std::size_t>(entry.bytes));
  STREW_ASSIGN(const auto& header, parse_npy_header(bytes));
  STREW_ASSIGN(const auto& data, npy_data(header, bytes));
  const bool raw = header.item.kind == NpyItem::Kind::kRaw;
  return decode_npy(header, data, owner, raw ? raw_as : std::nullopt);
}

Result<std::vector<NamedTensor>> read_npz(std::span<const std::byte> bytes, std::optional<DType> raw_as) {
  if (std::ranges::equal(bytes, kEmptyArchive)) return std::vector<NamedTensor>{};
  Source source{bytes};
  const Archive archive = open_archive(source);
  if (archive == nullptr) return fail(ErrorCode::kInvalidModel, "not a .npz file: not a zip archive");
  unz_global_info64 info{};
  unzGetGlobalInfo64(archive.get(), &info);
  std::uint64_t remaining = bytes.size();
  std::set<std::string> names;
  std::vector<NamedTensor> arrays;
  for (std::uint64_t index = 0; index < info.number_entry; ++index) {
    if (index > 0) unzGoToNextFile(archive.get());
    STREW_ASSIGN(auto&& entry, describe(archive.get(), remaining));
    if (!names.insert(entry.name).second) {
      return fail(ErrorCode::kInvalidModel, "two arrays are named '", entry.name, "'");
    }
    STREW_ASSIGN(auto&& tensor, at_file(entry.name + ".npy", read_entry(archive.get(), entry, raw_as)));
    arrays.push_back({std::move(entry.name), std::move(tensor)});
  }
  // An archive without zip64 cannot count more entries, but minizip would read them.
  if (info.number_entry == kMaxEntries && unzGoToNextFile(archive.get()) == UNZ_OK) {
    return fail(ErrorCode::kInvalidModel, "more than ", kMaxEntries, " arrays, which the archive cannot count");
  }
  return arrays;
}

}  // namespace

Result<std::vector<NamedTensor>> load_npz(const std::filesystem::path& path, std::optional<DType> raw_as) {
  return with_memory_for("the .npz file", [&]() -> Result<std::vector<NamedTensor>> {
    STREW_ASSIGN(const auto& file, FileBytes::open(path));
    return at_file(path.string(), read_npz((file)->bytes(), raw_as));
  });
}

}  // namespace strew
