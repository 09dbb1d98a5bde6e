// Archives of arrays.
#include <gmock/gmock.h>
#include <zip.h>

#include <utility>
#include <vector>

#include "io/files.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using std::string_literals::operator""s;
using Members = std::vector<std::pair<std::string, std::string>>;

void zip(const std::filesystem::path& path, const Members& members, zip_int32_t method = ZIP_CM_DEFLATE) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, bytes] : members) {
    const auto index =
        zip_file_add(archive, name.c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
    ASSERT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 9);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

std::string message(const std::filesystem::path& path) {
  const auto arrays = load_npz(path);
  return arrays ? "accepted" : arrays.error().message.substr(path.string().size());
}

TEST(NpzLoader, ReadsStoredAndDeflatedArraysInOrder) {
  const TempDir dir;
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    zip(dir / "x.npz",
        {{"b.npy", npy_of("<i4", "(100,)", std::string(400, '\1'))}, {"a.npy", npy_of("|S2", "()", "hi")}},
        method);
    const auto arrays = load_npz(dir / "x.npz");
    ASSERT_TRUE(arrays) << arrays.error().message;
    ASSERT_EQ(arrays->size(), 2u);
    EXPECT_EQ((*arrays)[0].name, "b");
    EXPECT_EQ((*arrays)[0].tensor.values<std::int32_t>()[99], 0x01010101);
    EXPECT_EQ((*arrays)[1].name, "a");
    EXPECT_THAT((*arrays)[1].tensor.values<std::string>(), ElementsAre("hi"));
  }
}

TEST(NpzLoader, RefusesMembersThatAreNoArrays) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.txt", "hello"}});
  EXPECT_EQ(message(dir / "x.npz"), ": a.txt: not a .npy file, which is all a .npz may hold");
  zip(dir / "x.npz", {{"a.npy", "hello"}});
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: not a .npy file: it does not begin with \\x93NUMPY");
  zip(dir / "x.npz", {{"a.npy", "\x93NUMPY\1\0\1\0"s}});
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": a.npy: ends inside the header"));
}

TEST(NpzLoader, RefusesHeadersThatDisagreeWithTheEntry) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("<f4", "(1000000000000,)", "abcd")}});
  EXPECT_EQ(message(dir / "x.npz"),
            ": a.npy: header says [1000000000000] float32, 4000000000000 bytes, but 4 follow");
  zip(dir / "x.npz", {{"a.npy", npy_of("<f4", "()", "abcde")}});
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: header says [] float32, 4 bytes, but 5 follow");
}

TEST(NpzLoader, RefusesTwoArraysOfOneName) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "()", "1")}, {"b.npy", npy_of("|i1", "()", "2")}});
  std::string bytes = read_file(dir / "x.npz");
  for (std::size_t at = 0; (at = bytes.find("b.npy", at)) != std::string::npos;) bytes[at] = 'a';
  write_file(dir / "x.npz", bytes);
  EXPECT_EQ(message(dir / "x.npz"), ": two arrays are named 'a'");
}

TEST(NpzLoader, RefusesSizesThatDeflateCannotReach) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("<f4", "()", "abcd")}});
  std::string bytes = read_file(dir / "x.npz");
  const std::size_t directory = bytes.find("PK\1\2");
  ASSERT_NE(directory, std::string::npos);
  bytes.replace(directory + 24, 4, "\0\0\0\x40"s);  // uncompressed size
  write_file(dir / "x.npz", bytes);
  EXPECT_THAT(message(dir / "x.npz"), HasSubstr(": a.npy: 1073741824 bytes cannot come from "));
}

TEST(NpzLoader, RefusesOtherFiles) {
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
  for (const zip_int32_t method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
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

TEST(NpzLoader, NoticesDamagedData) {
  const TempDir dir;
  zip(dir / "x.npz", {{"a.npy", npy_of("|i1", "(4,)", "wxyz")}}, ZIP_CM_STORE);
  std::string bytes = read_file(dir / "x.npz");
  bytes[bytes.find("wxyz") + 2] = 'Y';
  write_file(dir / "x.npz", bytes);
  EXPECT_EQ(message(dir / "x.npz"), ": a.npy: damaged: CRC error");
}

TEST(NpzSaver, WritesArraysThatComeBack) {
  const TempDir dir;
  const auto a = *Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const auto b = *Tensor::of<std::string>({"x", "yz"}, {2});
  const auto c = *Tensor::zeros(DType::kInt64, {0, 3});
  const std::pair<std::string, TensorView> arrays[] = {
      {"a", a}, {"t", TensorView(a.data(), DType::kFloat32, {2, 2}, {1, 2})}, {"b/\xC3\xA9", b}, {"c", c}};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  const auto loaded = load_npz(dir / "x.npz");
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->size(), 4u);
  EXPECT_THAT((*loaded)[0].tensor.values<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT((*loaded)[1].tensor.values<float>(), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ((*loaded)[2].name, "b/\xC3\xA9");
  EXPECT_THAT((*loaded)[2].tensor.values<std::string>(), ElementsAre("x", "yz"));
  EXPECT_EQ((*loaded)[3].tensor.shape(), (Shape{0, 3}));
}

TEST(NpzSaver, GivesTheSameFileForTheSameArrays) {
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
  const auto loaded = load_npz(dir / "x.npz");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_TRUE(loaded->empty());
}

TEST(NpzSaver, LeavesTheOldFileWhereItFails) {
  const TempDir dir;
  write_file(dir / "x.npz", "old");
  const auto a = *Tensor::of<float>({1}, {1});
  const auto bad = *Tensor::of<std::string>({"\xFF"}, {1});
  using Arrays = std::vector<std::pair<std::string, TensorView>>;
  const auto refused = [&](const Arrays& arrays) {
    const auto status = save_npz(dir / "x.npz", arrays);
    return status ? "saved" : status.error().message;
  };
  EXPECT_THAT(refused(Arrays{{"a", a}, {"b", bad}}), HasSubstr("x.npz: b: string 0 is not UTF-8"));
  EXPECT_THAT(refused(Arrays{{"a", a}, {"a", a}}), EndsWith("x.npz: a: File already exists"));
  EXPECT_THAT(refused(Arrays{{"a\0b"s, a}}), EndsWith("the name of an array contains NUL"));
  EXPECT_EQ(read_file(dir / "x.npz"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(NpzSaver, NamesThePathWhereItCannotWrite) {
  const TempDir dir;
  const auto a = *Tensor::of<float>({1}, {1});
  const std::pair<std::string, TensorView> arrays[] = {{"a", a}};
  const auto status = save_npz(dir / "none/x.npz", arrays);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_THAT(status.error().message, HasSubstr("none/x.npz: "));
}

TEST(NpzReader, ReadsRawArraysAsTheTypeGivenAndTypedOnesAsTheyAre) {
  const TempDir dir;
  const auto raw = Tensor::of({to_bfloat16(1), to_bfloat16(-2)}, {2});
  const auto typed = Tensor::of({1.0f}, {1});
  const std::array arrays{std::pair<std::string, TensorView>("raw", *raw),
                          std::pair<std::string, TensorView>("typed", *typed)};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  EXPECT_EQ(load_npz(dir / "x.npz").error().code, ErrorCode::kInvalidType);
  const auto loaded = load_npz(dir / "x.npz", DType::kBFloat16);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->at(0).tensor.values<BFloat16>()[1], to_bfloat16(-2));
  EXPECT_EQ(loaded->at(1).tensor.dtype(), DType::kFloat32);
}

}  // namespace
}  // namespace strew
