// Tests reading and mapping of files, and atomic writing.
#include "io/file.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "io/files.h"
#include "support/refusal.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

using testing::HasSubstr;

using FileBytesTest = InTempDir;
using FileBytesDeathTest = InTempDir;
using FileWriterTest = InTempDir;

std::size_t files_in(const TempDir& dir) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {}));
}

// Returns whether this process maps the file.
bool is_mapped(const std::filesystem::path& path) {
  return read_file("/proc/self/maps").find(std::filesystem::canonical(path).string()) != std::string::npos;
}

std::filesystem::path file_of(const TempDir& dir, std::uintmax_t size) {
  write_file(dir / "a", "abc");
  std::filesystem::resize_file(dir / "a", size);
  return dir / "a";
}

TEST_F(FileBytesTest, AreReadUpToALimitAndMappedAboveIt) {
  for (const auto& [size, most_read, mapped] :
       {std::tuple(FileBytes::kMostReadBytes, FileBytes::kMostReadBytes, false),
        std::tuple(FileBytes::kMostReadBytes + 1, FileBytes::kMostReadBytes, true),
        std::tuple(FileBytes::kMostReadBytes + 1, FileBytes::kMostReadBytes + 1, false)}) {
    const auto path = file_of(dir_, size);
    const auto file = FileBytes::open(path, most_read).value();
    EXPECT_EQ(file->bytes().size(), size);
    EXPECT_EQ(file->bytes()[2], std::byte{'c'});
    EXPECT_EQ(file->bytes().back(), std::byte{0});
    EXPECT_EQ(is_mapped(path), mapped);
  }
  EXPECT_FALSE(is_mapped(dir_ / "a")) << "the mapping ends with the object";
}

TEST_F(FileBytesTest, ThatAreReadSurviveATruncation) {
  const auto path = file_of(dir_, FileBytes::kMostReadBytes);
  const auto file = FileBytes::open(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ((*file)->bytes()[2], std::byte{'c'});
}

TEST_F(FileBytesDeathTest, ThatAreMappedEndTheProcessAfterATruncation) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "sanitizers have their own signal handlers";
#endif
  const auto path = file_of(dir_, FileBytes::kMostReadBytes + 1);
  const auto file = FileBytes::open(path);
  struct sigaction action {};
  ASSERT_EQ(::sigaction(SIGBUS, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_DFL) << "the library installs no handler";
  std::filesystem::resize_file(path, 0);
  EXPECT_EXIT(std::_Exit(static_cast<int>((*file)->bytes().back())), testing::KilledBySignal(SIGBUS), "");
}

TEST_F(FileBytesTest, OfAFileThatIsShorterThanItsReportedSizeAreAnError) {
  const std::string path = "/sys/devices/system/cpu/possible";  // its reported size is 4096 bytes
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no such file here";
  expect_refused(FileBytes::open(path), ErrorCode::kIo, path + ": it became shorter while it was read");
}

TEST_F(FileBytesTest, CanBeEmpty) {
  write_file(dir_ / "a", "");
  const auto file = FileBytes::open(dir_ / "a").value();
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(FileBytesTest, NamesThePathAndTheReasonOfAnError) {
  expect_refused(FileBytes::open(dir_ / "none"), ErrorCode::kIo,
                 (dir_ / "none").string() + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of(FileBytes::open("")), "the path of the file is empty");
}

TEST_F(FileBytesTest, IsOutOfMemoryIfTheAddressSpaceIsTooSmall) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  constexpr rlim_t kTerabyte = rlim_t{1} << 40;
  write_file(dir_ / "a", "");
  std::filesystem::resize_file(dir_ / "a", kTerabyte);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit less{std::min(kTerabyte, before.rlim_cur), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  const auto file = FileBytes::open(dir_ / "a");
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(file.error().message(), HasSubstr("cannot map: Cannot allocate memory"));
}

TEST_F(FileWriterTest, LeavesNothingWithoutCommit) {
  write_file(dir_ / "a", "old");
  {
    auto file = FileWriter::create(dir_ / "a").value();
    ASSERT_TRUE(file.write("new"));
    EXPECT_EQ(read_file(dir_ / "a"), "old");
  }
  EXPECT_EQ(read_file(dir_ / "a"), "old");
  EXPECT_EQ(files_in(dir_), 1u);
}

TEST_F(FileWriterTest, ReplacesTheFileOnCommit) {
  write_file(dir_ / "a", "older and longer");
  auto file = FileWriter::create(dir_ / "a").value();
  ASSERT_TRUE(file.write("ne"));
  ASSERT_TRUE(file.write("w"));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(read_file(dir_ / "a"), "new");
  EXPECT_EQ(files_in(dir_), 1u);
}

TEST_F(FileWriterTest, SeeksBackAndForth) {
  auto file = FileWriter::create(dir_ / "a");
  ASSERT_TRUE(file && file->write("abc") && file->seek(1) && file->write("B"));
  ASSERT_TRUE(file->seek(3) && file->write("d") && file->seek(0) && file->write("A"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(dir_ / "a"), "ABcd");
}

TEST_F(FileWriterTest, CreatesFilesWithTheUsualPermissions) {
  const mode_t mask = ::umask(022);
  auto file = FileWriter::create(dir_ / "a");
  ASSERT_TRUE(file && file->commit());
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat((dir_ / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(FileWriterTest, NamesThePathThatItCannotWrite) {
  expect_refused(FileWriter::create(dir_ / "none/a"), ErrorCode::kIo, HasSubstr("none/a: cannot write: "));
  write_file(dir_ / "a", "old");
  std::filesystem::create_symlink("a", dir_ / "link");
  auto file = FileWriter::create(dir_ / "link").value();
  std::filesystem::remove(dir_ / "a");
  std::filesystem::create_directory(dir_ / "a");
  EXPECT_EQ(message_of(file.commit()),
            (dir_ / "link").string() + ": cannot rename the temporary file: Is a directory");
}

TEST_F(FileWriterTest, TriesAThousandNamesThatAreTaken) {
  const auto take = [&](int attempt) {
    write_file(dir_ / ("a." + std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".part"), "");
  };
  for (int attempt = 0; attempt < 1000; ++attempt) take(attempt);
  EXPECT_TRUE(FileWriter::create(dir_ / "a"));
  take(1000);
  EXPECT_EQ(message_of(FileWriter::create(dir_ / "a")), (dir_ / "a").string() + ": cannot write: File exists");
}

TEST_F(FileWriterTest, CleansUpIfItCannotRename) {
  {
    auto file = FileWriter::create(dir_ / "a").value();
    std::filesystem::create_directory(dir_ / "a");
    EXPECT_FALSE(file.commit());
  }
  EXPECT_EQ(files_in(dir_), 1u);
}

TEST_F(FileWriterTest, KeepsThePermissionsAndTheLinkOfAnExistingFile) {
  write_file(dir_ / "old", "old");
  std::filesystem::permissions(dir_ / "old",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("old", dir_ / "link");
  auto file = FileWriter::create(dir_ / "link").value();
  ASSERT_TRUE(file.write("new"));
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link"));
  EXPECT_EQ(read_file(dir_ / "old"), "new");
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(dir_ / "old").permissions()), 0600u);
}

}  // namespace
}  // namespace strew
