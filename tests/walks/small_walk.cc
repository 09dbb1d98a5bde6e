// Records one small call from C++: a run of a plan, or a call of scatter_nd_into, which makes its plan first.
// Usage: small_walk run|scatter_nd PATH
#include <array>
#include <cstdint>
#include <cstring>

#include "strew/ops.h"
#include "strew/plan.h"
#include "strew/run.h"

extern "C" {
void strew_walk_begin();
void strew_walk_end(const char* path);
}

int main(int count, char** arguments) {
  using namespace strew;
  if (count != 3) return 2;
  std::array<float, 32> data{};
  const std::array<float, 16> updates{};
  const std::array<std::int64_t, 4> indices{3, 1, 0, 3};
  const TensorView rows(data, {8, 4});
  const TensorView chosen(indices, {4, 1});
  const TensorView added(updates, {4, 4});
  const MutableTensorView output(data, {8, 4});
  const CallParams params{.reduction = Reduction::kAdd};
  const auto plan = make_plan(params.with_op(OpKind::kScatterND), rows, chosen, added);
  const Operands operands{rows, chosen, added};
  const bool runs = std::strcmp(arguments[1], "run") == 0;
  bool done = true;
  for (int i = 0; i < 2; ++i) {  // the first call creates objects that later calls reuse
    if (i == 1) strew_walk_begin();
    done = done && (runs ? run(*plan, operands, output) : scatter_nd_into(rows, chosen, added, output, params));
  }
  strew_walk_end(arguments[2]);
  return done ? 0 : 1;
}
