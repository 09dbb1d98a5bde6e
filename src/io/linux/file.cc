// Reading and writing files through POSIX calls.
#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace strew {
namespace {

constexpr int kMaxAttempts = 1000;  // at names for the file while it is written

tl::unexpected<Error> system_failure(const std::string& name, std::string_view act) {
  const int reason = errno;
  try {
    return fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, {.where = name}, "cannot ", act, ": ",
                std::generic_category().message(reason));
  } catch (const std::bad_alloc&) {  // where C code is on the stack, nothing may be thrown
    return fail(ErrorCode::kOutOfMemory, "out of memory");
  }
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  if (path.empty()) return fail(ErrorCode::kIo, "the path of the file is empty");
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return system_failure(path.native(), "open");
  auto file = map(descriptor, path.native());
  ::close(descriptor);
  return file;
}

Result<std::shared_ptr<const MappedFile>> MappedFile::map(int descriptor, const std::string& name) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_failure(name, "stat");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kIo, {.where = name}, "not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}, name));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return system_failure(name, "map");
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}, name));
}

FileWriter::FileWriter(int descriptor, std::filesystem::path path, std::string temporary) noexcept
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
  std::error_code none;
  const std::filesystem::path resolved = std::filesystem::canonical(path, none);
  const std::filesystem::path& target = none ? path : resolved;
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return fail(ErrorCode::kIo, {.where = path.native()}, "not a regular file");
  FileWriter writer(-1, target, {});  // so that what is opened belongs to it at once
  for (int attempt = 0;; ++attempt) {
    std::string temporary = target.native() + concat('.', ::getpid(), '-', attempt, ".part");
    writer.descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer.descriptor_ < 0 && errno == EEXIST && attempt < kMaxAttempts) continue;
    if (writer.descriptor_ < 0) return system_failure(path.native(), "write");
    writer.temporary_ = std::move(temporary);
    if (exists && ::fchmod(writer.descriptor_, old.st_mode & 07777) != 0) {
      return system_failure(path.native(), "set the rights of");
    }
    return writer;
  }
}

Status FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_failure(path_.native(), "write");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status FileWriter::seek(std::uint64_t offset) {
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0)
    return system_failure(path_.native(), "seek in");
  return {};
}

Status FileWriter::commit() {
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) return system_failure(path_.native(), "write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_failure(path_.native(), "rename to");
  temporary_.clear();
  return {};
}

}  // namespace strew
