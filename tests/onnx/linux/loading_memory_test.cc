// Tests that readers allocate at most a fixed amount plus four times the size of the file and its tensors.
#include <gmock/gmock.h>

#include "io/files.h"
#include "onnx/tensor_messages.h"
#include "strew/memory.h"
#include "strew/tensor_file.h"
#include "support/counted_memory.h"
#include "support/model_builder.h"
#include "support/pbf_writer.h"
#include "support/random.h"

namespace strew {
namespace {

using testing::message_field;
using testing::ModelBuilder;
using testing::PbfWriter;
using testing::TensorBuilder;

constexpr std::int64_t kSlack = 128 << 10;  // bytes for zlib's windows, minizip's buffers and error messages
constexpr std::int64_t kMany = 200'000;

class LoadingMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!support::memory_is_counted()) GTEST_SKIP() << "a sanitizer counts memory here";
    set_memory_cache_limit(0);
  }

  // Writes the bytes to a file and loads it. `load` returns the size of the loaded tensors in bytes.
  template <class Load>
  std::int64_t most_while(const std::string& name, std::string_view bytes, const Load& load) {
    write_file(dir_ / name, bytes);
    support::start_counting();
    tensors_ = load(dir_ / name);
    return support::most_bytes();
  }
  template <class Load>
  void expect_bounded(const std::string& name, std::string_view bytes, const Load& load) {
    const std::int64_t most = most_while(name, bytes, load);
    EXPECT_LE(most, 4 * static_cast<std::int64_t>(bytes.size()) + tensors_ + kSlack)
        << bytes.size() << " bytes of file, " << tensors_ << " of tensors";
  }

  TempDir dir_;
  std::int64_t tensors_ = 0;
};

std::int64_t bytes_of_npy(const std::filesystem::path& path) {
  const auto tensor = load_npy(path);
  return tensor ? tensor->size_bytes() : 0;
}
std::int64_t bytes_of_npz(const std::filesystem::path& path) {
  const auto arrays = load_npz(path);
  std::int64_t bytes = 0;
  if (arrays) {
    for (const NamedTensor& array : *arrays) bytes += array.tensor.size_bytes();
  }
  return bytes;
}
std::int64_t bytes_of_pb(const std::filesystem::path& path) {
  const auto tensor = load_tensor_pb(path);
  return tensor ? tensor->tensor.size_bytes() : 0;
}
std::int64_t no_bytes_of_model(const std::filesystem::path& path) {
  const auto model = Model::load(path);
  return 0;
}

