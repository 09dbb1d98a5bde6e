// Folds all updates of one element of a scatter.
#pragma once

#include <optional>
#include <vector>

#include "reference/element.h"
#include "strew/dtype.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew::reference {

/// The parameters of a scatter, except its axis and index rules.
struct Folding {
  Reduction reduction = Reduction::kNone;
  bool include_self = true;
  AccDType acc_dtype = AccDType::kData;
  std::optional<Element> alpha = std::nullopt;
};

bool folding_defined(DType dtype, const Folding& folding);

/// Returns the element after its updates, in their order. Without updates it is unchanged.
Element fold(DType dtype, const Folding& folding, const Element& data, const std::vector<Element>& updates);

}  // namespace strew::reference
