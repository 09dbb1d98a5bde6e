// Tests illegal calls from C: each returns an error, no exception escapes, and nothing is allocated or written.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "c/error.h"
#include "strew/c.h"

namespace strew::c {
namespace {

constexpr std::array<std::int64_t, 1> kTwo = {2};

class HostileCCalls : public testing::Test {
 protected:
  std::string run(const char* op, const strew_attribute* attributes = nullptr, std::size_t count = 0) {
    return message_of([&](strew_error** error) {
      return strew_run(op, attributes, count, inputs_.data(), input_count_, &output_, &options_, error);
    });
  }

  std::array<float, 2> data_ = {1, 2}, out_ = {-1, -1};
  std::array<std::int64_t, 2> ids_ = {1, 0};
  strew_view table_ = STREW_VIEW(data_.data(), STREW_FLOAT32, 1, kTwo.data());
  strew_view index_ = STREW_VIEW(ids_.data(), STREW_INT64, 1, kTwo.data());
  strew_view output_ = STREW_VIEW(out_.data(), STREW_FLOAT32, 1, kTwo.data());
  std::array<const strew_view*, 4> inputs_ = {&table_, &index_, nullptr, nullptr};
  std::size_t input_count_ = 2;
  strew_options options_ = {sizeof(strew_options), nullptr, 0, 0, 0};
};

TEST_F(HostileCCalls, StructsNeedTheirSize) {
  EXPECT_EQ(run("gather"), "");
  out_ = {-1, -1};
  table_.size = 0;
  EXPECT_EQ(run("gather"), "gather: data has the size 0; set it to sizeof(strew_view), 40");
  table_.size = sizeof(strew_view);
  options_.size = 3;
  EXPECT_EQ(run("gather"), "gather: options has the size 3; set it to sizeof(strew_options), 32");
  options_.size = sizeof(strew_options);
  std::array attributes = {STREW_INT("axis", 0), STREW_INT("axis", 0)};
  attributes[0].size = 0;
  EXPECT_EQ(run("gather", attributes.data(), 2),
            "gather: attributes has the size 0; set it to sizeof(strew_attribute), 40");
  attributes[0].size = sizeof(strew_attribute);
  attributes[1].size = sizeof(strew_attribute) + 8;
  EXPECT_EQ(run("gather", attributes.data(), 2),
            "gather: attributes have the sizes 40 and 48, which must be equal");
  EXPECT_EQ(out_[0], -1);
}

TEST_F(HostileCCalls, LargerStructsOfLaterVersionsAreRead) {
  struct {
    strew_attribute known = STREW_INT("axis", 0);
    std::int64_t later = 77;
  } attributes[2];
  for (auto& one : attributes) one.known.size = sizeof one;
  table_.size += 8;
  EXPECT_EQ(run("gather", &attributes[0].known, 2), "");
  EXPECT_EQ(out_[0], 2);
}

// A view followed by another member. The view may have the size of an older or a newer header.
struct Lent {
  strew_view view = {sizeof(strew_view), nullptr, 0, 0, nullptr, nullptr};
  std::int64_t behind = 77;
};

// A DLTensor of int64 [2].
struct DLPackTensor {
  void* data;
  std::int32_t device_type = 1, device_id = 0, rank = 1;
  std::uint8_t code = 0, bits = 64;
  std::uint16_t lanes = 1;
  const std::int64_t* shape = kTwo.data();
  const std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

TEST_F(HostileCCalls, StructsAreWrittenUpToTheSizeThatTheCallerSet) {
  strew_plan* plan = nullptr;
  ASSERT_EQ(strew_plan_new("gather", nullptr, 0, inputs_.data(), 2, &plan, nullptr), STREW_OK);
  const DLPackTensor tensor{ids_.data()};
  const auto writes = [&](const auto& call, const std::string& function, const char* operand) {
    Lent lent;
    EXPECT_EQ(message_of([&](strew_error** error) { return call(&lent.view, error); }), "");
    EXPECT_EQ(lent.view.rank, 1);
    EXPECT_EQ(lent.view.size, sizeof(strew_view));
    EXPECT_EQ(lent.behind, 77);
    lent.view = {sizeof(Lent), nullptr, 0, 0, nullptr, nullptr};
    EXPECT_EQ(message_of([&](strew_error** error) { return call(&lent.view, error); }), "");
    EXPECT_EQ(lent.view.size, sizeof(Lent));
    EXPECT_EQ(lent.behind, 0) << "a member that this library does not know stands for the default";
    lent.view = {sizeof(strew_view) - 1, nullptr, 5, 6, nullptr, nullptr};
    EXPECT_EQ(message_of([&](strew_error** error) { return call(&lent.view, error); }),
              function + operand + " has the size 39; set it to sizeof(strew_view), 40");
    EXPECT_EQ(lent.view.dtype, 5);
  };
  writes([&](strew_view* to, strew_error** error) { return strew_plan_output(plan, to, error); }, "", "output");
  writes([&](strew_view* to, strew_error** error) { return strew_view_from_dlpack(&tensor, to, error); },
         "view_from_dlpack: ", "view");
  strew_plan_free(plan);
}

TEST_F(HostileCCalls, OutputsAreUnchangedAfterAnError) {
  DLPackTensor tensor{ids_.data()};
  for (const std::int32_t rank : {-1, 65}) {
    tensor.rank = rank;
    EXPECT_EQ(strew_view_from_dlpack(&tensor, &output_, nullptr), STREW_INVALID_ARGUMENT);
  }
  tensor.rank = 1;
  tensor.shape = nullptr;
  EXPECT_EQ(strew_view_from_dlpack(&tensor, &output_, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(output_.data, out_.data());
  EXPECT_EQ(output_.rank, 1);

  void* const before = reinterpret_cast<void*>(8);
  auto* plan = static_cast<strew_plan*>(before);
  auto* edges = static_cast<strew_edges*>(before);
  auto* threads = static_cast<strew_threads*>(before);
  ids_ = {9, 0};
  EXPECT_EQ(strew_plan_new("gather", nullptr, 0, inputs_.data(), 1, &plan, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_edges_new(&index_, &index_, 2, 2, nullptr, 0, nullptr, &edges, nullptr),
            STREW_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(strew_threads_new(0, &threads, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_threads_from(
                0, [](auto...) {}, nullptr, &threads, nullptr),
            STREW_INVALID_ARGUMENT);
  EXPECT_EQ(plan, before);
  EXPECT_EQ(edges, before);
  EXPECT_EQ(threads, before);

  ids_ = {1, 0};
  ASSERT_EQ(strew_edges_new(&index_, &index_, 2, 2, nullptr, 0, nullptr, &edges, nullptr), STREW_OK);
  std::array<std::int64_t, 2> first = {-1, -1};
  const strew_view winners = STREW_VIEW(first.data(), STREW_INT64, 1, kTwo.data());
  const strew_view narrow = STREW_VIEW(first.data(), STREW_INT32, 1, kTwo.data());
  const strew_gather_scatter_params add = {sizeof add, "add", nullptr, nullptr, nullptr, nullptr, 0, 0};
  const strew_gather_scatter_params max = {sizeof max, "max", nullptr, nullptr, nullptr, nullptr, 0, 0};
  EXPECT_NE(strew_gather_scatter(&table_, edges, &add, &output_, &winners, nullptr, nullptr), STREW_OK);
  EXPECT_NE(strew_gather_scatter(&table_, edges, &max, &output_, &narrow, nullptr, nullptr), STREW_OK);
  EXPECT_EQ(out_[0], -1);
  EXPECT_EQ(first[0], -1);
  strew_edges_free(edges);
}

TEST_F(HostileCCalls, ViewsAreChecked) {
  table_.dtype = 99;
  EXPECT_EQ(run("gather"), "gather: data has the type 99, which is outside [1, 26]");
  table_.dtype = 8;
  EXPECT_EQ(run("gather"), "gather: data holds strings, which have no C representation");
  table_.dtype = STREW_FLOAT32;
  table_.rank = 65;
  EXPECT_EQ(run("gather"), "gather: data has the rank 65, which is outside [0, 64]");
  table_.rank = -1;
  EXPECT_EQ(run("gather"), "gather: data has the rank -1, which is outside [0, 64]");
  table_.rank = 1;
  table_.shape = nullptr;
  EXPECT_EQ(run("gather"), "gather: data has the rank 1 and no shape");
  table_.shape = kTwo.data();
  table_.data = nullptr;
  EXPECT_NE(run("gather"), "");
  EXPECT_EQ(out_[0], -1);
}

TEST_F(HostileCCalls, NamesAreChecked) {
  EXPECT_EQ(run("gathr"), "there is no operator 'gathr'; did you mean 'gather'?");
  EXPECT_EQ(run(nullptr), "op is NULL");
  const std::array unknown = {STREW_INT("axes", 0)};
  EXPECT_EQ(run("gather", unknown.data(), 1),
            "gather: it has no attribute 'axes'; it has axis, out_of_bounds, fill_value, negative_indices; did "
            "you mean 'axis'?");
  const std::array nameless = {STREW_INT(nullptr, 0)};
  EXPECT_EQ(run("gather", nameless.data(), 1), "gather: name of an attribute is NULL");
  EXPECT_EQ(run("gather", nullptr, 1), "gather: attributes is NULL");
  const std::array number = {STREW_INT("reduction", 1)};
  EXPECT_EQ(run("scatter_nd", number.data(), 1), "scatter_nd: attribute 'reduction' must be a word");
  const strew_attribute both = {sizeof both, "reduction", 0, "add", &table_};
  EXPECT_EQ(run("scatter_nd", &both, 1),
            "scatter_nd: attribute 'reduction' has more than one of a number, a word and an element");
  const strew_attribute and_number = {sizeof and_number, "reduction", 4, "add", nullptr};
  EXPECT_EQ(run("scatter_nd", &and_number, 1),
            "scatter_nd: attribute 'reduction' has more than one of a number, a word and an element");
}

TEST_F(HostileCCalls, InputsAreCounted) {
  input_count_ = 4;
  EXPECT_EQ(run("gather"), "gather: 4 inputs given; the operator has 2");
  input_count_ = 0;
  EXPECT_EQ(run("gather"), "gather: data must be given");
  inputs_[0] = nullptr;
  input_count_ = 2;
  EXPECT_EQ(run("gather"), "gather: data must be given");
  EXPECT_EQ(message_of([&](strew_error** error) {
              return strew_run("gather", nullptr, 0, nullptr, 2, &output_, nullptr, error);
            }),
            "gather: inputs is NULL");
}

TEST_F(HostileCCalls, NullArgumentsAreErrors) {
  strew_plan* plan = nullptr;
  strew_edges* edges = nullptr;
  strew_threads* threads = nullptr;
  EXPECT_EQ(strew_run(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_run("gather", nullptr, 0, inputs_.data(), 2, nullptr, nullptr, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_plan_new("gather", nullptr, 0, inputs_.data(), 2, nullptr, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_plan_new("gather", nullptr, 0, nullptr, 0, &plan, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(strew_plan_output(nullptr, &output_, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_plan_run(nullptr, inputs_.data(), 2, &output_, nullptr, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_edges_new(nullptr, nullptr, 1, 1, nullptr, 0, nullptr, &edges, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_edges_new(&index_, &index_, -1, 1, nullptr, 0, nullptr, &edges, nullptr),
            STREW_INVALID_ARGUMENT);
  EXPECT_EQ(edges, nullptr);
  EXPECT_EQ(strew_gather_scatter(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
            STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_threads_new(0, &threads, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(strew_threads_from(0, nullptr, nullptr, &threads, nullptr), STREW_INVALID_ARGUMENT);
  EXPECT_EQ(threads, nullptr);
  EXPECT_EQ(strew_view_from_dlpack(nullptr, &output_, nullptr), STREW_INVALID_ARGUMENT);
  strew_error_free(nullptr);
  strew_plan_free(nullptr);
  strew_edges_free(nullptr);
  strew_threads_free(nullptr);
}

TEST_F(HostileCCalls, OperandsMustMatchThePlan) {
  strew_plan* plan = nullptr;
  ASSERT_EQ(strew_plan_new("gather", nullptr, 0, inputs_.data(), 2, &plan, nullptr), STREW_OK);
  table_.dtype = STREW_INT32;
  EXPECT_EQ(strew_plan_run(plan, inputs_.data(), 2, &output_, nullptr, nullptr), STREW_INVALID_TYPE);
  EXPECT_EQ(strew_plan_run(plan, inputs_.data(), 1, &output_, nullptr, nullptr), STREW_INVALID_TYPE);
  strew_plan_free(plan);
  EXPECT_EQ(out_[0], -1);
}

TEST_F(HostileCCalls, AttributesOfEdgesAndGatherScatterAreChecked) {
  strew_edges* edges = nullptr;
  const auto made_with = [&](const strew_attribute& attribute) {
    return message_of([&](strew_error** error) {
      return strew_edges_new(&index_, &index_, 2, 2, &attribute, 1, nullptr, &edges, error);
    });
  };
  EXPECT_EQ(made_with(STREW_WORD("out_of_bound", "clip")),
            "Edges: edges have no attribute 'out_of_bound'; did you mean 'out_of_bounds'?");
  EXPECT_EQ(made_with(STREW_WORD("out_of_bounds", "clipp")),
            "Edges: out_of_bounds 'clipp' is not known; did you mean 'clip'?");
  EXPECT_EQ(made_with(STREW_INT("out_of_bounds", 4)), "Edges: attribute 'out_of_bounds' must be a word");
  EXPECT_EQ(made_with(STREW_INT("negative_indices", 0)), "Edges: attribute 'negative_indices' must be a word");
  EXPECT_EQ(made_with(STREW_ELEMENT("out_of_bounds", &table_)), "Edges: attribute 'out_of_bounds' must be a word");
  EXPECT_EQ(edges, nullptr);
  ASSERT_EQ(made_with(STREW_WORD("out_of_bounds", "clip")), "");
  const strew_gather_scatter_params params = {sizeof params, "sub", nullptr, nullptr, nullptr, nullptr, 0, 0};
  EXPECT_EQ(strew_gather_scatter(&table_, edges, &params, &output_, nullptr, nullptr, nullptr), STREW_UNSUPPORTED);
  const strew_gather_scatter_params later = {sizeof later, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 7};
  EXPECT_EQ(message_of([&](strew_error** error) {
              return strew_gather_scatter(&table_, edges, &later, &output_, nullptr, nullptr, error);
            }),
            "gather_scatter: reserved = 7; it must be 0");
  strew_edges_free(edges);
}

TEST_F(HostileCCalls, ExceptionsOfTheCallersThreadsAreErrors) {
  std::array<std::int64_t, 1> shape = {1 << 20};
  const std::vector<std::int64_t> zeros(1 << 20);
  std::vector<float> many(1 << 20);
  index_ = STREW_VIEW(const_cast<std::int64_t*>(zeros.data()), STREW_INT64, 1, shape.data());
  output_ = STREW_VIEW(many.data(), STREW_FLOAT32, 1, shape.data());
  const auto thrower = [](void*, void (*)(void*, std::int64_t), void*, std::int64_t) { throw 1; };
  ASSERT_EQ(strew_threads_from(2, thrower, nullptr, &options_.threads, nullptr), STREW_OK);
  EXPECT_EQ(run("gather"), "gather: the executor failed");
  strew_threads_free(options_.threads);
}

}  // namespace
}  // namespace strew::c
