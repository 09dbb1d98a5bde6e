// Tests pictures of random calls: they are well-formed, reproducible, and their cells show the values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/random_problem.h"
#include "picture/svg_file.h"
#include "strew/element.h"
#include "strew/ops.h"
#include "strew/picture.h"
#include "support/random_tensor.h"

namespace strew::support {
namespace {

using testing::HasSubstr;
using testing::Not;

Tensor int64s(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>(values, {static_cast<std::int64_t>(values.size())}).value();
}

std::string name_of(const Shape& coordinate) {
  std::string text;
  for (const std::int64_t at : coordinate) {
    if (!text.empty()) text += ',';
    text += std::to_string(at);
  }
  return text;
}

// Expects the elements of `tensor` in the cells of an operand. Only short numbers are compared.
void expect_cells(const std::string& svg, std::string_view operand, const Tensor& tensor) {
  const auto cells = cells_of(svg, operand);
  std::int64_t i = 0;
  reference::for_each_coordinate(tensor.shape(), [&](const Shape& at) {
    const std::string text = element_text(tensor.dtype(), tensor.data(), i++);
    const auto cell = cells.find(name_of(at));
    if (cell == cells.end() || text.size() > 8) return;
    EXPECT_EQ(cell->second, tensor.dtype() == DType::kString ? cell->second : text) << operand << to_string(at);
  });
  EXPECT_EQ(cells.empty(), tensor.element_count() == 0) << operand;
}

class RandomPictures : public testing::TestWithParam<OpKind> {};

TEST_P(RandomPictures, AreWellFormedAndReproducibleAndShowTheResult) {
  Random random(20240705 + static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < 250 && !HasFailure(); ++i) {
    const Problem problem = random_problem(random, GetParam(), random.one_in(4) ? 3000 : 50);
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    const CallOperands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands);
    const std::string svg = draw(GetParam(), plan, operands);
    EXPECT_EQ(fault_of_xml(svg), "");
    const Problem copy = problem;
    EXPECT_EQ(draw(GetParam(), plan, copy.operands()), svg) << "at other addresses";
    const reference::Outcome outcome = run_reference(problem.call, operands);
    const bool cache = GetParam() == OpKind::kTensorScatter;
    if (!outcome.value) {
      EXPECT_THAT(svg, HasSubstr("rejected"));
      EXPECT_THAT(svg, Not(HasSubstr(cache ? "present_cache\"" : "data-operand=\"output\"")));
      continue;
    }
    expect_cells(svg, cache ? "present_cache" : "output", *outcome.value);
    const std::int64_t step = random.between(0, 20);
    EXPECT_EQ(fault_of_xml(draw(GetParam(), plan, operands, {"step", step})), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomPictures, testing::ValuesIn(kOperators), name_of_test);

TEST(Draw, DrawsRejectedCallsOfAnyShapes) {
  Random random(20240706);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const auto view = [&](DType dtype) {
      Shape shape;
      const std::int64_t rank = random.below(6);
      for (std::int64_t axis = 0; axis < rank; ++axis) {
        shape.push_back(random.pick(
            {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{-1}, std::int64_t{1} << 40}));
      }
      return TensorView(nullptr, dtype, shape);
    };
    const Operands operands{view(DType::kFloat32), view(DType::kInt64), view(DType::kInt8)};
    const auto op = static_cast<OpKind>(random.below(6));
    const auto plan = make_scatter_elements_plan(operands.data, *operands.indices, *operands.updates);
    ASSERT_FALSE(plan);
    const std::string svg = draw(op, plan, operands);
    EXPECT_EQ(fault_of_xml(svg), "");
    EXPECT_THAT(svg, HasSubstr("The call was rejected"));
  }
}

TEST(Draw, EscapesTextOfTheUser) {
  const std::vector<std::string> words = {"<script>alert(1)</script>", "a&b\"", std::string("\xFF\x00\x1b", 3),
                                          "\xEF\xBF\xBF", "]]>"};
  const TensorView data(words, {5});
  const Tensor indices = int64s({0, 1, 2, 3, 4});
  const std::string svg = draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices}, {"<b>&\xC3"});
  EXPECT_EQ(fault_of_xml(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  const Error error{ErrorCode::kInvalidModel, "<i> \xFF & so on"};
  EXPECT_EQ(fault_of_xml(draw(OpKind::kGather, tl::unexpected(error), {data, indices})), "");
}

TEST(Draw, DrawsHugeValuesAndNansOfEveryType) {
  Random random(20240707);
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    const auto dtype = static_cast<DType>(number);
    const Tensor data = random_tensor(random, dtype, {7});
    const Tensor indices = int64s({6, 0, -7});
    const std::string svg = draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices});
    EXPECT_EQ(fault_of_xml(svg), "") << dtype_name(dtype);
    expect_cells(svg, "data", data);
  }
  const Tensor data =
      *Tensor::of<double>({std::nan(""), -HUGE_VAL, std::numeric_limits<double>::max(), 5e-324}, {4});
  const Tensor indices = int64s({0, 1, 2, 3});
  const auto cells = cells_of(draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices}), "output");
  EXPECT_EQ(cells, (std::map<std::string, std::string>{
                       {"0", "nan"}, {"1", "-inf"}, {"2", "1.798e+308"}, {"3", "5e-324"}}));
}

