// Rejects all files.
#include "io/file.h"

#include "io/plain/no_files.h"

namespace strew {

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

}  // namespace strew