TEST_F(LoadingMemory, OfArraysIsBounded) {
  const std::string shape = '(' + std::to_string(kMany) + ",)";
  for (const std::string& bytes :
       {npy_of("<f8", shape, std::string(8 * kMany, 'x')), npy_of(">f8", shape, std::string(8 * kMany, 'x')),
        npy_of("|b1", shape, std::string(kMany, '\2')), npy_of("<U4", shape, std::string(16 * kMany, '\0')),
        npy_of("<f4", "(400, 500)", std::string(4 * kMany, 'x'), true),
        npy_of("|u1", "(1000000000000000,)", std::string(kMany, 'x')), npy_of("<U1", "(0, 1000000000)", ""),
        npy_of("<U1000000000", "(0,)", ""), npy_with(std::string(kMany, '('), ""),
        npy_with(std::string(60'000, ' '), "", 2)}) {
    expect_bounded("x.npy", bytes, bytes_of_npy);
  }
}

TEST_F(LoadingMemory, OfArchivesIsBounded) {
  const Tensor tensor = Tensor::zeros(DType::kFloat32, {kMany}).value();
  std::vector<std::pair<std::string, TensorView>> arrays;
  for (int i = 0; i < 3; ++i) arrays.emplace_back(std::to_string(i), tensor);
  ASSERT_TRUE(save_npz(dir_ / "x.npz", arrays));
  std::string bytes = read_file(dir_ / "x.npz");
  expect_bounded("y.npz", bytes, bytes_of_npz);
  // Changes random bytes of the directory, among them sizes.
  support::Random random(5);
  for (int i = 0; i < 300; ++i) {
    std::string changed = bytes;
    for (int k = 0; k < 4; ++k) {
      const auto at = changed.size() - 1 - static_cast<std::size_t>(random.below(260));
      changed[at] = static_cast<char>(random.bits());
    }
    expect_bounded("y.npz", changed, bytes_of_npz);
  }
}

TEST_F(LoadingMemory, OfTensorMessagesIsBounded) {
  const auto count = static_cast<std::size_t>(kMany);
  TensorBuilder strings(DType::kString, {kMany});
  for (std::int64_t i = 0; i < kMany; ++i) strings.string("");
  for (const std::string& bytes :
       {TensorBuilder(DType::kFloat32, {kMany}).raw(std::string(4 * count, 'x')).message,
        TensorBuilder(DType::kBool, {kMany}).raw(std::string(count, 'x')).message,
        TensorBuilder(DType::kInt64, {kMany}).int64s(std::vector<std::int64_t>(count, 1)).message,
        TensorBuilder(DType::kFloat32, {kMany}).floats(std::vector<float>(count, 1)).message, strings.message,
        TensorBuilder(DType::kInt64, {kMany + 1}).int64s(std::vector<std::int64_t>(count, 1)).message,
        TensorBuilder(DType::kFloat32, {1 << 30}).raw("x").message}) {
    expect_bounded("t.pb", bytes, bytes_of_pb);
  }
  std::string dims;
  for (std::int64_t i = 0; i < kMany; ++i) PbfWriter(dims).add_int64(1, 1);
  expect_bounded("t.pb", dims, bytes_of_pb);
}

// Returns a model whose graph has the same field `times` times.
std::string model_of(std::uint32_t field, const std::string& message, std::int64_t times) {
  const std::string one = message_field(field, message);
  std::string graph;
  for (std::int64_t i = 0; i < times; ++i) graph += one;
  std::string model;
  PbfWriter(model).add_int64(1, 8);
  return model + message_field(7, graph);
}

TEST_F(LoadingMemory, OfModelsWithLargeTensorsIsBounded) {
  const std::string raw = TensorBuilder(DType::kFloat32, {kMany}).raw(std::string(4 * kMany, 'x')).message;
  std::string sparse = message_field(1, TensorBuilder(DType::kFloat32, {1}).floats({1}).message) +
                       message_field(2, TensorBuilder(DType::kInt64, {1}).int64s({5}).message);
  PbfWriter(sparse).add_int64(3, std::int64_t{1} << 40);
  const std::string ints = testing::ints_attribute("value_ints", std::vector<std::int64_t>(kMany, 1 << 20));
  for (const auto& [bytes, tensors] :
       {std::pair(ModelBuilder(18).initializer(raw).bytes(), std::int64_t{0}),  // not copied
        std::pair(ModelBuilder(18).node("Constant", {}, {"y"}, {testing::tensor_attribute("value", raw)}).bytes(),
                  std::int64_t{0}),
        std::pair(ModelBuilder(18).sparse_initializer(sparse).bytes(), std::int64_t{0}),  // not expanded
        std::pair(ModelBuilder(18).node("Constant", {}, {"y"}, {ints}).bytes(), 8 * kMany)}) {
    const auto load = [&, tensors = tensors](const auto& path) {
      const auto model = Model::load(path);
      return tensors;
    };
    expect_bounded("m.onnx", bytes, load);
  }
}

// The memory of nodes, values and names is limited: two bytes of a file can make an object of 200 bytes.
TEST_F(LoadingMemory, OfHostileGraphsHasALimit) {
  constexpr std::int64_t kMaxOfGraph = std::int64_t{448} << 20;
  std::string names;
  std::string attributes = message_field(4, "Constant");  // attributes of other operators are not read
  std::string graphs;
  for (int i = 0; i < 100; ++i) {
    names += message_field(1, "");
    attributes += message_field(5, "");
    graphs += message_field(5, message_field(6, ""));
  }
  const std::string& dims = names;  // the same bytes
  const std::string value = message_field(2, message_field(1, message_field(2, dims)));
  const std::string ints = message_field(8, std::string(100, '\1'));
  const std::string node_with_ints = message_field(4, "Constant") + message_field(5, ints);
  const std::string sparse = "\x1a\x64" + std::string(100, '\1');  // field 3, dims
  struct Case {
    std::uint32_t field;
    std::string message;
    std::int64_t few;
    std::int64_t many;
  };
  for (const Case& c :
       {Case{1, "", 250'000, 1'000'000}, Case{11, "", 400'000, 2'000'000}, Case{12, "", 400'000, 2'000'000},
        Case{13, "", 400'000, 2'000'000}, Case{1, names, 15'000, 100'000}, Case{1, attributes, 1'500, 20'000},
        Case{1, graphs, 800, 20'000}, Case{1, node_with_ints, 40'000, 200'000}, Case{11, value, 10'000, 100'000},
        Case{15, sparse, 8'000, 100'000}}) {
    SCOPED_TRACE(c.field);
    for (const std::int64_t times : {c.few, c.many}) {
      const std::string bytes = model_of(c.field, c.message, times);
      std::string message;
      const std::int64_t most = most_while("m.onnx", bytes, [&](const auto& path) {
        const auto model = Model::load(path);
        if (!model) message = model.error().message();
        return 0;
      });
      std::printf("field %u: %zu bytes of file, %.1f MiB\n", c.field, bytes.size(),
                  static_cast<double>(most) / (1 << 20));
      EXPECT_LE(most, kMaxOfGraph);
      EXPECT_THAT(message, ::testing::HasSubstr(times == c.many ? "take more than 67108864 bytes" : ""));
    }
  }
}

TEST_F(LoadingMemory, DoesNotGrowWithTheDepthOfNesting) {
  // Nested sequence types, nested graphs in attributes, and nested functions.
  constexpr int kDepth = 2000;
  std::string type;
  std::string node;
  for (int i = 0; i < kDepth; ++i) {
    type = message_field(4, message_field(1, type));
    node = message_field(5, message_field(6, message_field(1, node)));
  }
  const std::string value = message_field(2, type);
  for (const std::string& bytes : {model_of(11, value, 1), model_of(1, node, 1)}) {
    expect_bounded("m.onnx", bytes, no_bytes_of_model);
  }
}

TEST_F(LoadingMemory, OfAValueOfAModelIsFreedAfterItsLastUse) {
  constexpr std::int64_t kBytes = 100'000;
  ModelBuilder chain(18);
  chain.input("0", DType::kInt8, {{kBytes}}).input("at", DType::kInt32, {{kBytes}});
  for (int i = 0; i < 9; ++i) chain.node("Gather", {std::to_string(i), "at"}, {std::to_string(i + 1)});
  const auto model = chain.output("9", DType::kInt8, {{kBytes}}).parse().value();
  const Tensor data = Tensor::zeros(DType::kInt8, {kBytes}).value();
  const Tensor at = Tensor::zeros(DType::kInt32, {kBytes}).value();
  const std::pair<std::string, TensorView> inputs[] = {{"0", data.view()}, {"at", at.view()}};
  support::start_counting();
  EXPECT_TRUE(model.run(inputs));
  EXPECT_LT(support::most_bytes(), 3 * kBytes);
}

}  // namespace
}  // namespace strew