// A scatter of three rows into rows 3, 0 and 3 of four.
class DrawSteps : public testing::Test {
 protected:
  std::map<std::string, std::string> output_after(std::int64_t applied, Reduction reduction) const {
    const auto plan = make_scatter_nd_plan(data_, indices_, updates_, {.reduction = reduction});
    return cells_of(draw(OpKind::kScatterND, plan, {data_, indices_, updates_}, {"", applied}), "output");
  }
  const Tensor data_ = *Tensor::of<float>({1, 1, 1, 1}, {4});
  const Tensor indices_ = *Tensor::of<std::int64_t>({3, 0, -1}, {3, 1});
  const Tensor updates_ = *Tensor::of<float>({1, 10, 100}, {3});
};

TEST_F(DrawSteps, ShowTheOutputAfterTheFirstUpdates) {
  using Cells = std::map<std::string, std::string>;
  EXPECT_EQ(output_after(0, Reduction::kAdd), (Cells{{"0", "1"}, {"1", "1"}, {"2", "1"}, {"3", "1"}}));
  EXPECT_EQ(output_after(1, Reduction::kAdd), (Cells{{"0", "1"}, {"1", "1"}, {"2", "1"}, {"3", "2"}}));
  EXPECT_EQ(output_after(2, Reduction::kAdd), (Cells{{"0", "11"}, {"1", "1"}, {"2", "1"}, {"3", "2"}}));
  EXPECT_EQ(output_after(3, Reduction::kAdd), (Cells{{"0", "11"}, {"1", "1"}, {"2", "1"}, {"3", "102"}}));
  EXPECT_EQ(output_after(99, Reduction::kAdd), output_after(3, Reduction::kAdd));
  EXPECT_EQ(output_after(-1, Reduction::kNone), output_after(0, Reduction::kAdd));
  EXPECT_EQ(output_after(2, Reduction::kNone), (Cells{{"0", "10"}, {"1", "1"}, {"2", "1"}, {"3", "1"}}));
  EXPECT_EQ(output_after(3, Reduction::kNone), (Cells{{"0", "10"}, {"1", "1"}, {"2", "1"}, {"3", "100"}}));
}

TEST_F(DrawSteps, ShowOnlyTheArrowsOfTheFirstUpdates) {
  const auto plan = make_scatter_nd_plan(data_, indices_, updates_, {.reduction = Reduction::kAdd});
  for (const std::int64_t applied : {0, 1, 2, 3}) {
    const std::string svg = draw(OpKind::kScatterND, plan, {data_, indices_, updates_}, {"", applied});
    std::int64_t paths = 0;  // a line and a head for each arrow
    for (std::size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) ++paths;
    EXPECT_EQ(paths, 2 * applied);
    EXPECT_EQ(svg.find("data-at=\"3\" data-arrows=\"1 3\"") != std::string::npos, applied == 3);
  }
}

TEST(Draw, PrintsTheRuleWithItsNumbers) {
  const Tensor data = Tensor::zeros(DType::kFloat32, {2, 3, 4}).value();
  const auto gathered = [&](std::initializer_list<std::int64_t> shape) {
    return Tensor::zeros(DType::kInt64, Shape(shape)).value();
  };
  const auto picture = [&](OpKind op, const Result<Plan>& plan, const Tensor& indices) {
    return draw(op, plan, {data, indices});
  };
  const Tensor two = gathered({5, 2});
  EXPECT_THAT(
      picture(OpKind::kGather, make_gather_plan(data, two, {.axis = 1}), two),
      AllOf(HasSubstr(">output[:, i, j, :] = data[:, indices[i, j], :]<"),
            HasSubstr(">output.shape = data.shape[:1] + indices.shape + data.shape[2:] = [2] + [5, 2] + [4] =")));
  EXPECT_THAT(picture(OpKind::kGatherND, make_gather_nd_plan(data, two), two),
              AllOf(HasSubstr(">output[i] = data[tuple(indices[i])]<"),
                    HasSubstr(">output.shape = indices.shape[:-1] + data.shape[k:] = [5] + [4] = [5, 4]<"),
                    HasSubstr(">k = indices.shape[-1] = 2<")));
  const Tensor batched = gathered({2, 3, 1});
  EXPECT_THAT(picture(OpKind::kGatherND, make_gather_nd_plan(data, batched, {.batch_dims = 1}), batched),
              AllOf(HasSubstr(">output[i, j] = data[i, *indices[i, j]]<"),
                    HasSubstr(">k = indices.shape[-1] = 1, b = batch_dims = 1<")));
  const Tensor elements = gathered({2, 1, 4});
  EXPECT_THAT(picture(OpKind::kGatherElements, make_gather_elements_plan(data, elements, {.axis = 1}), elements),
              AllOf(HasSubstr(">output[i, j, k] = data[i, indices[i, j, k], k]<"),
                    HasSubstr(">output.shape = indices.shape = [2, 1, 4]<")));
}

