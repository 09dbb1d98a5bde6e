// Tests readers and writers with names that are no regular files, huge or unreadable files, and full disks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>

#include "io/files.h"
#include "strew/model.h"
#include "strew/ops.h"
#include "strew/tensor_file.h"
#include "support/full_disk.h"
#include "support/refusal.h"

namespace strew {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;

using Readers = InTempDir;
using Writers = InTempDir;

constexpr std::int64_t kTerabyte = std::int64_t{1} << 40;

struct Reader {
  const char* name;
  std::function<Status(const std::filesystem::path&)> read;
};

template <class T>
Status status_of(const Result<T>& result) {
  return result ? Status() : tl::unexpected(result.error());
}

const std::array kReaders = {
    Reader{"load_npy", [](const auto& path) { return status_of(load_npy(path)); }},
    Reader{"load_npz", [](const auto& path) { return status_of(load_npz(path)); }},
    Reader{"load_tensor_pb", [](const auto& path) { return status_of(load_tensor_pb(path)); }},
    Reader{"Model::load", [](const auto& path) { return status_of(Model::load(path)); }}};

// Expects that each reader rejects the file with a message that matches `reason`.
void expect_refused(const std::filesystem::path& path, const testing::Matcher<std::string>& reason) {
  for (const Reader& reader : kReaders) {
    SCOPED_TRACE(reader.name);
    const Status status = reader.read(path);
    ASSERT_FALSE(status) << path;
    EXPECT_THAT(status.error().message(), ::testing::StartsWith(path.string()));
    EXPECT_THAT(status.error().message(), reason);
  }
}

std::int64_t resident_pages() {
  std::int64_t all = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

// Makes a file of `size` bytes that takes no disk space. Returns false if the file system lacks sparse files.
bool make_sparse(const std::filesystem::path& path, std::string_view start, std::int64_t size) {
  write_file(path, start);
  return ::truncate(path.c_str(), size) == 0;
}

// Returns the error of a call in a child process without the rights of root. Root could read every file.
std::string without_rights(const std::function<Status()>& call) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(1);
    const Status status = call();
    const std::string text = status ? "read" : status.error().message();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

TEST_F(Readers, RejectFoldersFifosAndDevicesWithoutWaiting) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  for (const std::filesystem::path& path :
       {dir_.path(), dir_ / "fifo", std::filesystem::path("/dev/zero"), std::filesystem::path("/dev/null"),
        std::filesystem::path("/dev/urandom")}) {
    expect_refused(path, EndsWith(": not a regular file"));
  }
}

TEST_F(Readers, RejectASocket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (dir_ / "socket").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expect_refused(path, HasSubstr(": cannot open: "));
  ::close(listener);
}

TEST_F(Readers, RejectFilesOfTheKernel) {
  // These files report a size of 0, or cannot be mapped.
  for (const char* path : {"/proc/self/maps", "/proc/self/mem", "/proc/version"}) {
    expect_refused(path, testing::Not(HasSubstr("regular")));
  }
}

TEST_F(Readers, RejectALoopOfSymbolicLinks) {
  std::filesystem::create_symlink("b", dir_ / "a");
  std::filesystem::create_symlink("a", dir_ / "b");
  expect_refused(dir_ / "a", HasSubstr(": cannot open: "));
}

TEST_F(Readers, FollowALinkThatTheUserNames) {
  write_file(dir_ / "blob", npy_of("|u1", "(2,)", "ab"));
  std::filesystem::create_symlink("blob", dir_ / "x.npy");
  EXPECT_TRUE(load_npy(dir_ / "x.npy"));
}

TEST_F(Readers, SayThatAFileMayNotBeRead) {
  write_file(dir_ / "secret", npy_of("|u1", "(2,)", "ab"));
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(dir_ / "secret", std::filesystem::perms(0));
  for (const Reader& reader : kReaders) {
    EXPECT_EQ(without_rights([&] { return reader.read(dir_ / "secret"); }),
              (dir_ / "secret").string() + ": cannot open: Permission denied")
        << reader.name;
  }
}

TEST_F(Readers, AllocateNothingForASparseFileOfATerabyte) {
  if (!make_sparse(dir_ / "x.npy", npy_of("|u1", "(1099511627776,)", "ab"), kTerabyte + 128)) {
    GTEST_SKIP() << "there are no sparse files";
  }
  const std::int64_t before = resident_pages();
  const auto tensor = load_npy(dir_ / "x.npy").value();
  const auto indices = Tensor::of<std::int64_t>({1, kTerabyte - 1}, {2}).value();
  const auto result = gather(tensor, indices).value();
  EXPECT_EQ(result.values<std::uint8_t>()[0], 'b');
  EXPECT_EQ(result.values<std::uint8_t>()[1], 0);
  EXPECT_LT(resident_pages() - before, 4096);
}

TEST_F(Readers, RejectASparseFileOfATerabyteInAnotherFormat) {
  if (!make_sparse(dir_ / "zeros", "", kTerabyte)) GTEST_SKIP() << "there are no sparse files";
  const std::int64_t before = resident_pages();
  expect_refused(dir_ / "zeros", AnyOf(HasSubstr("not a .npy file"), HasSubstr("not a zip archive"),
                                       HasSubstr("is not a field number"), HasSubstr("at most 2147483647 bytes")));
  EXPECT_LT(resident_pages() - before, 4096);
}

TEST_F(Readers, RejectACopyThatDoesNotFitInMemory) {
  // Bools other than 0 and 1 are converted in a copy.
  if (!make_sparse(dir_ / "x.npy", npy_of("|b1", "(1099511627776,)", "\2"), kTerabyte + 128)) {
    GTEST_SKIP() << "there are no sparse files";
  }
  expect_refused(load_npy(dir_ / "x.npy"), ErrorCode::kOutOfMemory, HasSubstr("1099511627776 bytes"));
}

TEST_F(Writers, LeaveTheOldFileWhereTheDiskIsFull) {
  const auto tensor = Tensor::zeros(DType::kFloat32, {1 << 16}).value();
  for (const char* name : {"x.npy", "x.npz", "x.pb"}) {
    write_file(dir_ / name, "old");
    for (const rlim_t room : {0u, 1u, 100u, 100'000u, 262'143u}) {
      Status status;
      {
        const support::FullDisk disk(room);
        status = save_tensor(dir_ / name, tensor, "x");
      }
      ASSERT_FALSE(status) << name << ", room for " << room;
      EXPECT_EQ(status.error().code, ErrorCode::kIo);
      EXPECT_EQ(status.error().message(), (dir_ / name).string() + ": cannot write: File too large");
      EXPECT_EQ(read_file(dir_ / name), "old");
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path()), {}), 3);
}

