// Tests .npz archives.
#include <gmock/gmock.h>
#include <minizip/zip.h>

#include <utility>
#include <vector>

#include "io/files.h"
#include "strew/tensor_file.h"
#include "support/refusal.h"

namespace strew {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using std::string_literals::operator""s;
using Members = std::vector<std::pair<std::string, std::string>>;

constexpr int kStored = 0;
constexpr int kDeflated = Z_DEFLATED;

void zip(const std::filesystem::path& path, const Members& members, int method = kDeflated) {
  zipFile archive = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  ASSERT_NE(archive, nullptr);
  for (const auto& [name, bytes] : members) {
    const zip_fileinfo info{};
    ASSERT_EQ(zipOpenNewFileInZip64(archive, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, method, 9, 0),
              ZIP_OK);
    ASSERT_EQ(zipWriteInFileInZip(archive, bytes.data(), static_cast<unsigned>(bytes.size())), ZIP_OK);
    ASSERT_EQ(zipCloseFileInZip(archive), ZIP_OK);
  }
  ASSERT_EQ(zipClose(archive, nullptr), ZIP_OK);
}

// Overwrites bytes of the first entry of the archive's directory.
void patch_directory(const std::filesystem::path& path, std::size_t at, std::string_view with) {
  std::string bytes = read_file(path);
  const std::size_t directory = bytes.find("PK\1\2");
  ASSERT_NE(directory, std::string::npos);
  bytes.replace(directory + at, with.size(), with);
  write_file(path, bytes);
}

std::string message(const std::filesystem::path& path) {
  const auto arrays = load_npz(path);
  return arrays ? "accepted" : arrays.error().message().substr(path.string().size());
}

TEST(NpzLoader, ReadsStoredAndDeflatedArraysInOrder) {
  const TempDir dir;
  for (const int method : {kStored, kDeflated}) {
    zip(dir / "x.npz",
        {{"b.npy", npy_of("<i4", "(100,)", std::string(400, '\1'))}, {"a.npy", npy_of("|S2", "()", "hi")}},
        method);
    const auto arrays = load_npz(dir / "x.npz").value();
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].name, "b");
    EXPECT_EQ(arrays[0].tensor.values<std::int32_t>()[99], 0x01010101);
    EXPECT_EQ(arrays[1].name, "a");
    EXPECT_THAT(arrays[1].tensor.values<std::string>(), ElementsAre("hi"));
  }
}

TEST(NpzLoader, RejectsMembersThatAreNoArrays) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.txt", "hello"}});
  EXPECT_EQ(message(dir / "x.npz"), ": a.txt: not a .npy file, which is all a .npz may hold");
  zip(dir / "x.npz", {{"a.npy", "hello"}});
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: not a .npy file: it does not begin with \\x93NUMPY");
  zip(dir / "x.npz", {{"a.npy", "\x93NUMPY\1\0\1\0"s}});
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": a.npy: ends inside the header"));
}

TEST(NpzLoader, RejectsHeadersThatDisagreeWithTheEntry) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("<f4", "(1000000000000,)", "abcd")}});
  EXPECT_EQ(message(dir / "x.npz"),
            ": a.npy: header says [1000000000000] float32, 4000000000000 bytes, but 4 follow");
}

TEST(NpzLoader, IgnoresBytesAfterTheDataOfAnArray) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|u1", "(1,)", "\7rest")}, {"b.npy", npy_of("|u1", "(1,)", "\x8")}});
  const auto arrays = load_npz(dir / "x.npz").value();
  EXPECT_THAT(arrays[0].tensor.values<std::uint8_t>(), ElementsAre(7));
  EXPECT_THAT(arrays[1].tensor.values<std::uint8_t>(), ElementsAre(8));
}

TEST(NpzLoader, RejectsTwoArraysOfOneName) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "()", "1")}, {"b.npy", npy_of("|i1", "()", "2")}});
  std::string bytes = read_file(dir / "x.npz");
  for (std::size_t at = 0; (at = bytes.find("b.npy", at)) != std::string::npos;) bytes[at] = 'a';
  write_file(dir / "x.npz", bytes);
  EXPECT_EQ(message(dir / "x.npz"), ": two arrays are named 'a'");
}

TEST(NpzLoader, RejectsSizesThatDeflateCannotReach) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("<f4", "()", "abcd")}});
  patch_directory(dir / "x.npz", 24, "\0\0\0\x40"s);  // uncompressed size
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": a.npy: 1073741824 bytes cannot come from "));
}

