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

// A test that writes and reads one archive.
class Npz : public InTempDir {
 protected:
  void zip(const Members& members, int method = kDeflated) const {
    zipFile archive = zipOpen64(path_.c_str(), APPEND_STATUS_CREATE);
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

  // Overwrites bytes of the archive, from `at` bytes after the first `mark` on.
  void patch(std::string_view mark, std::size_t at, std::string_view with) const {
    std::string bytes = read_file(path_);
    const std::size_t begin = bytes.find(mark);
    ASSERT_NE(begin, std::string::npos);
    bytes.replace(begin + at, with.size(), with);
    write_file(path_, bytes);
  }

  std::string message() const {
    const auto arrays = load_npz(path_);
    return arrays ? "accepted" : arrays.error().message().substr(path_.string().size());
  }

  const std::filesystem::path path_ = dir_ / "x.npz";
};
using NpzLoader = Npz;
using NpzSaver = Npz;

constexpr std::string_view kEntry = "PK\3\4";
constexpr std::string_view kDirectory = "PK\1\2";
constexpr std::string_view kEndOfDirectory = "PK\5\6";

TEST_F(NpzLoader, ReadsStoredAndDeflatedArraysInOrder) {
  for (const int method : {kStored, kDeflated}) {
    zip({{"b.npy", npy_of("<i4", "(100,)", std::string(400, '\1'))}, {"a.npy", npy_of("|S2", "()", "hi")}},
        method);
    const auto arrays = load_npz(path_).value();
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].name, "b");
    EXPECT_EQ(arrays[0].tensor.values<std::int32_t>()[99], 0x01010101);
    EXPECT_EQ(arrays[1].name, "a");
    EXPECT_THAT(arrays[1].tensor.values<std::string>(), ElementsAre("hi"));
  }
}

TEST_F(NpzLoader, RejectsMembersThatAreNoArraysOrDisagreeWithTheirHeader) {
  zip({{"a.txt", "hello"}});
  EXPECT_EQ(message(), ": a.txt: not a .npy file; a .npz file holds only those");
  zip({{"a.npy", "hello"}});
  EXPECT_EQ(message(), ": a.npy: not a .npy file: it does not begin with \\x93NUMPY");
  zip({{"a.npy", "\x93NUMPY\1\0\1\0"s}});
  EXPECT_THAT(message(), HasSubstr(": a.npy: ends inside the header"));
  zip({{"a.npy", npy_of("<f4", "(1000000000000,)", "abcd")}});
  EXPECT_EQ(message(), ": a.npy: header declares [1000000000000] float32, 4000000000000 bytes, but 4 follow");
}

TEST_F(NpzLoader, IgnoresBytesAfterTheDataOfAnArray) {
  zip({{"a.npy", npy_of("|u1", "(1,)", "\7rest")}, {"b.npy", npy_of("|u1", "(1,)", "\x8")}});
  const auto arrays = load_npz(path_).value();
  EXPECT_THAT(arrays[0].tensor.values<std::uint8_t>(), ElementsAre(7));
  EXPECT_THAT(arrays[1].tensor.values<std::uint8_t>(), ElementsAre(8));
}

TEST_F(NpzLoader, RejectsTwoArraysOfOneName) {
  zip({{"a.npy", npy_of("|i1", "()", "1")}, {"b.npy", npy_of("|i1", "()", "2")}});
  for (int i = 0; i < 2; ++i) patch("b.npy", 0, "a");  // in the entry and in the directory
  EXPECT_EQ(message(), ": two arrays are named 'a'");
}

TEST_F(NpzLoader, RejectsSizesThatDeflateCannotReach) {
  zip({{"a.npy", npy_of("<f4", "()", "abcd")}});
  patch(kDirectory, 24, "\0\0\0\x40"s);  // uncompressed size
  EXPECT_THAT(message(), HasSubstr(": a.npy: 1073741824 bytes cannot come from "));
}