TEST(Draw, MarksOverwrittenAndDroppedUpdates) {
  const Tensor data = *Tensor::zeros(DType::kFloat32, {4});
  const Tensor indices = int64s({1, 9, 1, 0});
  const auto drawn = [&](Reduction reduction) {
    return draw(OpKind::kScatterElements,
                make_scatter_elements_plan(data, indices, data,
                                           {.axis = 0, .reduction = reduction, .rules = {OutOfBounds::kDrop}}),
                {data, indices, data});
  };
  EXPECT_THAT(drawn(Reduction::kNone), HasSubstr(">Updates 1 and 3 meet in output[1]: the last one, 3, wins.<"));
  EXPECT_THAT(drawn(Reduction::kAdd),
              HasSubstr(">Updates 1 and 3 meet in output[1]: each is added to it, in this order.<"));
  EXPECT_THAT(drawn(Reduction::kMax), HasSubstr("the result is the max of them and the value in data."));
  EXPECT_THAT(drawn(Reduction::kAdd), HasSubstr(">output[indices[i]] += updates[i]<"));
  EXPECT_THAT(drawn(Reduction::kAdd),
              HasSubstr("1 index is outside the axis: updates marked \u00d7 are dropped."));
}

TEST(Draw, PrintsTheFormulaOfTheReduction) {
  const Tensor data = *Tensor::of<float>({1, 2}, {2});
  const Tensor places = *Tensor::of<std::int64_t>({0, 0}, {2, 1});
  const auto drawn = [&](const CallParams& params) {
    return draw(OpKind::kScatterND, make_scatter_nd_plan(data, places, data, params), {data, places, data});
  };
  EXPECT_THAT(drawn({.reduction = Reduction::kMean}),
              HasSubstr(">output[tuple(indices[i])] = mean(data[tuple(indices[i])], all its updates)<"));
  EXPECT_THAT(drawn({.reduction = Reduction::kMean, .include_self = false}),
              HasSubstr(">output[tuple(indices[i])] = mean(all its updates)<"));
  EXPECT_THAT(
      drawn({.reduction = Reduction::kAdd, .include_self = false}),
      AllOf(HasSubstr(">The first update of an element replaces its value in data.<"),
            HasSubstr(">Updates 1 and 2 meet in output[0]: each but the first is added to it, in this order.<")));
  const TensorView one(data.data(), DType::kFloat32, {1});
  const CallParams scaled{.op = OpKind::kScatterElements,
                          .reduction = Reduction::kMean,
                          .alpha = TensorView(data.data(), DType::kFloat32, {})};
  const Tensor index = int64s({0});
  EXPECT_THAT(draw(OpKind::kScatterElements, make_scatter_elements_plan(data, index, one, scaled),
                   {.data = data, .indices = index, .updates = one}),
              HasSubstr(">output[indices[i]] = mean(data[indices[i]], alpha * all its updates)<"));
}

TEST(Draw, PrintsAlpha) {
  const Tensor data = *Tensor::of<float>({1, 2}, {2});
  const Tensor indices = int64s({0, 0});
  const Tensor alpha = *Tensor::of<float>({0.5f}, {});
  const CallParams params{.op = OpKind::kScatterElements, .reduction = Reduction::kAdd, .alpha = alpha};
  const std::string svg = draw(OpKind::kScatterElements, make_scatter_elements_plan(data, indices, data, params),
                               {.data = data, .indices = indices, .updates = data});
  EXPECT_THAT(svg, HasSubstr(">output[indices[i]] += alpha * updates[i]<"));
  EXPECT_THAT(svg, HasSubstr("alpha=0.5"));
  EXPECT_THAT(svg, HasSubstr(">2.5<"));  // 1 + 0.5 + 1
}