TEST(NpzLoader, RefusesSizesThatLie) {
  const TempDir dir;
  const std::string image = npy_of("|i1", "(4,)", "abcd");
  for (const int change : {-1, 1}) {
    const std::string size{static_cast<char>(image.size() + static_cast<std::size_t>(change)), '\0', '\0', '\0'};
    for (const int method : {kStored, kDeflated}) {
      zip(dir / "x.npz", {{"a.npy", image}}, method);
      patch_directory(dir / "x.npz", 24, size);
      EXPECT_THAT(message(dir / "x.npz"), HasSubstr(method == kStored ? "cannot come from" : "its header is not"));
      std::string bytes = read_file(dir / "x.npz");
      bytes.replace(22, 4, size);  // makes the size in the entry's local header wrong too
      write_file(dir / "x.npz", bytes);
      EXPECT_THAT(message(dir / "x.npz"), HasSubstr(method == kStored ? "cannot come from" : "a.npy: damaged: "));
    }
  }
}

TEST(NpzLoader, RejectsEncryptedEntriesAndUnknownCompression) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "()", "1")}});
  patch_directory(dir / "x.npz", 8, "\1");
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: encrypted");
  patch_directory(dir / "x.npz", 8, "\0\0\xC"s);
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: compression method 12 is not read; stored and deflated are");
}

TEST(NpzLoader, RejectsNamesThatAreNotUtf8) {
  const TempDir dir;
  for (const char byte : {'\xFF', '\0'}) {
    zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "()", "1")}});
    patch_directory(dir / "x.npz", 46, {&byte, 1});
    EXPECT_EQ(message(dir / "x.npz"), ": the name of an array is not UTF-8 or contains NUL");
  }
}

TEST(NpzLoader, RejectsADirectoryShorterThanItsCount) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "()", "1")}});
  std::string bytes = read_file(dir / "x.npz");
  bytes.replace(bytes.find("PK\5\6") + 8, 4, "\2\0\2\0"s);
  write_file(dir / "x.npz", bytes);
  EXPECT_EQ(message(dir / "x.npz"), ": the directory of the archive is damaged");
}

TEST(NpzLoader, RejectsMoreArraysThanCanBeCounted) {
  const TempDir dir;
  const std::string image = npy_of("|i1", "()", "1");
  for (const std::size_t count : {65535u, 65536u}) {
    Members members;
    for (std::size_t i = 0; i < count; ++i) members.emplace_back(std::to_string(i) + ".npy", image);
    zip(dir / "x.npz", members, kStored);
    const auto arrays = load_npz(dir / "x.npz");
    EXPECT_TRUE(arrays ? arrays->size() == count : count > 65535) << count;
  }
}

TEST(NpzLoader, RejectsOtherFiles) {
  const TempDir dir;
  write_file(dir / "x.npz", "no archive");
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": not a .npz file: "));
  write_file(dir / "x.npz", "");
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": not a .npz file: "));
  EXPECT_EQ(load_npz(dir / "none").error().code, ErrorCode::kIo);
}

TEST(NpzLoader, SurvivesEveryTruncationAndChangeOfOneByte) {
  const TempDir dir;
  const auto path = dir / "x.npz";
  for (const int method : {kStored, kDeflated}) {
    zip(path, {{"a.npy", npy_of("|i1", "(4,)", "abcd")}, {"b.npy", npy_of("<U1", "()", "z\0\0\0"s)}}, method);
    const std::string file = read_file(path);
    for (std::size_t size = 0; size < file.size(); ++size) {
      write_file(path, file.substr(0, size));
      EXPECT_NE(message(path), "accepted") << size;
    }
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ change);
        write_file(path, changed);
        const auto arrays = load_npz(path);
        if (!arrays) continue;
        for (const auto& array : *arrays) ASSERT_TRUE(array.tensor.clone());
      }
    }
  }
}

TEST(NpzLoader, RejectsDamagedData) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "(4,)", "wxyz")}}, kStored);
  std::string bytes = read_file(dir / "x.npz");
  bytes[bytes.find("wxyz") + 2] = 'Y';
  write_file(dir / "x.npz", bytes);
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: damaged: CRC error");
}