TEST_F(NpzLoader, RefusesSizesThatLie) {
  const std::string image = npy_of("|i1", "(4,)", "abcd");
  for (const int change : {-1, 1}) {
    const std::string size{static_cast<char>(image.size() + static_cast<std::size_t>(change)), '\0', '\0', '\0'};
    for (const int method : {kStored, kDeflated}) {
      zip({{"a.npy", image}}, method);
      patch(kDirectory, 24, size);
      EXPECT_THAT(message(), HasSubstr(method == kStored ? "cannot come from" : "its header does not match"));
      patch(kEntry, 22, size);  // in the header of the entry
      EXPECT_THAT(message(), HasSubstr(method == kStored ? "cannot come from" : "a.npy: damaged: "));
    }
  }
}

TEST_F(NpzLoader, RejectsEncryptedEntriesAndUnknownCompression) {
  zip({{"a.npy", npy_of("|i1", "()", "1")}});
  patch(kDirectory, 8, "\1");
  EXPECT_EQ(message(), ": a.npy: encrypted");
  patch(kDirectory, 8, "\0\0\xC"s);
  EXPECT_EQ(message(), ": a.npy: compression method 12 is not supported; stored and deflated are");
}

TEST_F(NpzLoader, RejectsNamesThatAreNotUtf8) {
  for (const char byte : {'\xFF', '\0'}) {
    zip({{"a.npy", npy_of("|i1", "()", "1")}});
    patch(kDirectory, 46, {&byte, 1});
    EXPECT_EQ(message(), ": the name of an array is not UTF-8 or contains NUL");
  }
}

TEST_F(NpzLoader, RejectsADirectoryShorterThanItsCount) {
  zip({{"a.npy", npy_of("|i1", "()", "1")}});
  patch(kEndOfDirectory, 8, "\2\0\2\0"s);
  EXPECT_EQ(message(), ": the directory of the archive is damaged");
}

TEST_F(NpzLoader, RejectsMoreArraysThanCanBeCounted) {
  const std::string image = npy_of("|i1", "()", "1");
  for (const std::size_t count : {65535u, 65536u}) {
    Members members;
    for (std::size_t i = 0; i < count; ++i) members.emplace_back(std::to_string(i) + ".npy", image);
    zip(members, kStored);
    const auto arrays = load_npz(path_);
    EXPECT_TRUE(arrays ? arrays->size() == count : count > 65535) << count;
  }
}

TEST_F(NpzLoader, RejectsOtherFiles) {
  write_file(path_, "no archive");
  EXPECT_THAT(message(), HasSubstr(": not a .npz file: "));
  write_file(path_, "");
  EXPECT_THAT(message(), HasSubstr(": not a .npz file: "));
  EXPECT_EQ(load_npz(dir_ / "none").error().code, ErrorCode::kIo);
}

TEST_F(NpzLoader, SurvivesEveryTruncationAndChangeOfOneByte) {
  for (const int method : {kStored, kDeflated}) {
    zip({{"a.npy", npy_of("|i1", "(4,)", "abcd")}, {"b.npy", npy_of("<U1", "()", "z\0\0\0"s)}}, method);
    const std::string file = read_file(path_);
    for (std::size_t size = 0; size < file.size(); ++size) {
      write_file(path_, file.substr(0, size));
      EXPECT_NE(message(), "accepted") << size;
    }
    for (std::size_t at = 0; at < file.size(); ++at) {
      for (const int change : {0x01, 0x80, 0xFF}) {
        std::string changed = file;
        changed[at] = static_cast<char>(changed[at] ^ change);
        write_file(path_, changed);
        const auto arrays = load_npz(path_);
        if (!arrays) continue;
        for (const auto& array : *arrays) ASSERT_TRUE(array.tensor.clone());
      }
    }
  }
}

TEST_F(NpzLoader, RejectsDamagedData) {
  zip({{"a.npy", npy_of("|i1", "(4,)", "wxyz")}}, kStored);
  patch("wxyz", 2, "Y");
  EXPECT_EQ(message(), ": a.npy: damaged: CRC error");
}

