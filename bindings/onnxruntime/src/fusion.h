// A gather, what is done to its rows, and the scatter that adds them up, as one node: the pattern in the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "feeders.h"
#include "fills.h"
#include "node.h"
#include "strew/error.h"

namespace strew::ort {

/// What may be done to gathered rows, in this order, each at most once.
enum class RowStep : std::uint8_t { kMul, kAdd, kRelu };
// On Arm ONNX Runtime's Relu makes 0 of -0, but for the last elements, which do not fill a vector.
#ifdef __aarch64__
inline constexpr bool kReluKeepsBits = false;
inline constexpr const char* kRowSteps = "Mul and Add";
#else
inline constexpr bool kReluKeepsBits = true;
inline constexpr const char* kRowSteps = "Mul, Add and Relu";
#endif

/// Gather or GatherND -> Mul -> Add -> Relu -> ScatterElements or ScatterND, those between left out or not, with a
/// Mul that makes an outer product of two operands for them, the Expand of the indices, the Slice or Expand of the
/// updates and the ConstantOfShape or Expand of the base that exporters write. Nobody else reads a value between.
/// Names are of values.
///
/// TorchScript writes index_add as a scatter without a reduction into zeros, and an Add of these to the base: of
/// the rows of a target the last counts.
struct Fusion {
  std::vector<const OrtNode*> nodes;
  /// The nodes of Strew's operators, an Expand and a Slice among them: there must be kernels for them.
  std::vector<Node> kernels;

  struct Step {
    RowStep what;
    std::string other;  ///< the second operand; empty for kRelu
    std::string times;  ///< not empty: the second operand is the product of `other` and this
  };
  std::vector<Step> steps;
  std::string data;
  std::string gather_index;
  bool by_tuples = false;      ///< GatherND: the indices are [E, 1]
  std::string base;            ///< empty where it is made in the node
  std::string base_shape;      ///< what holds its shape then
  std::int64_t base_rank = 0;  ///< as in Filled
  std::optional<Scalar> fill;  ///< what the base is all over, if the graph says so
  std::string indices;         ///< of the scatter; the input of the Expand where that is in it
  bool by_elements = false;    ///< ScatterElements
  std::string reduction;
  bool last_only = false;  ///< index_add as above
  bool has_slice = false;
  std::string rows_shape;  ///< what the rows are expanded to before they are scattered; empty: to nothing else
  bool has_expand = false;
  std::string expand_shape;         ///< what the indices are expanded to; empty: to the shape of the rows
  std::size_t expand_to_step = 0;   ///< of the rows after so many steps; one more: of what they are expanded to
  const OrtValueInfo* index_value;  ///< the scatter's indices as the graph has them, valid as long as that
};

/// The pattern that ends in this scatter, if it is one that the fused kernel can be expected to do; else the
/// reason why not, which is empty for a node that is no scatter. `taken` says whether Strew may take a node of its
/// own operators.
tl::expected<Fusion, std::string> find_fusion(const Api& api, const Node& scatter, const Claims& taken);

/// The same in a graph of the nodes that were chosen by it.
std::optional<Fusion> chosen_fusion(const Api& api, const Node& scatter);

}  // namespace strew::ort
