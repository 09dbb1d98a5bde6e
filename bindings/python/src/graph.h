// Reads the operands of calls that make or use edges.
#pragma once

#include <cstdint>
#include <memory>

#include "call.h"
#include "operator_call.h"
#include "strew/edges.h"

namespace strew::python {

/// Reads operands. Raises TypeError if the library would see the elements as bytes or addresses, and
/// NotImplementedError for CUDA memory.
class EdgeOperands : public OperandReader {
 public:
  explicit EdgeOperands(const char* function) noexcept : OperandReader(function), function_(function) {}

  const Operand& read_index(const char* name, nb::handle object);
  const Operand& read_rows(const char* name, nb::handle object);
  /// Returns nullptr for None.
  const Operand* read_term(const char* name, nb::handle object, const Operand& data);

 private:
  const char* function_;
};

void check_on_cpu(const char* function, const char* name, const Operand& operand);
IndexRules index_rules(const char* function, nb::handle out_of_bounds, nb::handle negative_indices);

/// Makes the edges of segments from their bounds.
Result<Edges> read_segments(EdgeOperands& operands, nb::handle row_start);

/// Calls work(options): without the GIL and on all threads if there are many elements, else on the calling thread.
template <class Work>
auto run_for(std::int64_t elements, const Work& work) {
  const bool release = is_long(elements);
  const std::shared_ptr<Executor> executor = release ? current_executor() : nullptr;
  const Options options{.executor = release ? executor.get() : &calling_thread};
  return without_lock(release, [&] { return work(options); });
}

}  // namespace strew::python
