// Tests checks of models that also have nodes of other operators, and runs of single nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/model_builder.h"

namespace strew {
namespace {

using namespace strew::testing;
using ::testing::HasSubstr;

const std::string kRows = tensor_message<std::int64_t>("rows", {0, 3}, {2});

// A Gather of constant rows from the output of a Relu. Only `inner` declares the shape of this output.
ModelBuilder behind_relu(const std::optional<TestShape>& inner) {
  ModelBuilder builder(17);
  builder.input("x", DType::kFloat32, {{3, 2}})
      .initializer(kRows)
      .node("Relu", {"x"}, {"r"}, {}, "relu")
      .node("Gather", {"r", "rows"}, {"y"}, {}, "pick")
      .output("y", DType::kFloat32, std::nullopt);
  if (inner) builder.value_info("r", DType::kFloat32, inner);
  return builder;
}

// Returns the inferred type and shape of the output of one node of another operator.
std::string made_by(const std::string& op_type, const std::vector<std::string>& attributes = {},
                    const std::vector<std::string>& inputs = {"x"}, std::int64_t opset = 17) {
  const auto report = ModelBuilder(opset)
                          .input("x", DType::kFloat32, {{2, "n", 1}})
                          .input("y", DType::kInt64, {{4, 1, "m"}})
                          .input("z", DType::kFloat32, {{2, "n", 5}})
                          .input("full", DType::kFloat32, {{2, 3, 4}})
                          .input("unknown", DType::kFloat32, std::nullopt)
                          .initializer(tensor_message<std::int64_t>("to", {0, -1, 3}, {3}))
                          .initializer(tensor_message<std::int64_t>("wrong", {-1, -1}, {2}))
                          .node(op_type, inputs, {"out"}, attributes, "node")
                          .parse()
                          ->check();
  EXPECT_TRUE(report.ok());
  return to_string(report.nodes.at(0).outputs.at(0));
}

TEST(WholeModel, InfersOutputsOfOrdinaryOperators) {
  EXPECT_EQ(made_by("Relu"), "float32 [2, n, 1]");
  EXPECT_EQ(made_by("Mul", {}, {"x", "z"}), "float32 [2, n, 5]");
  EXPECT_EQ(made_by("Max", {}, {"x", "y"}), "float32 of unknown rank") << "2 and 4 do not match";
  EXPECT_EQ(made_by("Add", {}, {"x", "unknown"}), "float32 of unknown rank");
  EXPECT_EQ(made_by("Greater", {}, {"x", "z"}), "bool [2, n, 5]");
  EXPECT_EQ(made_by("Where", {}, {"x", "y", "y"}), "int64 of unknown rank");
  EXPECT_EQ(made_by("Where", {}, {"x", "x", "z"}), "float32 [2, n, 5]");
  EXPECT_EQ(made_by("Cast", {int_attribute("to", 7)}), "int64 [2, n, 1]");
  EXPECT_EQ(made_by("Shape"), "int64 [3]");
  EXPECT_EQ(made_by("Shape", {int_attribute("start", -2)}), "int64 of unknown rank");
  EXPECT_EQ(made_by("Transpose"), "float32 [1, n, 2]");
  EXPECT_EQ(made_by("Transpose", {ints_attribute("perm", {1, 0, 2})}), "float32 [n, 2, 1]");
  EXPECT_EQ(made_by("Transpose", {ints_attribute("perm", {1, 1, 2})}), "float32 of unknown rank");
  EXPECT_EQ(made_by("Concat", {int_attribute("axis", -1)}, {"x", "z"}), "float32 [2, n, 6]");
  EXPECT_EQ(made_by("Concat", {int_attribute("axis", 1)}, {"x", "x"}), "float32 [2, ?, 1]");
  EXPECT_EQ(made_by("Concat", {int_attribute("axis", 3)}, {"x", "x"}), "float32 of unknown rank");
  EXPECT_EQ(made_by("Reshape", {}, {"full", "to"}), "float32 [2, 4, 3]");
  EXPECT_EQ(made_by("Reshape", {}, {"x", "to"}), "float32 [2, ?, 3]");
  EXPECT_EQ(made_by("Reshape", {}, {"unknown", "to"}), "float32 [?, ?, 3]");
  EXPECT_EQ(made_by("Reshape", {}, {"full", "wrong"}), "float32 of unknown rank");
  EXPECT_EQ(made_by("Reshape", {}, {"full", "y"}), "float32 of unknown rank") << "the shape is not constant";
}

TEST(WholeModel, InfersNothingForUnknownOperators) {
  EXPECT_EQ(made_by("Conv"), "unknown");
  EXPECT_EQ(made_by("Relu", {}, {"x"}, 6), "unknown") << "before opset 7 operators broadcast by attributes";
  const auto own = ModelBuilder(17)
                       .opset_import("own", 1)
                       .input("x", DType::kFloat32, {{2}})
                       .node("Relu", {"x"}, {"y"}, {}, "n", "own");
  EXPECT_EQ(to_string(own.parse()->check().nodes[0].outputs[0]), "unknown");
}

TEST(WholeModel, FindsABadConstantIndexAfterARelu) {
  EXPECT_EQ(behind_relu(std::nullopt).violations(),
            "node 'pick' (Gather-13): indices[1] = 3 is outside [-3, 2] for axis 0 of data with shape [3, 2]");
}

TEST(WholeModel, ReadsShapesOfOtherOperatorsFromValueInfo) {
  EXPECT_EQ(behind_relu(TestShape{4, 2}).violations(), "");
  EXPECT_EQ(behind_relu(TestShape{3, 2}).violations(),
            "node 'pick' (Gather-13): indices[1] = 3 is outside [-3, 2] for axis 0 of data with shape [3, 2]");
  const auto report = behind_relu(TestShape{4, 2}).parse()->check();
  ASSERT_EQ(report.nodes.size(), 2u);
  EXPECT_FALSE(report.nodes[0].checked);
  EXPECT_TRUE(report.nodes[1].checked);
  EXPECT_EQ(to_string(report.nodes[1].outputs[0]), "float32 [2, 2]");
  ASSERT_EQ(report.unchecked.size(), 1u);
  EXPECT_EQ(report.unchecked[0].op_type, "Relu");
  EXPECT_EQ(report.unchecked[0].count, 1);
}

TEST(WholeModel, UsesTheDeclaredShapeOfAGraphOutput) {
  EXPECT_THAT(behind_relu(std::nullopt).output("r", DType::kFloat32, {{3, 2}}).violations(),
              HasSubstr("indices[1] = 3 is outside"));
}

TEST(WholeModel, CountsOtherOperatorsTheMostFrequentFirst) {
  ModelBuilder builder(17);
  builder.input("x", DType::kFloat32, {{2}});
  for (int i = 0; i < 12; ++i) {
    builder.node("Op" + std::to_string(i), {"x"}, {"a" + std::to_string(i)}, {}, "", "local");
  }
  builder.node("Relu", {"x"}, {"b"}).node("Abs", {"x"}, {"c"}).node("Relu", {"x"}, {"d"});
  const auto model = builder.parse();
  EXPECT_EQ(model->check().unchecked.front().op_type, "Relu");
  EXPECT_EQ(model->check().unchecked.front().count, 2);
  EXPECT_THAT(model->runnable().error().message(),
              HasSubstr("15 nodes are not gathers, scatters, Constant or Identity: Relu 2, Abs 1, local.Op0 1, "
                        "local.Op1 1, local.Op10 1, local.Op11 1, local.Op2 1, local.Op3 1, local.Op4 1, "
                        "local.Op5 1, and 4 more operators; "));
}

TEST(WholeModel, RejectsAMisspelledOperator) {
  for (const auto& [wrong, right] :
       {std::pair("ScaterND", "ScatterND"), {"gather", "Gather"}, {"Constnat", "Constant"}}) {
    const auto model =
        ModelBuilder(17).input("x", DType::kInt64, {{3}}).node(wrong, {"x", "x"}, {"y"}, {}, "pick");
    const std::string message = std::string("node 'pick' (") + wrong + "): '" + wrong +
                                "' is not an ONNX operator; did you mean '" + right + "'?";
    EXPECT_EQ(model.violations(), message);
    EXPECT_EQ(model.parse()->runnable().error().message(), message);
  }
  EXPECT_EQ(ModelBuilder(17).node("", {}, {"y"}, {}, "pick").violations(), "node 'pick' (): it has no op_type");
  EXPECT_EQ(ModelBuilder(17).opset_import("local", 1).node("Gathr", {}, {"y"}, {}, "n", "local").violations(), "");
}

TEST(WholeModel, AcceptsSequencesOnlyForOtherOperators) {
  const auto builder = ModelBuilder(17)
                           .sequence_input("s")
                           .input("i", DType::kInt64, {{}})
                           .node("SequenceAt", {"s", "i"}, {"x"}, {}, "at");
  EXPECT_EQ(builder.violations(), "");
  auto gathered = builder;
  EXPECT_EQ(gathered.node("Gather", {"s", "i"}, {"y"}, {}, "pick").violations(),
            "node 'pick' (Gather-13): input 's' is not a dense tensor");
}

// An If whose branches gather from a value of the outer graph.
ModelBuilder with_branches(std::int64_t row) {
  const auto branch = [&](std::int64_t one, const std::string& name) {
    return ModelBuilder(17)
        .initializer(tensor_message<std::int64_t>("row", {one}, {1}))
        .node("Gather", {"x", "row"}, {"y"}, {}, name)
        .output("y", DType::kFloat32, std::nullopt)
        .graph();
  };
  return ModelBuilder(17)
      .input("x", DType::kFloat32, {{3, 2}})
      .input("c", DType::kBool, {{}})
      .node("If", {"c"}, {"z"},
            {graph_attribute("then_branch", branch(0, "")), graph_attribute("else_branch", branch(row, "last"))},
            "if")
      .output("z", DType::kFloat32, std::nullopt);
}

TEST(WholeModel, ChecksGraphsInNodes) {
  EXPECT_EQ(with_branches(2).violations(), "");
  EXPECT_EQ(
      with_branches(3).violations(),
      "else_branch of node 'if' (If): node 'last' (Gather-13): indices[0] = 3 is outside [-3, 2] for axis 0 of "
      "data with shape [3, 2]");
  const auto report = with_branches(2).parse()->check();
  ASSERT_EQ(report.nodes.size(), 3u);
  EXPECT_EQ(report.nodes[1].info.name, "if.then_branch#0");
  EXPECT_EQ(report.nodes[1].info.graph, "then_branch of node 'if' (If)");
  EXPECT_EQ(to_string(report.nodes[2].outputs[0]), "float32 [1, 2]");
}

TEST(WholeModel, ChecksGraphsInGraphsDownToADepth) {
  const auto nested = [](int depth) {
    std::string graph = ModelBuilder(17).node("Gather", {"nobody", "x"}, {"y"}, {}, "deep").graph();
    for (int i = 1; i < depth; ++i) {
      graph = ModelBuilder(17).node("If", {"x"}, {"y"}, {graph_attribute("b", graph)}, "if").graph();
    }
    return ModelBuilder(17)
        .input("x", DType::kBool, {{}})
        .node("If", {"x"}, {"y"}, {graph_attribute("b", graph)}, "if")
        .violations();
  };
  EXPECT_THAT(
      nested(1),
      HasSubstr("b of node 'if' (If): node 'deep' (Gather-13): input 'nobody' is not produced by any node"));
  EXPECT_THAT(nested(64), HasSubstr("input 'nobody' is not produced by any node"));
  EXPECT_LT(nested(64).size(), 1000u);
  EXPECT_EQ(nested(65), "model: not a readable ONNX model: graphs are nested more than 64 levels deep");
}

TEST(WholeModel, ChecksWhatDoesNotDependOnTheCallOfAFunction) {
  const auto model = [](const ModelBuilder& body) {
    return ModelBuilder(18)
        .opset_import("local", 1)
        .input("x", DType::kFloat32, {{3, 2}})
        .node("F", {"x"}, {"y"}, {}, "call", "local")
        .function("local", "F", {"a", "i"}, {"b"}, body);
  };
  const auto scatter = [](const std::string& attribute) {
    return ModelBuilder(18).node("ScatterElements", {"a", "i", "a"}, {"b"}, {attribute}, "scatter");
  };
  EXPECT_EQ(model(scatter(parameter_attribute("axis", "dim"))).violations(), "");
  EXPECT_EQ(model(scatter(string_attribute("reduction", "sum"))).violations().substr(0, 60),
            "function local.F: node 'scatter' (ScatterElements-18): reduc");
  EXPECT_THAT(model(ModelBuilder(18).node("Gather", {"a", "x"}, {"b"}, {}, "g")).violations(),
              HasSubstr("input 'x' is not produced by any node"));
  EXPECT_THAT(
      model(scatter(parameter_attribute("axis", "dim"))).parse()->extract("scatter").error().message(),
      HasSubstr("node 'scatter' is in function local.F; each call of this function sets attributes of the node"));
}

TEST(WholeModel, NeedsTheDefaultDomainOnlyInFunctionsThatUseIt) {
  const auto model = [](const std::string& domain) {
    const auto body = ModelBuilder(0).opset_import("other", 1).node("G", {"a"}, {"b"}, {}, "g", domain);
    return ModelBuilder(18)
        .opset_import("local", 1)
        .input("x", DType::kFloat32, {{3, 2}})
        .node("F", {"x"}, {"y"}, {}, "call", "local")
        .function("local", "F", {"a"}, {"b"}, body)
        .violations();
  };
  EXPECT_EQ(model("other"), "");
  EXPECT_EQ(model(""), "function local.F: opset_import has no entry for the default domain");
}

TEST(ExtractedNode, RunsWithItsConstants) {
  const auto piece = behind_relu(TestShape{4, 2}).parse()->extract("pick").value();
  ASSERT_EQ(piece.inputs().size(), 2u);
  EXPECT_EQ(to_string(piece.inputs()[0]), "float32 [4, 2]");
  EXPECT_TRUE(piece.has_default("rows"));
  const Tensor r = *Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
  const auto picked = piece.run(Inputs{{"r", r}}).value();
  EXPECT_THAT(picked.front().tensor.values<float>(), ::testing::ElementsAre(1, 2, 7, 8));
  const Tensor rows = *Tensor::of<std::int64_t>({1}, {1});
  const auto other = piece.run(Inputs{{"r", r}, {"rows", rows}});
  EXPECT_FALSE(other) << "the constant has two elements";
}

TEST(ExtractedNode, MayBeInASubgraphAndReadOuterConstants) {
  const std::string branch = ModelBuilder(17).node("Gather", {"x", "same"}, {"y"}, {}, "inner").graph();
  const auto model = ModelBuilder(17)
                         .input("x", DType::kFloat32, {{4, 2}})
                         .input("c", DType::kBool, {{}})
                         .node("Constant", {}, {"rows"}, {tensor_attribute("value", kRows)}, "const")
                         .node("Identity", {"rows"}, {"same"}, {}, "id")
                         .node("If", {"c"}, {"z"}, {graph_attribute("then_branch", branch)}, "if")
                         .parse();
  const auto piece = model->extract("inner").value();
  EXPECT_TRUE(piece.has_default("same"));
  EXPECT_EQ(to_string(piece.outputs()[0]), "float32 [2, 2]");
}

TEST(ExtractedNode, OutlivesItsModel) {
  auto model = behind_relu(TestShape{4, 2}).parse();
  auto piece = model->extract("pick");
  model = behind_relu(std::nullopt).parse();
  const Tensor r = *Tensor::zeros(DType::kFloat32, {4, 2});
  EXPECT_TRUE(piece->run(Inputs{{"r", r}}));
}

TEST(ExtractedNode, IsFoundByNameOrPosition) {
  const auto model = behind_relu(std::nullopt).node("Gather", {"x", "rows"}, {"w"}, {}, "pick").parse();
  EXPECT_EQ(model->extract("pick").error().message(),
            "2 nodes are named 'pick'; select one by its position: #1, #2");
  EXPECT_EQ(model->extract("#2")->inputs()[0].name, "x");
  EXPECT_EQ(with_branches(2).parse()->extract("if.then_branch#0")->nodes()[0].op_type, "Gather");
  EXPECT_EQ(with_branches(2).parse()->extract("if.else_branch#0")->nodes()[0].name, "last");
  EXPECT_EQ(model->extract("relu").error().message(), "node 'relu' is Relu; it must be a gather or scatter");
  EXPECT_EQ(model->extract("pcik").error().message(),
            "the model has no node 'pcik'; it has 2 gathers and scatters: #1, #2; did you mean 'pick'?");
  EXPECT_EQ(model->extract("#9").error().message(),
            "the model has no node '#9'; it has 2 gathers and scatters: #1, #2");
}

TEST(ExtractedNode, HasAnAddressThatFindsIt) {
  const auto model = ModelBuilder(17)
                         .input("x", DType::kInt64, {{3}})
                         .node("Gather", {"x", "x"}, {"a"}, {}, "pick")
                         .node("Gather", {"x", "x"}, {"b"}, {}, "pick")
                         .node("Gather", {"x", "x"}, {"c"}, {}, "#1")
                         .node("Gather", {"x", "x"}, {"d"}, {}, "")
                         .node("Gather", {"x", "x"}, {"e"}, {}, "#3")
                         .node("Gather", {"x", "x"}, {"f"}, {}, "last")
                         .parse();
  std::vector<std::string> addresses;
  for (const NodeInfo& node : model->nodes()) {
    addresses.push_back(node.address);
    EXPECT_EQ(model->extract(node.address)->nodes()[0].outputs, node.outputs) << node.address;
  }
  EXPECT_EQ(addresses, (std::vector<std::string>{"#0", "#1", "#2", "#3", "#4", "last"}));
}

TEST(ExtractedNode, NeedsAnOperatorVersion) {
  const auto piece_of = [](std::int64_t opset, const std::string& op) {
    const auto model =
        ModelBuilder(opset).input("x", DType::kInt64, {{3}}).node(op, {"x", "x"}, {"y"}, {}, "pick").parse();
    return model->extract("pick").error().message();
  };
  for (const std::int64_t opset : {0, 99}) {
    EXPECT_EQ(piece_of(opset, "Gather"),
              "node 'pick' is Gather without a known version; the model check explains why");
  }
  EXPECT_THAT(piece_of(8, "GatherND"), HasSubstr("node 'pick' (GatherND): GatherND"));
}

}  // namespace
}  // namespace strew
