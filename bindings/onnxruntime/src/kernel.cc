// The kernel of a node: makes a plan, unless an earlier one fits the shapes, and writes to ONNX Runtime's output.
#include "kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>

#include "executor.h"
#include "strew/checked_indices.h"
#include "tensors.h"

namespace strew::ort {
namespace {

// State kept from one run to the next.
struct Prepared {
  Plan plan;
  std::optional<Result<CheckedIndices>> indices;  // set for constant indices
};

// Lets one run at a time use the kept state.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& taken)
      : taken_(taken), mine_(!taken.exchange(true, std::memory_order_acquire)) {}
  ~Turn() {
    if (mine_) taken_.store(false, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool mine() const { return mine_; }

 private:
  std::atomic<bool>& taken_;
  const bool mine_;
};

struct Kernel : NodeKernel {
  Kernel(Provider& made_by, const OrtKernelInfo* info)
      : NodeKernel(made_by),
        threads(made_by.options.threads),
        inputs(input_count(api, info)),
        params(read_params(api, info)),
        repeated_values(made_by.repeated_values),
        indices_from(inputs > 1 ? repeated_values.find_original(input_name(api, info, 1)) : Original{}) {
    const bool by_elements = params.op == OpKind::kScatterElements || params.op == OpKind::kGatherElements;
    if (by_elements) {
      repeated = made_by.repeated_values.reader_made(indices_from.name);
      whole_updates = inputs > 2 && made_by.whole_updates.contains(input_name(api, info, 2));
    }
    if (params.op == OpKind::kTensorScatter) return;
    const OrtValue* constant = constant_input(api, info, 1);
    if (constant == nullptr) return;
    constant_indices = read_tensor(api, constant);
    if (by_elements) {
      repeated = repeated_axes(*constant_indices);
      indices_from = {};
    }
    prepare_ahead(info);
  }

  void compute(OrtKernelContext* context) override {
    Inputs tensors{read_tensor(api, input_value(api, context, 0)),
                   constant_indices ? *constant_indices : read_tensor(api, input_value(api, context, 1)),
                   {}};
    if (inputs > 2) {
      const OrtValue* third = input_value(api, context, 2);
      if (third != nullptr) tensors.third = read_tensor(api, third);
    }
    std::vector<std::int64_t> cut_dims;
    if (whole_updates) tensors.third = cut_updates(*tensors.third, tensors.second.dims, cut_dims);
    const Turn turn(kept_in_use);
    if (!turn.mine()) return run_prepared({unwrap(make_plan(params, tensors)), {}}, tensors, context);
    if (!kept || !fits(kept->plan, tensors)) prepare(tensors);
    run_prepared(*kept, tensors, context);
  }

  void prepare(const Inputs& tensors) {
    Plan plan = unwrap(make_plan(params, tensors));
    if (!constant_indices) {
      kept.emplace(Prepared{std::move(plan), {}});
      return;
    }
    const TensorView indices = without_repetition(*constant_indices, repeated);
    if (kept && *kept->indices && (*kept->indices)->applies_to(plan, indices)) {
      kept->plan = std::move(plan);  // the indexed axes of data have the same lengths as before
      return;
    }
    auto checked = check_indices(plan, indices, {.executor = &serial_executor()});
    kept.emplace(Prepared{std::move(plan), std::move(checked)});
  }

  // Prepares for the declared shapes if all dimensions are static. Leaves errors to Compute.
  void prepare_ahead(const OrtKernelInfo* info) {
    std::array<ValueType, 3> types;
    for (std::size_t i = 0; i < inputs; ++i) {
      types[i] = input_type(api, info, i);
      if (!types[i].dtype || !types[i].dims || std::ranges::any_of(*types[i].dims, [](auto d) { return d < 0; }))
        return;
    }
    const auto tensor = [&](std::size_t i) { return Tensor{nullptr, *types[i].dtype, *types[i].dims}; };
    Inputs tensors{tensor(0), *constant_indices, {}};
    if (inputs > 2) tensors.third = tensor(2);
    try {
      prepare(tensors);
    } catch (const Refusal&) {  // the run reports the same error
    }
  }

  // Throws if the indices come from an If and do not have the declared rank: then they are not a copy
  // of the indices that are known to repeat.
  void check_copy(const Plan& plan, const Tensor& indices) const {
    if (!indices_from.rank || *indices_from.rank == indices.dims.size()) return;
    throw Refusal{ORT_INVALID_ARGUMENT,
                  std::string(op_name(plan.op())) + ": indices have shape " + to_string(Shape(indices.dims)) +
                      ", but the model declares that they have " + std::to_string(*indices_from.rank) + " axes"};
  }

  void run_prepared(const Prepared& prepared, const Inputs& tensors, OrtKernelContext* context) const {
    if (prepared.indices && !*prepared.indices) refuse(prepared.indices->error());
    const Plan& plan = prepared.plan;
    const Shape& shape = plan.output_shape();
    OrtValue* const output = output_value(api, context, shape);

    const bool checked = constant_indices || (repeated > 0 && repeated_values.is_written_here(indices_from.name));
    const std::int64_t along = checked ? repeated : 0;
    const bool dense = along == 0 && (!tensors.third || tensors.third->cut_from.empty());
    if (along > 0) check_copy(plan, tensors.second);
    SessionThreads executor(api, context, threads);
    const Options options{.executor = &executor,
                          .promises = {.checked_indices = prepared.indices ? &**prepared.indices : nullptr}};
    if (plan.dtype() == DType::kString) {
      run_strings(plan, operands_of(plan, tensors, along), context, output, options);
    } else {
      void* const address = address_of(api, output);
      if (dense) {
        unwrap(run_dense(plan, addresses_of(plan, tensors), address, options));
      } else {
        const MutableTensorView result(address, plan.dtype(), shape);
        unwrap(run(plan, operands_of(plan, tensors, along), result, options));
      }
    }
    executor.check_complete();
  }

  void run_strings(const Plan& plan, Operands operands, OrtKernelContext* context, OrtValue* output,
                   const Options& options) const {
    const std::vector<std::string> data = read_strings(api, input_value(api, context, 0));
    std::vector<std::string> updates;
    std::vector<std::string> result(static_cast<std::size_t>(element_count(plan.output_shape())));
    operands.data = TensorView(data, plan.data().shape);
    if (plan.op() == OpKind::kTensorScatter) {
      updates = read_strings(api, input_value(api, context, 1));
      operands.updates.emplace(updates, plan.position_shape());
    }
    unwrap(run(plan, operands, MutableTensorView(result, plan.output_shape()), options));
    write_strings(api, result, output);
  }

  const int threads;
  const std::size_t inputs;
  const CallParams params;
  /// The node's indices if they are the same in every run.
  std::optional<Tensor> constant_indices;
  /// Number of trailing axes along which indices repeat; used if they are constant or a Strew kernel writes them.
  std::int64_t repeated = 0;
  const RepeatedValues& repeated_values;
  Original indices_from;
  /// True if a claimed Slice returns the updates uncut; this kernel then cuts them to the shape of the indices.
  bool whole_updates = false;
  /// Used by the run that holds the Turn; concurrent runs make their own plans.
  std::optional<Prepared> kept;
  std::atomic<bool> kept_in_use = false;
};

}  // namespace

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  return create<Kernel>(state, info, kernel);
}

}  // namespace strew::ort