TEST(Draw, HasATextForScreenReaders) {
  const Tensor data = *Tensor::of<float>({1, 2, 3, 4}, {4});
  const Tensor indices = int64s({2, -1});
  const std::string svg = draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices}, {"Gather-13"});
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("<title>Gather-13, axis=0</title>"));
  EXPECT_THAT(svg, HasSubstr("1: data[2] to output[0]. 2: data[3] to output[1]."));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(Draw, ShowsABadValueInRedEvenInLargeIndices) {
  const Tensor data = Tensor::zeros(DType::kFloat32, {10}).value();
  std::vector<std::int64_t> ids(1000, 3);
  ids[777] = 10;
  const TensorView indices(ids, {1000});
  const std::string svg = draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices});
  const auto cells = cells_of(svg, "indices");
  ASSERT_EQ(cells.count("777"), 1u);
  EXPECT_EQ(cells.at("777"), "10");
  EXPECT_THAT(svg, HasSubstr("gather: indices[777] = 10 is outside [-10, 9] for axis 0 of data"));
}

TEST(Draw, ShowsTheWrongOperandAndDimensionInRed) {
  const Tensor zeros = Tensor::zeros(DType::kFloat32, {1024}).value();
  const Tensor ids = Tensor::zeros(DType::kInt64, {1024}).value();
  const auto data = [&](Shape shape) { return TensorView(zeros.data(), DType::kFloat32, std::move(shape)); };
  const auto indices = [&](Shape shape) { return TensorView(ids.data(), DType::kInt64, std::move(shape)); };
  const auto scatter_nd = [&](const TensorView& to, const TensorView& at, const TensorView& from) {
    return draw(OpKind::kScatterND, make_scatter_nd_plan(to, at, from), {to, at, from});
  };
  const auto dimension = [](std::string before, std::string wrong, std::string behind) {
    return testing::ContainsRegex(">" + before + "<tspan[^>]*>" + wrong + "</tspan>" + behind + "</text>");
  };
  const auto only = [](int count, const std::string& svg) {
    std::size_t found = 0;
    for (std::size_t at = svg.find("<tspan font"); at != std::string::npos; at = svg.find("<tspan font", at + 1))
      ++found;
    EXPECT_EQ(found, static_cast<std::size_t>(count)) << svg;
  };
  // Pictures mark the wrong part of a shape: a dimension, the whole shape, or the length of index tuples.
  const std::string updates = scatter_nd(data({4, 2}), indices({3, 1}), data({3, 5}));
  EXPECT_THAT(updates, dimension("float32 \\[3, ", "5", "\\]"));
  const std::string rank = scatter_nd(data({4, 2}), indices({3, 1}), data({3}));
  EXPECT_THAT(rank, testing::ContainsRegex("font-weight=\"700\"[^>]*>float32 \\[3\\]</text>"));
  EXPECT_THAT(scatter_nd(data({4, 2}), indices({3, 3}), data({3})), dimension("int64 \\[3, ", "3", "\\]"));

  const TensorView wide = indices({5, 2});
  EXPECT_THAT(draw(OpKind::kGatherElements, make_gather_elements_plan(data({4, 2}), wide, {.axis = 1}),
                   {data({4, 2}), wide}),
              dimension("int64 \\[", "5", ", 2\\]"));
  const TensorView cache = data({2, 3, 4});
  const TensorView long_update = data({2, 5, 4});
  EXPECT_THAT(draw(OpKind::kTensorScatter, make_tensor_scatter_plan(cache, long_update, std::nullopt),
                   {.data = cache, .updates = long_update}),
              dimension("float32 \\[2, ", "5", ", 4\\]"));
  const std::string batches =
      draw(OpKind::kGatherND, make_gather_nd_plan(data({2, 3}), indices({4, 1}), {.batch_dims = 1}),
           {data({2, 3}), indices({4, 1})});
  EXPECT_THAT(batches, dimension("float32 \\[", "2", ", 3\\]"));
  EXPECT_THAT(batches, dimension("int64 \\[", "4", ", 1\\]"));
  only(2, batches);
  // For a wrong type, no dimension is marked.
  const TensorView integers = indices({3, 2});
  only(0, draw(OpKind::kScatterND, make_scatter_nd_plan(data({4, 2}), indices({3, 1}), integers),
               {data({4, 2}), indices({3, 1}), integers}));
}

TEST(Draw, PrintsTheNumberOfOmittedArrows) {
  const Tensor data = Tensor::zeros(DType::kFloat32, {10'000}).value();
  const Tensor indices = Tensor::zeros(DType::kInt64, {10'000}).value();
  const std::string svg = draw(OpKind::kGather, make_gather_plan(data, indices), {data, indices});
  EXPECT_THAT(svg, HasSubstr(" of 10000 arrows are drawn.<"));
  EXPECT_LT(svg.size(), 100'000u);
}

}  // namespace
}  // namespace strew::support
