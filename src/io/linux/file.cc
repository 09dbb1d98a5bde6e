// Reads and writes files with POSIX calls.
#include "io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/fence.h"

namespace strew {
namespace {

constexpr int kMaxAttempts = 1000;  // attempts to find an unused temporary name

tl::unexpected<Error> system_failure(const std::string& name, std::string_view act) {
  const int reason = errno;
  // No exception may pass through C code (minizip) on the stack.
  return with_memory(
      [&] {
        return fail(reason == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo, {.where = name}, "cannot ", act,
                    ": ", std::generic_category().message(reason));
      },
      [] { return fail(ErrorCode::kOutOfMemory, "out of memory"); });
}

Status read_all(int descriptor, const std::string& name, std::byte* to, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::pread(descriptor, to + at, size - at, static_cast<off_t>(at));
    if (got == 0) return fail(ErrorCode::kIo, {.where = name}, "it became shorter while it was read");
    if (got > 0) at += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) return system_failure(name, "read");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const FileBytes>> FileBytes::open(const std::filesystem::path& path,
                                                         std::size_t most_read) {
  if (path.empty()) return fail(ErrorCode::kIo, "the path of the file is empty");
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return system_failure(path.native(), "open");
  auto file = open(descriptor, path.native(), most_read);
  ::close(descriptor);
  return file;
}

Result<std::shared_ptr<const FileBytes>> FileBytes::open(int descriptor, const std::string& name,
                                                         std::size_t most_read) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_failure(name, "stat");
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kIo, {.where = name}, "not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  std::shared_ptr<FileBytes> file(new FileBytes);
  if (size > most_read) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) return system_failure(name, "map");
    file->bytes_ = {static_cast<const std::byte*>(address), size};
    return file;
  }
  auto memory = Tensor::uninitialized(DType::kUInt8, {status.st_size});
  if (!memory) return fail(ErrorCode::kOutOfMemory, {.where = name}, "no memory to read ", size, " bytes");
  STREW_TRY(read_all(descriptor, name, static_cast<std::byte*>(memory->mutable_data()), size));
  file->read_ = std::move(*memory);
  file->bytes_ = {static_cast<const std::byte*>(file->read_.data()), size};
  return file;
}

FileBytes::~FileBytes() {
  if (bytes_.data() != read_.data()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

FileWriter::FileWriter(std::filesystem::path path, std::filesystem::path target) noexcept
    : path_(std::move(path)), target_(std::move(target)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
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
  FileWriter writer(path, target);  // owns the descriptor from here on
  for (int attempt = 0;; ++attempt) {
    std::string temporary = target.native() + concat('.', ::getpid(), '-', attempt, ".part");
    writer.descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer.descriptor_ < 0 && errno == EEXIST && attempt < kMaxAttempts) continue;
    if (writer.descriptor_ < 0) return system_failure(path.native(), "write");
    writer.temporary_ = std::move(temporary);
    if (exists && ::fchmod(writer.descriptor_, old.st_mode & 07777) != 0) {
      return system_failure(path.native(), "set permissions");
    }
    return writer;
  }
}

Status FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_failure(path_.native(), "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status FileWriter::seek(std::uint64_t offset) {
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0)
    return system_failure(path_.native(), "seek");
  return {};
}

Status FileWriter::commit() {
  if (::close(std::exchange(descriptor_, -1)) != 0) return system_failure(path_.native(), "write");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    return system_failure(path_.native(), "rename the temporary file");
  temporary_.clear();
  return {};
}

}  // namespace strew
