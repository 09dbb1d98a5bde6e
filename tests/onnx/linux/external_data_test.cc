// Tests external data and tensor files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/files.h"
#include "onnx/tensor_message.h"
#include "onnx/tensor_messages.h"
#include "support/refusal.h"

namespace strew {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::content_of;
using testing::TensorBuilder;

class ExternalDataTest : public ::testing::Test {
 protected:
  // Writes the model's files, and files outside the model's folder that no location may reach.
  void SetUp() override {
    root_.write("secret", "secret!!");
    root_.write("model/data.bin", "0123456789");
    root_.write("model/sub/deep.bin", "abcdefgh");
    root_.write("outside/data.bin", "secret!!");
  }

  fs::path folder() const { return root_ / "model"; }

  Result<NamedTensor> load(const TensorBuilder& tensor) const {
    return decode_tensor(testing::bytes_of(tensor.message), {.external_dir = folder()});
  }
  Result<NamedTensor> load(const std::string& location) const { return load(four_bytes().external(location)); }

  static TensorBuilder four_bytes() { return {DType::kUInt8, {4}}; }

  TempDir root_;
};

TEST_F(ExternalDataTest, BorrowsAWholeFileOrAPartOfIt) {
  EXPECT_EQ(content_of(load(TensorBuilder(DType::kUInt8, {10}).external("data.bin"))), "0123456789");
  EXPECT_EQ(content_of(load("data.bin")), "0123");
  EXPECT_EQ(content_of(load(four_bytes().external("data.bin").entry("offset", "6").entry("length", "4"))), "6789");
  EXPECT_EQ(content_of(load("sub/deep.bin")), "abcd");
  EXPECT_EQ(content_of(load("./sub/./deep.bin")), "abcd");
  EXPECT_EQ(content_of(load(TensorBuilder(DType::kUInt8, {0}).external("data.bin").entry("offset", "10"))), "");
  EXPECT_TRUE(load("data.bin")->tensor.read_only());
}

// Returns the number of mappings of a file in this process.
int mappings_of(const fs::path& file) {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.ends_with(file.string());
  return count;
}

TEST_F(ExternalDataTest, TensorsOfAFileShareOneMappingUntilTheLastIsDestroyed) {
  const fs::path file = fs::canonical(folder()) / "data.bin";
  fs::resize_file(file, 2 << 20);
  std::vector<Result<NamedTensor>> tensors;
  {
    const TensorSource source{.external_dir = folder()};
    for (int i = 0; i < 1000; ++i) {
      auto tensor = four_bytes().external("data.bin").entry("offset", std::to_string(i % 7));
      tensors.push_back(decode_tensor(testing::bytes_of(tensor.message), source));
    }
  }
  EXPECT_EQ(mappings_of(file), 1);
  EXPECT_EQ(content_of(tensors[6]), "6789");
  tensors.erase(tensors.begin(), tensors.end() - 1);
  EXPECT_EQ(content_of(tensors[0]), "5678");
  tensors.clear();
  EXPECT_EQ(mappings_of(file), 0);
}

TEST_F(ExternalDataTest, ManyTablesInAFileOf200GBNeedNoMoreAddressesThanTheFile) {
  constexpr std::int64_t kTables = 1000, kEach = 200'000'000;
  std::error_code error;
  fs::resize_file(folder() / "data.bin", kTables * kEach, error);  // a sparse file
  if (error) GTEST_SKIP() << "there are no sparse files: " << error.message();
  const TensorSource source{.external_dir = folder()};
  std::vector<NamedTensor> tables;
  for (std::int64_t i = 0; i < kTables; ++i) {
    auto tensor = TensorBuilder(DType::kUInt8, {kEach}).external("data.bin");
    auto table =
        decode_tensor(testing::bytes_of(tensor.entry("offset", std::to_string(i * kEach)).message), source);
    ASSERT_TRUE(table) << i << ": " << message_of(table);
    tables.push_back(*std::move(table));
  }
  EXPECT_EQ(std::string_view(static_cast<const char*>(tables[0].tensor.data()), 11), "0123456789\0"sv);
}

TEST_F(ExternalDataTest, AReplacedFileIsReadByTheNextLoad) {
  const TensorSource source{.external_dir = folder()};
  const std::string message = four_bytes().external("data.bin").message;
  const auto before = decode_tensor(testing::bytes_of(message), source);
  fs::rename(root_.write("new", "abcdefghij"), folder() / "data.bin");
  EXPECT_EQ(content_of(decode_tensor(testing::bytes_of(message), source)), "0123");
  EXPECT_EQ(content_of(load("data.bin")), "abcd");
  EXPECT_EQ(content_of(before), "0123");
}

TEST_F(ExternalDataTest, EveryTensorIsCheckedEvenIfItsFileIsMapped) {
  fs::create_symlink("data.bin", folder() / "link");
  fs::create_hard_link(root_ / "secret", folder() / "hard");
  const TensorSource source{.external_dir = folder()};
  const auto load_too = [&](TensorBuilder tensor) {
    return message_of(decode_tensor(testing::bytes_of(tensor.message), source));
  };
  ASSERT_EQ(load_too(four_bytes().external("data.bin")), "");
  EXPECT_EQ(load_too(four_bytes().external("data.bin").entry("offset", "7")),
            "tensor 'w': external_data needs 4 bytes at offset 7 of 'data.bin', which has 10 bytes");
  EXPECT_EQ(load_too(four_bytes().external("data.bin").entry("length", "5")),
            "tensor 'w': external_data length is 5; the tensor needs 4 bytes");
  for (const std::string location : {"link", "hard", "sub", "sub/../data.bin", "../model/data.bin"}) {
    EXPECT_NE(load_too(four_bytes().external(location)), "") << location;
  }
}

TEST_F(ExternalDataTest, ConvertsBoolsToZeroOrOne) {
  EXPECT_EQ(content_of(load(TensorBuilder(DType::kBool, {3}).external("data.bin"))), "\1\1\1");
}

TEST_F(ExternalDataTest, RejectsAKeyGivenTwiceAndAMissingLocation) {
  EXPECT_EQ(message_of(load(four_bytes().external("data.bin").entry("location", "sub/deep.bin"))),
            "tensor 'w': external_data has the key 'location' twice");
  auto none = four_bytes();
  none.add([](auto w) { w.add_int64(kDataLocation, 1); });
  EXPECT_EQ(message_of(load(none)), "tensor 'w': external_data has no location");
}

TEST_F(ExternalDataTest, L11_LocationsThatLeaveTheFolderAreRejected) {
  const std::vector<std::string> bad = {"../secret",
                                        "..",
                                        "sub/../../secret",
                                        "sub/..",
                                        "sub/../data.bin",
                                        "/etc/passwd",
                                        "//server/share/x",
                                        "",
                                        "C:\\x",
                                        "C:x",
                                        "c:/x",
                                        "a\\..\\..\\x",
                                        "\\\\server\\share",
                                        "\\x",
                                        "data.bin\0x"s,
                                        "sub/../",
                                        fs::absolute(folder() / "data.bin"),
                                        std::string(5000, 'x')};
  for (const std::string& location : bad) {
    const auto tensor = load(location);
    ASSERT_FALSE(tensor) << location;
    EXPECT_EQ(tensor.error().code, ErrorCode::kInvalidModel) << location << ": " << message_of(tensor);
  }
  EXPECT_EQ(message_of(load("sub/../../secret")),
            "tensor 'w': external_data location 'sub/../../secret' contains '..'");
  EXPECT_EQ(message_of(load("/etc/passwd")),
            "tensor 'w': external_data location '/etc/passwd' is not relative to the model's folder");
  EXPECT_EQ(content_of(load("data.bin")), "0123");
}

TEST_F(ExternalDataTest, LocationsOfMoreThan4096BytesAreRejected) {
  std::string location = "none/";
  while (location.size() < 4096) location += "/."[location.size() % 2];
  EXPECT_TRUE(message_of(load(location)).ends_with("cannot open 'none': No such file or directory"));
  EXPECT_EQ(message_of(load(location + "x")),
            "tensor 'w': external_data location has 4097 bytes; at most 4096 are allowed");
}

TEST_F(ExternalDataTest, L12_AFifoOrAFolderIsRejectedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(message_of(load("fifo")), "tensor 'w': external_data location 'fifo' is not a regular file");
  for (const std::string location : {"sub", "sub/", ".", "./", "sub/."}) {
    EXPECT_THAT(message_of(load(location)), ::testing::HasSubstr("is not a regular file"));
  }
}

TEST_F(ExternalDataTest, L13_OffsetAndLengthMustFitTheFileAndTheTensor) {
  const auto with = [](const std::string& key, const std::string& value) {
    return four_bytes().external("data.bin").entry(key, value);
  };
  EXPECT_EQ(message_of(load(with("offset", "11"))),
            "tensor 'w': external_data needs 4 bytes at offset 11 of 'data.bin', which has 10 bytes");
  EXPECT_NE(message_of(load(with("offset", "7"))), "");
  EXPECT_NE(message_of(load(with("offset", "18446744073709551615"))), "");
  EXPECT_EQ(message_of(load(with("length", "3"))),
            "tensor 'w': external_data length is 3; the tensor needs 4 bytes");
  EXPECT_EQ(message_of(load(with("length", "5"))),
            "tensor 'w': external_data length is 5; the tensor needs 4 bytes");
  EXPECT_EQ(message_of(load(TensorBuilder(DType::kUInt8, {11}).external("data.bin").entry("length", "11"))),
            "tensor 'w': external_data needs 11 bytes at offset 0 of 'data.bin', which has 10 bytes");
  for (const std::string& number : {"-1"s, "+1"s, "1e3"s, "0x4"s, " 4"s, "4 "s, "4\0"s, ""s,
                                    "18446744073709551616"s, "000000000000000000004"s}) {
    for (const std::string key : {"offset", "length"}) {
      EXPECT_THAT(message_of(load(with(key, number))), ::testing::HasSubstr("is not a decimal number")) << number;
    }
  }
  EXPECT_EQ(content_of(load(with("length", "00000000000000000004"))), "0123");
}

TEST_F(ExternalDataTest, L13_AHugeTensorIsRejectedWithoutMemory) {
  expect_refused(load(TensorBuilder(DType::kUInt8, {std::int64_t{1} << 50}).external("data.bin")),
                 ErrorCode::kInvalidModel);
}

TEST_F(ExternalDataTest, SaysThatAFileIsMissing) {
  expect_refused(
      load("sub/none.bin"), ErrorCode::kIo,
      "tensor 'w': external_data location 'sub/none.bin': cannot open 'none.bin': No such file or directory");
}

TEST_F(ExternalDataTest, IsLookedUpBesideATensorFile) {
  const fs::path file = root_.write("model/t.pb", four_bytes().external("sub/deep.bin").message);
  EXPECT_EQ(content_of(load_tensor_pb(file)), "abcd");
  const fs::path bad = root_.write("model/bad.pb", four_bytes().external("../secret").message);
  EXPECT_EQ(message_of(load_tensor_pb(bad)),
            bad.string() + ": tensor 'w': external_data location '../secret' contains '..'");
}

TEST_F(ExternalDataTest, IsLookedUpInTheWorkingFolderForABareFileName) {
  root_.write("model/t.pb", four_bytes().external("data.bin").message);
  const fs::path before = fs::current_path();
  fs::current_path(folder());
  EXPECT_EQ(content_of(load_tensor_pb("t.pb")), "0123");
  fs::current_path(before);
}

TEST(TensorFile, NamesThePathInErrors) {
  const TempDir folder;
  const auto path = folder.write("bad.pb", testing::TensorBuilder(DType::kFloat32, {2}).raw("1234567").message);
  EXPECT_EQ(message_of(load_tensor_pb(path)),
            path.string() + ": tensor 'w': raw_data has 7 bytes; float32 [2] needs 8");
  expect_refused(load_tensor_pb(folder / "none.pb"), ErrorCode::kIo);
  expect_refused(save_tensor_pb(folder / "no/folder.pb", *Tensor::zeros(DType::kInt8, {1})), ErrorCode::kIo);
  EXPECT_THAT(message_of(load_tensor_pb(folder.write("empty.pb", ""))),
              ::testing::HasSubstr("data_type is missing"));
}

}  // namespace
}  // namespace strew
