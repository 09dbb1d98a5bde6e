// Tests reading and writing of .npy files.
#include <gmock/gmock.h>

#include <complex>
#include <cstring>
#include <random>

#include "io/files.h"
#include "strew/tensor_file.h"
#include "support/refusal.h"

namespace strew {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using std::string_literals::operator""s;

class NpyLoader : public InTempDir {
 protected:
  const std::filesystem::path path_ = dir_ / "x.npy";
};

Result<Tensor> parse(const std::string& file) { return parse_npy(bytes_of(file)); }

std::vector<int> raw_bytes(const Tensor& tensor) {
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.data());
  return {bytes, bytes + tensor.size_bytes()};
}

TEST_F(NpyLoader, ReadsEveryVersion) {
  for (const char major : {1, 2, 3}) {
    const auto tensor =
        parse(npy_with("{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}", "\1\0\xFE\xFF"s, major)).value();
    EXPECT_THAT(tensor.values<std::int16_t>(), ElementsAre(1, -2));
  }
}

TEST_F(NpyLoader, ReadsTheTypesOfNumPy) {
  const std::pair<const char*, DType> cases[] = {
      {"|b1", DType::kBool},      {"|i1", DType::kInt8},    {"<i2", DType::kInt16},       {"<i4", DType::kInt32},
      {"<i8", DType::kInt64},     {"|u1", DType::kUInt8},   {"=u2", DType::kUInt16},      {"u4", DType::kUInt32},
      {"<u8", DType::kUInt64},    {"<f2", DType::kFloat16}, {"<f4", DType::kFloat32},     {"<f8", DType::kFloat64},
      {"<c8", DType::kComplex64}, {"|S3", DType::kString},  {"<c16", DType::kComplex128}, {"<U4", DType::kString},
      {"<f1", DType::kFloat8E5M2}};
  for (const auto& [descr, dtype] : cases) {
    const auto tensor = parse(npy_of(descr, "(1,)", std::string(16, '\0')));
    ASSERT_TRUE(tensor) << descr << tensor.error().message();
    EXPECT_EQ(tensor->dtype(), dtype);
    EXPECT_EQ(tensor->shape(), Shape{1});
  }
}

TEST_F(NpyLoader, ReadsTypesByName) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    const auto tensor = parse(npy_of(std::string(dtype_name(dtype)), "()", std::string(16, '\0'))).value();
    EXPECT_EQ(tensor.dtype(), dtype);
  }
  // "float" has 32 bits in ONNX and 64 bits in NumPy.
  EXPECT_FALSE(parse(npy_of("float", "()", std::string(8, '\0'))));
}

TEST_F(NpyLoader, SwapsBigEndianElements) {
  EXPECT_THAT(parse(npy_of(">i4", "(2,)", "\0\0\0\1\xFF\xFF\xFF\xFE"s))->values<std::int32_t>(),
              ElementsAre(1, -2));
  EXPECT_THAT(parse(npy_of(">c8", "(1,)", "\x3F\x80\0\0\xC0\0\0\0"s))->values<std::complex<float>>(),
              ElementsAre(std::complex<float>(1, -2)));
  EXPECT_THAT(parse(npy_of(">u1", "(1,)", "\7"))->values<std::uint8_t>(), ElementsAre(7));
}

