#include "device_call.h"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "call.h"
#include "operand.h"

namespace strew::python {
namespace {

constexpr std::int64_t kWorkspaceAlignment = 256;

// True if an operand was converted from a sequence or a scalar, which belong to no device.
bool is_placeless(const Operand& operand) {
  return operand.descr.is_valid() && !operand.is_foreign && PyArray_Check(operand.given.ptr()) == 0;
}

// Returns a DeviceView of a TensorView, or a MutableDeviceView of a MutableTensorView.
template <class View>
auto device_view(const View& view) {
  using Device = std::conditional_t<std::is_same_v<View, TensorView>, cuda::DeviceView, cuda::MutableDeviceView>;
  if (view.dense()) return Device(view.data(), view.dtype(), view.shape());
  return Device(view.data(), view.dtype(), view.shape(), view.strides());
}

class DeviceCall {
 public:
  DeviceCall(const CallOperands& given, const Plan& plan) : given_(given), plan_(plan) {
    brought_.reserve(2);
    const auto operands = given.named();
    indices_ = placed(operands[1]);
    updates_ = placed(operands[2]);
    library_ = &cuda_door(std::string(given.op()) + ": " + given.data_name() + " is " +
                          describe_place(given.data) + "; ");
    set_options();
  }

  nb::object run() {
    if (given_.checked != nullptr) options_.checked_indices = &*given_.checked->on_device;
    Output result = output();
    const cuda::Operands views = operands();
    const cuda::MutableDeviceView target = device_view(result.view());
    const std::int64_t scratch = unwrap(library_->explain(device(), plan_, views, target, options_)).scratch_bytes;
    if (deferred_ != nullptr) deferred_->check(false);
    nb::object workspace = take_workspace(scratch);
    follow_operands();
    if (deferred_ == nullptr) {
      unwrap(without_lock(true, [&] { return library_->run(device(), plan_, views, target, options_); }));
    } else {
      enqueue(views, result, std::move(workspace));
    }
    return result.take(given_.op(), given_.data, updates_, plan_.reduction());
  }

  nb::dict explain() {
    if (given_.checked != nullptr) options_.checked_indices = &*given_.checked->on_device;
    const Output result = output();
    const cuda::Explanation said =
        unwrap(library_->explain(device(), plan_, operands(), device_view(result.view()), options_));
    std::string call = given_.op();
    const char* before = ": ";
    for (const auto& [name, operand] : given_.named()) {
      if (operand == nullptr) continue;
      call.append(std::exchange(before, ", ")).append(operand == &given_.data ? "" : std::string(name) + " ");
      call.append(describe_type(*operand) + " " + to_string(operand->shape()));
    }
    nb::list considered;
    for (const std::string& one : said.considered) considered.append(str_of(one));
    nb::dict all;
    all["call"] = str_of(call);
    all["device"] = str_of(describe_place(given_.data).substr(3));
    all["strategy"] = str_of(library_->device_strategy_name(said.strategy));
    all["reason"] = str_of(said.reason);
    all["scratch_bytes"] = said.scratch_bytes;
    all["considered"] = considered;
    all["uses_checked_indices"] = said.uses_checked_indices;
    return all;
  }

  CheckedIndices check() {
    const Unchanged unchanged = all_unchanged(given_);
    follow_operands();
    const cuda::DeviceView view = device_view(indices_->view(unchanged));
    auto checked =
        unwrap(without_lock(true, [&] { return library_->check_indices(device(), plan_, view, options_); }));
    return CheckedIndices{*indices_, std::nullopt, std::move(checked), indexed_axis_sizes(plan_)};
  }

 private:
  const Operand* placed(const NamedOperand& one) {
    if (one.operand == nullptr) return nullptr;
    const Operand& data = given_.data;
    if (!one.operand->on_device() && data.on_device() && !is_checked(one.operand) && is_placeless(*one.operand)) {
      return &brought_.emplace_back(to_device(given_.op(), one.name, *one.operand, data));
    }
    check_one_place(given_.op(), one.name, *one.operand, data);
    return one.operand;
  }

