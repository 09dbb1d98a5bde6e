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

TEST(FileBytes, AreReadUpToALimitAndMappedAboveIt) {
  const TempDir dir;
  for (const auto& [size, most_read, mapped] :
       {std::tuple(FileBytes::kMostReadBytes, FileBytes::kMostReadBytes, false),
        std::tuple(FileBytes::kMostReadBytes + 1, FileBytes::kMostReadBytes, true),
        std::tuple(FileBytes::kMostReadBytes + 1, FileBytes::kMostReadBytes + 1, false)}) {
    const auto path = file_of(dir, size);
    const auto file = FileBytes::open(path, most_read).value();
    EXPECT_EQ(file->bytes().size(), size);
    EXPECT_EQ(file->bytes()[2], std::byte{'c'});
    EXPECT_EQ(file->bytes().back(), std::byte{0});
    EXPECT_EQ(is_mapped(path), mapped);
  }
  EXPECT_FALSE(is_mapped(dir / "a")) << "the mapping ends with the object";
}

TEST(FileBytes, ThatAreReadSurviveATruncation) {
  const TempDir dir;
  const auto path = file_of(dir, FileBytes::kMostReadBytes);
  const auto file = FileBytes::open(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ((*file)->bytes()[2], std::byte{'c'});
}

TEST(FileBytesDeathTest, ThatAreMappedEndTheProcessAfterATruncation) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "sanitizers have their own signal handlers";
#endif
  const TempDir dir;
  const auto path = file_of(dir, FileBytes::kMostReadBytes + 1);
  const auto file = FileBytes::open(path);
  struct sigaction action {};
  ASSERT_EQ(::sigaction(SIGBUS, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_DFL) << "the library installs no handler";
  std::filesystem::resize_file(path, 0);
  EXPECT_EXIT(std::_Exit(static_cast<int>((*file)->bytes().back())), testing::KilledBySignal(SIGBUS), "");
}

TEST(FileBytes, OfAFileThatIsShorterThanItsReportedSizeAreAnError) {
  const std::string path = "/sys/devices/system/cpu/possible";  // its reported size is 4096 bytes
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no such file here";
  expect_refused(FileBytes::open(path), ErrorCode::kIo, path + ": it became shorter while it was read");
}

TEST(FileBytes, CanBeEmpty) {
  const TempDir dir;
  write_file(dir / "a", "");
  const auto file = FileBytes::open(dir / "a").value();
  EXPECT_TRUE(file->bytes().empty());
}

TEST(FileBytes, NamesThePathAndTheReasonOfAnError) {
  const TempDir dir;
  expect_refused(FileBytes::open(dir / "none"), ErrorCode::kIo,
                 (dir / "none").string() + ": cannot open: No such file or directory");
}

TEST(FileBytes, RejectsAnEmptyPath) {
  EXPECT_EQ(FileBytes::open("").error().message(), "the path of the file is empty");
}

TEST(FileBytes, IsOutOfMemoryIfTheAddressSpaceIsTooSmall) {
#if STREW_ASAN || STREW_TSAN
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  constexpr rlim_t kTerabyte = rlim_t{1} << 40;
  const TempDir dir;
  write_file(dir / "a", "");
  std::filesystem::resize_file(dir / "a", kTerabyte);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const rlimit less{std::min(kTerabyte, before.rlim_cur), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  const auto file = FileBytes::open(dir / "a");
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kOutOfMemory);
  EXPECT_THAT(file.error().message(), HasSubstr("cannot map: Cannot allocate memory"));
}

TEST(FileWriter, LeavesNothingWithoutCommit) {
  const TempDir dir;
  write_file(dir / "a", "old");
  {
    auto file = FileWriter::create(dir / "a").value();
    ASSERT_TRUE(file.write("new"));
    EXPECT_EQ(read_file(dir / "a"), "old");
  }
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(files_in(dir), 1u);
}

TEST(FileWriter, ReplacesTheFileOnCommit) {
  const TempDir dir;
  write_file(dir / "a", "older and longer");
  auto file = FileWriter::create(dir / "a").value();
  ASSERT_TRUE(file.write("ne"));
  ASSERT_TRUE(file.write("w"));
  ASSERT_TRUE(file.commit());
  EXPECT_EQ(read_file(dir / "a"), "new");
  EXPECT_EQ(files_in(dir), 1u);
}

TEST(FileWriter, SeeksBackAndForth) {
  const TempDir dir;
  auto file = FileWriter::create(dir / "a");
  ASSERT_TRUE(file && file->write("abc") && file->seek(1) && file->write("B"));
  ASSERT_TRUE(file->seek(3) && file->write("d") && file->seek(0) && file->write("A"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read_file(dir / "a"), "ABcd");
}

TEST(FileWriter, CreatesFilesWithTheUsualPermissions) {
  const TempDir dir;
  const mode_t mask = ::umask(022);
  auto file = FileWriter::create(dir / "a");
  ASSERT_TRUE(file && file->commit());
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat((dir / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(FileWriter, NamesThePathThatItCannotWrite) {
  const TempDir dir;
  expect_refused(FileWriter::create(dir / "none/a"), ErrorCode::kIo, HasSubstr("none/a: cannot write: "));
}

TEST(FileWriter, TriesAThousandNamesThatAreTaken) {
  const TempDir dir;
  const auto take = [&](int attempt) {
    write_file(dir / ("a." + std::to_string(::getpid()) + '-' + std::to_string(attempt) + ".part"), "");
  };
  for (int attempt = 0; attempt < 1000; ++attempt) take(attempt);
  EXPECT_TRUE(FileWriter::create(dir / "a"));
  take(1000);
  EXPECT_EQ(message_of(FileWriter::create(dir / "a")), (dir / "a").string() + ": cannot write: File exists");
}

TEST(FileWriter, CleansUpIfItCannotRename) {
  const TempDir dir;
  {
    auto file = FileWriter::create(dir / "a").value();
    std::filesystem::create_directory(dir / "a");
    EXPECT_FALSE(file.commit());
  }
  EXPECT_EQ(files_in(dir), 1u);
}

TEST(FileWriter, KeepsThePermissionsAndTheLinkOfAnExistingFile) {
  const TempDir dir;
  write_file(dir / "old", "old");
  std::filesystem::permissions(dir / "old",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("old", dir / "link");
  auto file = FileWriter::create(dir / "link").value();
  ASSERT_TRUE(file.write("new"));
  ASSERT_TRUE(file.commit());
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "old"), "new");
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(dir / "old").permissions()), 0600u);
}

}  // namespace
}  // namespace strew