TEST_F(NpyLoader, TransposesFortranOrder) {
  const auto numbers = parse(npy_of("|i1", "(2, 3)", "\0\3\1\4\2\5"s, true));
  EXPECT_THAT(numbers->values<std::int8_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(numbers->shape(), (Shape{2, 3}));
  EXPECT_THAT(parse(npy_of(">i2", "(2, 2)", "\0\0\0\2\0\1\0\3"s, true))->values<std::int16_t>(),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parse(npy_of("|S1", "(2, 2)", "acbd", true))->values<std::string>(),
              ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(raw_bytes(*parse(npy_of("int4", "(2, 2)", "\0\2\1\3"s, true))), ElementsAre(0x10, 0x32));
}

TEST_F(NpyLoader, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(parse(npy_of("<f4", "()", "\0\0\x80\x3F"s))->values<float>()[0], 1.0f);
  EXPECT_EQ(parse(npy_of("<f4", "(3, 0)", "", true))->shape(), (Shape{3, 0}));
  EXPECT_EQ(parse(npy_of("<U3", "(0,)", ""))->dtype(), DType::kString);
}

TEST_F(NpyLoader, ConvertsEveryTrueBoolToOne) {
  EXPECT_THAT(parse(npy_of("|b1", "(3,)", "\0\1\xFF"s))->values<bool>(), ElementsAre(false, true, true));
  EXPECT_THAT(raw_bytes(*parse(npy_of("|b1", "(3,)", "\0\1\xFF"s))), ElementsAre(0, 1, 1));
}

TEST_F(NpyLoader, StripsNulFromStringsOnlyAtTheEnd) {
  EXPECT_THAT(parse(npy_of("|S3", "(3,)", "ab\0\0c\0\0\0\0"s))->values<std::string>(),
              ElementsAre("ab", "\0c"s, ""));
  EXPECT_THAT(parse(npy_of("|S2", "(1,)", "\xFF\x80"))->values<std::string>(), ElementsAre("\xFF\x80"));
  EXPECT_THAT(parse(npy_of("<U2", "(2,)", "\xAC\x20\0\0a\0\0\0\x48\x03\1\0\0\0\0\0"s))->values<std::string>(),
              ElementsAre("\xE2\x82\xAC"
                          "a",
                          "\xF0\x90\x8D\x88"));
  EXPECT_THAT(parse(npy_of(">U1", "(1,)", "\0\0\0z"s))->values<std::string>(), ElementsAre("z"));
}

TEST_F(NpyLoader, RejectsInvalidCharacters) {
  EXPECT_EQ(parse(npy_of("<U1", "(2,)", "a\0\0\0\0\xD8\0\0"s)).error().message(),
            "npy: character 0 of string 1 is 55296, which is not a valid Unicode character");
}

TEST_F(NpyLoader, IgnoresTheHighBitsOfPackedTypes) {
  EXPECT_THAT(raw_bytes(*parse(npy_of("int4", "(3,)", "\xFF\x07\xF8"))), ElementsAre(0x7F, 0x08));
  EXPECT_THAT(raw_bytes(*parse(npy_of("uint2", "(5,)", "\1\2\3\x04\x07"))), ElementsAre(0x39, 0x03));
}

TEST_F(NpyLoader, IgnoresBytesAfterTheData) {
  EXPECT_THAT(parse(npy_of("|u1", "(1,)", "\7rest"))->values<std::uint8_t>(), ElementsAre(7));
}

TEST_F(NpyLoader, BorrowsTheBytesOfTheFileIfPossible) {
  const auto borrowed = [&](const std::string& file) {
    write_file(path_, file);
    const auto tensor = load_npy(path_);
    return tensor && tensor->read_only();
  };
  const std::string dict = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}";
  const std::string aligned = dict + std::string(128 - 10 - dict.size(), ' ');
  EXPECT_TRUE(borrowed(npy_with(aligned, "\1\0\0\0"s)));
  EXPECT_FALSE(borrowed(npy_with(aligned + ' ', "\1\0\0\0"s)));
  EXPECT_TRUE(borrowed(npy_of("|b1", "(2,)", "\0\1"s)));
  EXPECT_FALSE(borrowed(npy_of("|b1", "(2,)", "\0\2"s)));
  EXPECT_TRUE(borrowed(npy_of("|u1", "(2,)", "ab", true)));
  EXPECT_FALSE(borrowed(npy_of("|u1", "(1, 2)", "ab", true)));
}

TEST_F(NpyLoader, CopiesFromMemory) { EXPECT_FALSE(parse(npy_of("|u1", "(1,)", "a"))->read_only()); }

TEST_F(NpyLoader, ReadsRawBytesAsTheGivenType) {
  write_file(path_, npy_of("<V2", "(2,)", "\x80\x3F\0\xC0"s));
  for (const DType as : {DType::kBFloat16, DType::kFloat16}) {
    const auto tensor = load_npy(path_, as).value();
    EXPECT_EQ(tensor.dtype(), as);
    EXPECT_THAT(raw_bytes(tensor), ElementsAre(0x80, 0x3F, 0, 0xC0));
  }
  write_file(path_, npy_of(">V2", "(1,)", "\x3F\x80"));
  EXPECT_EQ(load_npy(path_, DType::kBFloat16)->values<BFloat16>()[0].bits, 0x3F80);
  write_file(path_, npy_of("|V1", "(3,)", "\xFF\1\xFE"));
  EXPECT_THAT(raw_bytes(*load_npy(path_, DType::kInt4)), ElementsAre(0x1F, 0x0E));
  EXPECT_THAT(raw_bytes(*load_npy(path_, DType::kFloat8E4M3FN)), ElementsAre(0xFF, 1, 0xFE));
}

TEST_F(NpyLoader, RejectsRawBytesWithoutATypeOrWithAnotherWidth) {
  write_file(path_, npy_of("<V2", "(1,)", "ab"));
  const auto unnamed = load_npy(path_);
  EXPECT_EQ(unnamed.error().code, ErrorCode::kInvalidType);
  EXPECT_THAT(unnamed.error().message(), ::testing::StartsWith(path_.string() + ": holds raw 2-byte elements"));
  EXPECT_THAT(unnamed.error().message(), HasSubstr("--dtype"));
  for (const DType as : {DType::kInt4, DType::kFloat32, DType::kString}) {
    expect_refused(load_npy(path_, as), ErrorCode::kInvalidType,
                   HasSubstr("which cannot be " + std::string(dtype_name(as))));
  }
}

TEST_F(NpyLoader, RejectsATypeThatContradictsTheFile) {
  write_file(path_, npy_of("<f2", "(1,)", "ab"));
  EXPECT_TRUE(load_npy(path_, DType::kFloat16));
  const auto wrong = load_npy(path_, DType::kBFloat16);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidType);
  EXPECT_EQ(wrong.error().message(), path_.string() + ": holds float16, not bfloat16 as requested");
  write_file(path_, npy_of("|S2", "(1,)", "ab"));
  EXPECT_TRUE(load_npy(path_, DType::kString));
}

