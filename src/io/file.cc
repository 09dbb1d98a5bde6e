// Reading and writing files through POSIX calls.
#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace strew {
namespace {

tl::unexpected<Error> system_failure(const std::string& name, std::string_view act) {
  return fail(ErrorCode::kIo, name, ": cannot ", act, ": ", std::generic_category().message(errno));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return system_failure(path.string(), "open");
  auto file = map(descriptor, path.string());
  ::close(descriptor);
  return file;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_failure(name, "stat");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kIo, name, ": not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return system_failure(name, "map");
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

FileWriter::FileWriter(int descriptor, std::filesystem::path path, std::string temporary)
    : descriptor_(descriptor), path_(std::move(path)), temporary_(std::move(temporary)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})) {}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<FileWriter> FileWriter::create(const std::filesystem::path& path) {
  std::string temporary = path.string() + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return system_failure(path.string(), "write");
  return FileWriter(descriptor, path, std::move(temporary));
}

Status FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_failure(path_.string(), "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status FileWriter::commit() {
  const mode_t mask = ::umask(0);  // mkostemp makes files private; give this one the usual rights
  ::umask(mask);
  ::fchmod(descriptor_, 0666 & ~mask);
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) return system_failure(path_.string(), "write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_failure(path_.string(), "rename to");
  temporary_.clear();
  return {};
}

}  // namespace strew
