// Finds a gather, operations on its rows, and a scatter that reduces them, to run as one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "claims.h"
#include "facts.h"
#include "node.h"
#include "strew/error.h"

namespace strew::ort {

/// Operations on gathered rows, in this order, each at most once.
enum class RowStep : std::uint8_t { kMul, kAdd, kRelu };
// On Arm, ONNX Runtime's Relu turns -0 into 0, except in the last elements, which do not fill a vector.
#ifdef __aarch64__
inline constexpr bool kReluKeepsBits = false;
inline constexpr const char* kRowSteps = "Mul and Add";
#else
inline constexpr bool kReluKeepsBits = true;
inline constexpr const char* kRowSteps = "Mul, Add and Relu";
#endif

/// The pattern Gather or GatherND -> Mul -> Add -> Relu -> ScatterElements or ScatterND; Mul, Add and Relu are
/// optional. The pattern includes nodes that exporters add: a Mul that computes an operand of the Mul or Add as an
/// outer product, the Expand of the indices, the Slice or Expand of the updates, and the ConstantOfShape or Expand
/// of the base. No other node reads intermediate values. Strings are names of values, except for `reduction`.
/// TorchScript exports index_add as a scatter into zeros without a reduction, and an Add of the result to the
/// base. Then only the last row of each target counts.
struct Fusion {
  std::vector<const OrtNode*> nodes;
  /// The nodes that need kernels: Strew's operators, the Expand of the indices and the Slice.
  std::vector<Node> kernels;

  struct Step {
    RowStep what;
    std::string other;  ///< second operand; empty for kRelu
    std::string times;  ///< if not empty, the second operand is the product of `other` and this value
  };
  std::vector<Step> steps;
  std::string data;
  std::string gather_index;
  bool by_tuples = false;      ///< GatherND with indices [E, 1]
  std::string base;            ///< empty if the fused node produces the base
  std::string base_shape;      ///< value that holds the shape of such a base
  std::int64_t base_rank = 0;  ///< Filled::rank of such a base
  std::optional<Scalar> fill;  ///< value of all elements of the base, if the graph proves it
  std::string indices;         ///< the input of the Expand if `has_expand`, else the indices of the scatter
  bool by_elements = false;    ///< ScatterElements
  std::string reduction;
  bool last_only = false;  ///< index_add, as described above
  bool has_slice = false;
  std::string rows_shape;  ///< shape to which rows are expanded before the scatter; empty: no expansion
  bool has_expand = false;
  std::string expand_shape;         ///< shape of expanded indices; empty: shape of rows after expand_to_step steps
  std::size_t expand_to_step = 0;   ///< see expand_shape; an Expand of the rows counts as a step
  const OrtValueInfo* index_value;  ///< the scatter's indices in the graph; valid while the graph exists
};

/// Returns the pattern that ends in this scatter if the fused kernel can probably run it, else the reason why not.
/// The reason is empty if the node is not a scatter. `taken` is nullptr if the pattern's nodes were already
/// claimed.
tl::expected<Fusion, std::string> find_fusion(const Api& api, const Node& scatter, const Claims* taken);

}  // namespace strew::ort