using testing::EndsWith;

class NpySaver : public NpyLoader {
 protected:
  std::string saved(const TensorView& tensor) const {
    const auto status = save_npy(path_, tensor);
    return status ? read_file(path_) : status.error().message();
  }
};

TEST_F(NpySaver, WritesTheBytesThatNumPyWrites) {
  const std::string dict = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_EQ(saved(*Tensor::of<std::int16_t>({1, -2}, {2})),
            "\x93NUMPY\1\0\x76\0"s + dict + std::string(117 - dict.size(), ' ') + "\n\1\0\xFE\xFF"s);
}

TEST_F(NpySaver, WritesShapesAsTuples) {
  EXPECT_THAT(saved(*Tensor::zeros(DType::kInt8, {})), HasSubstr("'shape': (), }"));
  EXPECT_THAT(saved(*Tensor::zeros(DType::kInt8, {3})), HasSubstr("'shape': (3,), }"));
  EXPECT_THAT(saved(*Tensor::zeros(DType::kInt8, {0, 3})), HasSubstr("'shape': (0, 3), }"));
}

TEST_F(NpySaver, StartsDataAtMultiplesOf64) {
  Shape shape;
  for (int rank = 0; rank <= kMaxRank; ++rank, shape.push_back(1)) {
    EXPECT_EQ(saved(*Tensor::zeros(DType::kFloat64, shape)).size() % 64, 8u) << rank;
    EXPECT_EQ(load_npy(path_)->shape(), shape);
  }
}