TEST_F(Writers, RejectDevicesFifosAndFolders) {
  const auto tensor = Tensor::of<float>({1}, {1}).value();
  for (const char* ending : {".npy", ".npz", ".pb"}) {
    const auto fifo = dir_ / (std::string("fifo") + ending);
    const auto folder = dir_ / (std::string("folder") + ending);
    const auto full = dir_ / (std::string("full") + ending);
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::filesystem::create_directory(folder);
    std::filesystem::create_symlink("/dev/full", full);
    for (const auto& path : {fifo, folder, full}) {
      EXPECT_EQ(message_of(save_tensor(path, tensor, "x")), path.string() + ": not a regular file") << path;
    }
  }
}

TEST_F(Writers, SayThatAFolderMayNotBeWrittenTo) {
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  write_file(dir_ / "x.npy", "old");
  const auto tensor = Tensor::of<float>({1}, {1}).value();
  if (::geteuid() != 0) std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
  EXPECT_EQ(without_rights([&] { return save_tensor(dir_ / "x.npy", tensor, "x"); }),
            (dir_ / "x.npy").string() + ": cannot write: Permission denied");
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
  EXPECT_EQ(read_file(dir_ / "x.npy"), "old");
}

TEST_F(Writers, KeepAReplacedFileForItsReaders) {
  const auto old = Tensor::zeros(DType::kUInt8, {4 << 20}).value();
  ASSERT_TRUE(save_npy(dir_ / "x.npy", old));
  const auto mapped = load_npy(dir_ / "x.npy").value();
  ASSERT_TRUE(save_npy(dir_ / "x.npy", Tensor::of<std::uint8_t>({9}, {1}).value()));
  EXPECT_EQ(mapped.values<std::uint8_t>().size(), 4u << 20);
  EXPECT_EQ(mapped.values<std::uint8_t>().back(), 0);
}

}  // namespace
}  // namespace strew