TEST(NpzSaver, WritesArraysThatCanBeRead) {
  const TempDir dir;
  const auto a = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const auto b = *Tensor::of<std::string>({"x", "yz"}, {2});
  const auto c = *Tensor::zeros(DType::kInt64, {0, 3});
  const std::pair<std::string, TensorView> arrays[] = {
      {"a", a}, {"t", TensorView(a.data(), DType::kFloat32, {2, 2}, {1, 2})}, {"b/\xC3\xA9", b}, {"c", c}};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  const auto loaded = load_npz(dir / "x.npz").value();
  ASSERT_EQ(loaded.size(), 4u);
  EXPECT_THAT(loaded[0].tensor.values<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(loaded[1].tensor.values<float>(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(loaded[2].name, "b/\xC3\xA9");
  EXPECT_THAT(loaded[2].tensor.values<std::string>(), ElementsAre("x", "yz"));
  EXPECT_EQ(loaded[3].tensor.shape(), (Shape{0, 3}));
}

TEST(NpzSaver, WritesTheSameFileForTheSameArrays) {
  const TempDir dir;
  const auto a = *Tensor::of<float>({1}, {1});
  const std::pair<std::string, TensorView> arrays[] = {{"a", a}};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  const std::string first = read_file(dir / "x.npz");
  EXPECT_EQ(first.substr(10, 4), "\0\0\x21\0"s);  // 1980-01-01 00:00
  EXPECT_EQ(first.substr(8, 2), "\0\0"s);         // stored
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  EXPECT_EQ(read_file(dir / "x.npz"), first);
}

TEST(NpzSaver, WritesAnEmptyArchive) {
  const TempDir dir;
  ASSERT_TRUE(save_npz(dir / "x.npz", {}));
  const auto loaded = load_npz(dir / "x.npz").value();
  EXPECT_TRUE(loaded.empty());
}

TEST(NpzSaver, LeavesTheOldFileAfterAFailure) {
  const TempDir dir;
  write_file(dir / "x.npz", "old");
  const auto a = *Tensor::of<float>({1}, {1});
  const auto bad = *Tensor::of<std::string>({"\xFF"}, {1});
  using Arrays = std::vector<std::pair<std::string, TensorView>>;
  const auto refused = [&](const Arrays& arrays) {
    const auto status = save_npz(dir / "x.npz", arrays);
    return status ? "saved" : status.error().message();
  };
  EXPECT_THAT(refused(Arrays{{"a", a}, {"b", bad}}), HasSubstr("x.npz: b: string 0 is not UTF-8"));
  EXPECT_THAT(refused(Arrays{{"a", a}, {"a", a}}), EndsWith("x.npz: two arrays are named 'a'"));
  EXPECT_THAT(refused(Arrays{{"a\0b"s, a}}), EndsWith("the name of an array contains NUL"));
  EXPECT_THAT(refused(Arrays{{"\xFF", a}}), EndsWith("the name of an array is not UTF-8"));
  EXPECT_THAT(refused(Arrays{{std::string(65532, 'a'), a}}), EndsWith("the most that an archive holds is 65531"));
  EXPECT_EQ(read_file(dir / "x.npz"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(NpzSaver, RejectsMoreArraysThanCanBeCounted) {
  const TempDir dir;
  const auto a = *Tensor::of<float>({1}, {1});
  const std::vector<std::pair<std::string, TensorView>> arrays(65536, {"a", a});
  EXPECT_THAT(message_of(save_npz(dir / "x.npz", arrays)),
              EndsWith("x.npz: 65536 arrays; at most 65535 are written to a .npz file"));
}

TEST(NpzReader, ReadsOnlyRawArraysAsTheGivenType) {
  const TempDir dir;
  const auto raw = Tensor::of({to_bfloat16(1), to_bfloat16(-2)}, {2});
  const auto typed = Tensor::of({1.0f}, {1});
  const std::array arrays{std::pair<std::string, TensorView>("raw", *raw),
                          std::pair<std::string, TensorView>("typed", *typed)};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  EXPECT_EQ(load_npz(dir / "x.npz").error().code, ErrorCode::kInvalidType);
  const auto loaded = load_npz(dir / "x.npz", DType::kBFloat16).value();
  EXPECT_EQ(loaded.at(0).tensor.values<BFloat16>()[1], to_bfloat16(-2));
  EXPECT_EQ(loaded.at(1).tensor.dtype(), DType::kFloat32);
}

}  // namespace
}  // namespace strew
