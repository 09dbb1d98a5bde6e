// Reading .npz archives with libzip.
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/error.h"
#include "io/at_file.h"
#include "io/file.h"
#include "io/npy_data.h"
#include "io/npy_header.h"
#include "io/zip_handle.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

// Deflate cannot shrink data further (zlib's documentation gives 1032:1).
constexpr std::uint64_t kMaxDeflateRatio = 1032;

struct Entry {
  zip_uint64_t index = 0;
  std::string name;
  std::int64_t bytes = 0;  // uncompressed, as the directory says
};

// Reads an entry from start to end.
class EntryReader {
 public:
  explicit EntryReader(ZipFile file) : file_(std::move(file)) {}

  Status read(std::span<std::byte> to) {
    while (!to.empty()) {
      const zip_int64_t got = zip_fread(file_.get(), to.data(), to.size());
      if (got < 0) return damaged();
      if (got == 0) return fail(ErrorCode::kInvalidModel, "ends ", to.size(), " bytes early");
      to = to.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }

  // libzip compares the checksum when it meets the end.
  Status finish() {
    std::byte more{};
    const zip_int64_t got = zip_fread(file_.get(), &more, 1);
    if (got < 0) return damaged();
    if (got > 0) return fail(ErrorCode::kInvalidModel, "is longer than the directory of the archive says");
    return {};
  }

 private:
  tl::unexpected<Error> damaged() {
    return fail(ErrorCode::kInvalidModel, "damaged: ", zip_error_strerror(zip_file_get_error(file_.get())));
  }
  ZipFile file_;
};

Result<Entry> describe(zip_t* archive, zip_uint64_t index, std::uint64_t& room) {
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  zip_stat_t status{};
  if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded) {
    return fail(ErrorCode::kInvalidModel, "entry ", index, ": ", zip_error_strerror(zip_get_error(archive)));
  }
  Entry entry{index, status.name, static_cast<std::int64_t>(status.size)};
  if (!entry.name.ends_with(".npy")) {
    return fail(ErrorCode::kInvalidModel, entry.name, ": not a .npy file, which is all a .npz may hold");
  }
  const bool stored = status.comp_method == ZIP_CM_STORE;
  if (!stored && status.comp_method != ZIP_CM_DEFLATE) {
    return fail(ErrorCode::kUnsupported, entry.name, ": compression method ", status.comp_method,
                " is not read; stored and deflated are");
  }
  // Entries cannot together take more of the file than there is, nor hold more than deflate can hide: this bounds
  // the memory that an archive can ask for by its own size.
  if (status.comp_size > room || status.size / (stored ? 1 : kMaxDeflateRatio) > status.comp_size) {
    return fail(ErrorCode::kInvalidModel, entry.name, ": ", status.size, " bytes cannot come from ",
                status.comp_size, " compressed ones with ", room, " left in the file");
  }
  room -= status.comp_size;
  entry.name.resize(entry.name.size() - 4);
  return entry;
}

Result<Tensor> read_entry(zip_t* archive, const Entry& entry, std::optional<DType> raw_as) {
  ZipFile file(zip_fopen_index(archive, entry.index, 0));
  if (file == nullptr) {
    return fail(ErrorCode::kInvalidModel, "cannot be read: ", zip_error_strerror(zip_get_error(archive)));
  }
  EntryReader reader(std::move(file));
  std::vector<std::byte> start(static_cast<std::size_t>(std::min(entry.bytes, kNpyPreambleBytes)));
  STREW_TRY(reader.read(start));
  const auto header_bytes = npy_header_bytes(start);
  if (!header_bytes) return fail(header_bytes.error());
  const std::size_t seen = start.size();
  start.resize(std::max(seen, static_cast<std::size_t>(std::min(*header_bytes, entry.bytes))));
  STREW_TRY(reader.read(std::span(start).subspan(seen)));
  const auto header = parse_npy_header(start);
  if (!header) return fail(header.error());
  // Nothing is allocated for data before the two sizes agree.
  const std::int64_t data_bytes = entry.bytes - header->header_bytes;
  if (data_bytes != header->data_bytes) return wrong_npy_size(*header, data_bytes);

  auto data = Tensor::uninitialized(DType::kUInt8, {data_bytes});
  if (!data) return data;
  const auto owner = std::make_shared<Tensor>(std::move(*data));
  const std::span bytes(static_cast<std::byte*>(owner->mutable_data()), static_cast<std::size_t>(data_bytes));
  STREW_TRY(reader.read(bytes));
  STREW_TRY(reader.finish());
  const bool raw = header->item.kind == NpyItem::Kind::kRaw;
  return decode_npy(*header, bytes, owner, raw ? raw_as : std::nullopt);
}

Result<std::vector<NamedTensor>> read_npz(std::span<const std::byte> bytes, std::optional<DType> raw_as) {
  // libzip takes no bytes for an archive without entries.
  if (bytes.empty()) return fail(ErrorCode::kInvalidModel, "not a .npz file: it is empty");
  ZipError error;
  const ZipArchive archive = open_zip(bytes, error);
  if (archive == nullptr) return fail(ErrorCode::kInvalidModel, "not a .npz file: ", error.text());
  std::vector<Entry> entries;
  std::set<std::string_view> names;
  std::uint64_t room = bytes.size();
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t index = 0; index < count; ++index) {
    auto entry = describe(archive.get(), static_cast<zip_uint64_t>(index), room);
    if (!entry) return fail(std::move(entry).error());
    entries.push_back(std::move(*entry));
  }
  std::vector<NamedTensor> arrays;
  for (const Entry& entry : entries) {
    if (!names.insert(entry.name).second) {
      return fail(ErrorCode::kInvalidModel, "two arrays are named '", entry.name, "'");
    }
    auto tensor = at_file(entry.name + ".npy", read_entry(archive.get(), entry, raw_as));
    if (!tensor) return fail(std::move(tensor).error());
    arrays.push_back({entry.name, std::move(*tensor)});
  }
  return arrays;
}

}  // namespace

Result<std::vector<NamedTensor>> load_npz(const std::filesystem::path& path, std::optional<DType> raw_as) {
  const auto file = MappedFile::open(path);
  if (!file) return fail(file.error());
  return at_file(path.string(), read_npz((*file)->bytes(), raw_as));
}

}  // namespace strew
