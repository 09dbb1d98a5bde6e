// What a scatter makes of one element and all updates that reach it.
#pragma once

#include <optional>
#include <vector>

#include "reference/element.h"
#include "strew/dtype.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew::reference {

/// How updates are folded: the parameters of a scatter but for its axis and index rules.
struct Folding {
  Reduction reduction = Reduction::kNone;
  bool include_self = true;
  AccDType acc_dtype = AccDType::kData;
  std::optional<Element> alpha = std::nullopt;
};

/// Whether it is defined for the type.
bool folding_defined(DType dtype, const Folding& folding);

/// The element after its updates, in their order; as it was where there are none.
Element fold(DType dtype, const Folding& folding, const Element& data, const std::vector<Element>& updates);

}  // namespace strew::reference