TEST_F(NpzSaver, WritesArraysThatCanBeRead) {
  const auto a = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const auto b = *Tensor::of<std::string>({"x", "yz"}, {2});
  const auto c = *Tensor::zeros(DType::kInt64, {0, 3});
  const std::pair<std::string, TensorView> arrays[] = {
      {"a", a}, {"t", TensorView(a.data(), DType::kFloat32, {2, 2}, {1, 2})}, {"b/\xC3\xA9", b}, {"c", c}};
  ASSERT_TRUE(save_npz(path_, arrays));
  const auto loaded = load_npz(path_).value();
  ASSERT_EQ(loaded.size(), 4u);
  EXPECT_THAT(loaded[0].tensor.values<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(loaded[1].tensor.values<float>(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(loaded[2].name, "b/\xC3\xA9");
  EXPECT_THAT(loaded[2].tensor.values<std::string>(), ElementsAre("x", "yz"));
  EXPECT_EQ(loaded[3].tensor.shape(), (Shape{0, 3}));
}

TEST_F(NpzSaver, WritesTheSameFileForTheSameArrays) {
  const auto a = *Tensor::of<float>({1}, {1});
  const std::pair<std::string, TensorView> arrays[] = {{"a", a}};
  ASSERT_TRUE(save_npz(path_, arrays));
  const std::string first = read_file(path_);
  EXPECT_EQ(first.substr(10, 4), "\0\0\x21\0"s);  // 1980-01-01 00:00
  EXPECT_EQ(first.substr(8, 2), "\0\0"s);         // stored
  ASSERT_TRUE(save_npz(path_, arrays));
  EXPECT_EQ(read_file(path_), first);
}

TEST_F(NpzSaver, WritesAnEmptyArchive) {
  ASSERT_TRUE(save_npz(path_, {}));
  const auto loaded = load_npz(path_).value();
  EXPECT_TRUE(loaded.empty());
}

TEST_F(NpzSaver, LeavesTheOldFileAfterAFailure) {
  write_file(path_, "old");
  const auto a = *Tensor::of<float>({1}, {1});
  const auto bad = *Tensor::of<std::string>({"\xFF"}, {1});
  using Arrays = std::vector<std::pair<std::string, TensorView>>;
  const auto refused = [&](const Arrays& arrays) {
    const auto status = save_npz(path_, arrays);
    return status ? "saved" : status.error().message();
  };
  EXPECT_THAT(refused(Arrays{{"a", a}, {"b", bad}}), HasSubstr("x.npz: b: string 0 is not UTF-8"));
  EXPECT_THAT(refused(Arrays{{"a", a}, {"a", a}}), EndsWith("x.npz: two arrays are named 'a'"));
  EXPECT_THAT(refused(Arrays{{"a\0b"s, a}}), EndsWith("the name of an array contains NUL"));
  EXPECT_THAT(refused(Arrays{{"\xFF", a}}), EndsWith("the name of an array is not UTF-8"));
  EXPECT_THAT(refused(Arrays{{std::string(65532, 'a'), a}}), EndsWith("the maximum in an archive is 65531"));
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path()), {}), 1);
}

TEST_F(NpzSaver, RejectsMoreArraysThanCanBeCounted) {
  const auto a = *Tensor::of<float>({1}, {1});
  const std::vector<std::pair<std::string, TensorView>> arrays(65536, {"a", a});
  EXPECT_THAT(message_of(save_npz(path_, arrays)),
              EndsWith("x.npz: 65536 arrays; at most 65535 can be written to a .npz file"));
}

TEST_F(NpzLoader, ReadsOnlyRawArraysAsTheGivenType) {
  const auto raw = Tensor::of({to_bfloat16(1), to_bfloat16(-2)}, {2});
  const auto typed = Tensor::of({1.0f}, {1});
  const std::array arrays{std::pair<std::string, TensorView>("raw", *raw),
                          std::pair<std::string, TensorView>("typed", *typed)};
  ASSERT_TRUE(save_npz(path_, arrays));
  EXPECT_EQ(load_npz(path_).error().code, ErrorCode::kInvalidType);
  const auto loaded = load_npz(path_, DType::kBFloat16).value();
  EXPECT_EQ(loaded.at(0).tensor.values<BFloat16>()[1], to_bfloat16(-2));
  EXPECT_EQ(loaded.at(1).tensor.dtype(), DType::kFloat32);
}

}  // namespace
}  // namespace strew
