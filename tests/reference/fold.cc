#include "reference/fold.h"

#include "reference/combine.h"
#include "reference/narrow.h"

namespace strew::reference {
namespace {

bool widens(DType dtype, const Folding& folding) {
  return folding.acc_dtype == AccDType::kFloat32 && is_narrow(dtype);
}

}  // namespace

bool folding_defined(DType dtype, const Folding& folding) {
  if (folding.acc_dtype == AccDType::kFloat32) {
    if (folding.reduction == Reduction::kNone || (!is_narrow(dtype) && dtype != DType::kFloat32)) return false;
  }
  const DType folded = widens(dtype, folding) ? DType::kFloat32 : dtype;
  if (folding.alpha && (folding.reduction == Reduction::kNone || !reduction_defined(folded, Reduction::kMul))) {
    return false;
  }
  return reduction_defined(folded, folding.reduction);
}

Element fold(DType dtype, const Folding& folding, const Element& data, const std::vector<Element>& updates) {
  if (updates.empty()) return data;
  if (folding.reduction == Reduction::kNone) return updates.back();
  if (widens(dtype, folding)) {
    Folding wide = folding;
    if (folding.alpha) wide.alpha = widened(dtype, *folding.alpha);
    std::vector<Element> wide_updates;
    for (const Element& update : updates) wide_updates.push_back(widened(dtype, update));
    return narrowed(dtype, fold(DType::kFloat32, wide, widened(dtype, data), wide_updates));
  }
  std::vector<Element> terms = updates;
  for (Element& term : terms) {
    if (folding.alpha) term = combine(dtype, Reduction::kMul, term, *folding.alpha);
  }
  if (folding.include_self) terms.insert(terms.begin(), data);
  Element value = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) value = combine(dtype, folding.reduction, value, terms[i]);
  return folding.reduction == Reduction::kMean ? divided(dtype, value, terms.size()) : value;
}

}  // namespace strew::reference
