// Rejects all files and archives.
#include "io/file.h"

#include "core/error.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

tl::unexpected<Error> no_files(const std::filesystem::path& path) {
  return fail(ErrorCode::kUnsupported, {.where = path.string()},
              "this build of the library cannot read or write files; pass their bytes instead");
}

}  // namespace

Result<std::shared_ptr<const FileBytes>> FileBytes::open(const std::filesystem::path& path, std::size_t) {
  return no_files(path);
}
Result<std::shared_ptr<const FileBytes>> FileBytes::open(int, const std::string& name, std::size_t) {
  return no_files(name);
}
FileBytes::~FileBytes() = default;

// There is never a writer, since `create` fails.
Result<FileWriter> FileWriter::create(const std::filesystem::path& path) { return no_files(path); }
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter::~FileWriter() = default;
Status FileWriter::write(std::span<const std::byte>) { return no_files(path_); }
Status FileWriter::seek(std::uint64_t) { return no_files(path_); }
Status FileWriter::commit() { return no_files(path_); }

Result<std::vector<NamedTensor>> load_npz(const std::filesystem::path& path, std::optional<DType>) {
  return no_files(path);
}

Status save_npz(const std::filesystem::path& path, std::span<const std::pair<std::string, TensorView>>) {
  return no_files(path);
}

}  // namespace strew