  std::vector<const Operand*> all() const {
    std::vector<const Operand*> operands{&given_.data};
    if (indices_ != nullptr) operands.push_back(indices_);
    if (updates_ != nullptr) operands.push_back(updates_);
    return operands;
  }

  cuda::Operands operands() const {
    const Unchanged unchanged = all_unchanged(given_);
    cuda::Operands operands{device_view(given_.data.view(unchanged))};
    if (indices_ != nullptr) operands.indices.emplace(device_view(indices_->view(unchanged)));
    if (updates_ != nullptr) operands.updates.emplace(device_view(updates_->view(unchanged)));
    return operands;
  }

  void set_options() {
    const Operand& data = given_.data;
    options_.reject_duplicates = given_.rejects_duplicates;
    options_.stream = data.buffer.stream;
    // If data's array library reports no stream, the call waits for the device: later work of that library would
    // not wait for the call.
    if (data.buffer.knows_stream) deferred_ = current_deferred_errors();
    options_.limits.scratch_bytes = scratch_limit();
    options_.output_is_new = given_.out.is_none();
  }

  Output output() { return Output::of(given_.op(), given_.out, given_.data, plan_.output_shape()); }

  // Allocates the workspace with data's array library. If that library cannot, CUDA allocates it during the call.
  nb::object take_workspace(std::int64_t bytes) {
    if (bytes == 0) return {};
    auto [owner, address] = new_device_memory(given_.op(), given_.data, bytes + kWorkspaceAlignment - 1);
    if (address == nullptr) return {};
    const auto number = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
    const std::int64_t skipped = (kWorkspaceAlignment - number % kWorkspaceAlignment) % kWorkspaceAlignment;
    options_.workspace = static_cast<char*>(address) + skipped;
    options_.workspace_bytes = bytes;
    return std::move(owner);
  }

  // Makes the call's stream wait for operands that are computed in other streams. Checked indices need no wait.
  void follow_operands() const {
    for (const Operand* operand : all()) {
      if (operand->buffer.stream == options_.stream || is_checked(operand)) continue;
      unwrap(library_->follow(device(), options_.stream, operand->buffer.stream));
    }
  }

  void enqueue(const cuda::Operands& operands, const Output& output, nb::object workspace) {
    const cuda::MutableDeviceView target = device_view(output.view());
    cuda::Ticket ticket = unwrap(library_->enqueue(device(), plan_, operands, target, options_));
    std::vector<nb::object> kept{std::move(workspace), nb::borrow(output.array())};
    for (const Operand* operand : all()) {
      kept.push_back(operand->owner);
      if (is_checked(operand)) kept.push_back(nb::borrow(operand->given));
    }
    deferred_->add(std::move(ticket), std::move(kept));
  }

  bool is_checked(const Operand* operand) const noexcept {
    return given_.checked != nullptr && operand == &*given_.indices;
  }
  int device() const noexcept { return given_.data.buffer.device; }

  const CallOperands& given_;
  const Plan& plan_;
  std::vector<Operand> brought_;  // never reallocated, since pointers refer to its elements
  const Operand* indices_ = nullptr;
  const Operand* updates_ = nullptr;
  const cuda::Door* library_ = nullptr;
  DeferredErrors* deferred_ = nullptr;
  cuda::DeviceOptions options_;
};

}  // namespace

nb::object run_on_device(const CallOperands& given, const Plan& plan) { return DeviceCall(given, plan).run(); }

nb::dict explain_on_device(const CallOperands& given, const Plan& plan) {
  return DeviceCall(given, plan).explain();
}

CheckedIndices check_on_device(const CallOperands& given, const Plan& plan) {
  return DeviceCall(given, plan).check();
}

}  // namespace strew::python