TEST_F(NpySaver, KeepsEveryBitOfEveryType) {
  std::mt19937 random(1);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (dtype == DType::kString) continue;
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{3, 5}, Shape{2, 0, 3}}) {
      auto tensor = *Tensor::zeros(dtype, shape);
      auto* bytes = static_cast<std::uint8_t*>(tensor.mutable_data());
      for (std::int64_t i = 0; i < tensor.size_bytes(); ++i) {
        bytes[i] = static_cast<std::uint8_t>(dtype == DType::kBool ? random() % 2 : random());
      }
      ASSERT_TRUE(save_npy(path_, tensor));
      const auto loaded = load_npy(path_, dtype).value();
      EXPECT_EQ(loaded.dtype(), dtype);
      EXPECT_EQ(loaded.shape(), shape);
      ASSERT_EQ(loaded.size_bytes(), tensor.size_bytes());
      // The unused bits of the last byte of a packed tensor are loaded as 0.
      const std::int64_t bits = tensor.element_count() * bit_width(dtype);
      if (bits % 8 != 0) bytes[bits / 8] = static_cast<std::uint8_t>(bytes[bits / 8] & ((1 << bits % 8) - 1));
      EXPECT_EQ(std::memcmp(loaded.data(), tensor.data(), static_cast<std::size_t>(tensor.size_bytes())), 0)
          << dtype_name(dtype);
    }
  }
}

TEST_F(NpySaver, WritesEachPackedElementAsAByte) {
  const std::uint8_t bytes[] = {0xF7, 0x08};
  for (const DType dtype : {DType::kInt4, DType::kUInt4, DType::kFloat4E2M1})
    EXPECT_THAT(saved(TensorView(bytes, dtype, {3})), EndsWith("\n\x07\x0F\x08")) << dtype_name(dtype);
  EXPECT_THAT(saved(TensorView(bytes, DType::kInt2, {5})), EndsWith("\n\3\1\3\3\0"s));
  EXPECT_THAT(saved(TensorView(bytes, DType::kUInt2, {5})), EndsWith("\n\3\1\3\3\0"s));
}

TEST_F(NpySaver, WritesTypesThatNumPyLacksAsRawBytes) {
  EXPECT_THAT(saved(*Tensor::zeros(DType::kBFloat16, {1})), HasSubstr("'<V2'"));
  EXPECT_THAT(saved(*Tensor::zeros(DType::kFloat8E5M2, {1})), HasSubstr("'<V1'"));
  EXPECT_THAT(saved(*Tensor::zeros(DType::kInt4, {1})), HasSubstr("'<V1'"));
}

TEST_F(NpySaver, WritesViewsInRowMajorOrder) {
  const std::int8_t values[] = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(saved(TensorView(values, DType::kInt8, {3, 2}, {1, 3})), EndsWith("\n\0\3\1\4\2\5"s));
  EXPECT_THAT(saved(TensorView(values + 5, DType::kInt8, {6}, {-1})), EndsWith("\n\5\4\3\2\1\0"s));
  EXPECT_THAT(saved(TensorView(values, DType::kInt8, {3}, {0})), EndsWith("\n\0\0\0"s));
}

TEST_F(NpySaver, WritesStringsAsUnicodeOfFixedWidth) {
  const auto tensor = *Tensor::of<std::string>({"",
                                                "\xE2\x82\xAC"
                                                "5",
                                                "\0a"s, "\xF0\x90\x8D\x88"},
                                               {2, 2});
  EXPECT_THAT(saved(tensor), HasSubstr("'<U2'"));
  const auto loaded = load_npy(path_).value();
  EXPECT_EQ(loaded.shape(), (Shape{2, 2}));
  EXPECT_THAT(loaded.values<std::string>(), ElementsAre("",
                                                        "\xE2\x82\xAC"
                                                        "5",
                                                        "\0a"s, "\xF0\x90\x8D\x88"));
  EXPECT_THAT(saved(*Tensor::zeros(DType::kString, {0})), HasSubstr("'<U1'"));
}

TEST_F(NpySaver, RejectsStringsThatUnicodeCannotHold) {
  for (const std::string& text : {"\xFF"s, "a\0"s}) {
    const auto status = save_npy(path_, *Tensor::of<std::string>({"good", text}, {2}));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(status.error().message(), HasSubstr("x.npy: string 1 "));
    EXPECT_THAT(status.error().message(), EndsWith("save the tensor as .pb"));
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
}

TEST_F(NpySaver, RejectsANullView) {
  EXPECT_THAT(saved(TensorView(nullptr, DType::kInt8, {1})), HasSubstr("x.npy: tensor has shape [1]"));
}

}  // namespace
}  // namespace strew
