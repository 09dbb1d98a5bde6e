// Answers JSON requests from the page with JSON, through the library's public functions.
#include "bridge.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report_json.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor_file.h"

namespace strew::page {
namespace {

using app::error_json;

// Maximum number of elements in a tensor whose elements are returned.
constexpr std::int64_t kMaxListed = 4096;

Json failure(const Error& error) { return {{"error", error_json(error)}}; }

// A call as requested by the page.
struct Call {
  const OperatorVersion* op = nullptr;
  CallParams params;
  NodeAttributes attributes;  // ONNX attributes
  bool is_node = true;        // false if the call uses anything beyond ONNX
  std::vector<std::optional<Tensor>> inputs;
  std::vector<Tensor> elements;  // fill_value, alpha

  std::optional<TensorView> view(std::size_t i) const {
    if (i >= inputs.size() || !inputs[i]) return std::nullopt;
    return inputs[i]->view();
  }
};

// Sets an attribute to an integer or a string. A string may hold an element, such as alpha, as text.
Status set(Call& call, const std::string& name, const Json& value) {
  if (const AttributeInfo* standard = find(call.op->attributes, name); !value.is_string()) {
    call.attributes.ints.emplace_back(name, value.get<std::int64_t>());
    return standard == nullptr ? Status() : set_attribute(call.params, name, value.get<std::int64_t>());
  }
  const auto& word = value.get_ref<const std::string&>();
  const AttributeInfo* own = find(operator_info(call.op->op).own, name);
  if (own == nullptr) {
    call.attributes.strings.emplace_back(name, word);
    const AttributeInfo* standard = find(call.op->attributes, name);
    const AttributeInfo* known = find(operator_info(call.op->op).attributes, name);
    if (standard == nullptr || std::ranges::count(known->legal_strings, word) == 0)
      return {};  // run_node reports the error
    call.is_node = call.is_node && std::ranges::count(standard->legal_strings, word) != 0;
    return set_attribute(call.params, name, std::string_view(word));
  }
  switch (own->type) {
    case AttributeType::kInt:
    case AttributeType::kString:
      call.is_node = call.is_node && word == own->default_string;
      return set_attribute(call.params, name, std::string_view(word));
    case AttributeType::kBool:
      call.is_node = call.is_node && word != "false";
      return set_attribute(call.params, name, word != "false" ? 1 : 0);
    case AttributeType::kElement:
      break;
  }
  if (word.empty() || !call.view(0)) return {};
  const Json element = {
      {"dtype", dtype_name(call.view(0)->dtype())}, {"shape", Json::array()}, {"values", Json::array({word})}};
  auto tensor = tensor_from_json(name, element);
  if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
  call.is_node = false;
  call.elements.push_back(std::move(*tensor));
  return set_attribute(call.params, name, call.elements.back().view());
}

Result<Call> read_call(const Json& request) {
  Call call;
  auto op = find_operator(request.at("operator").get<std::string>(), request.at("version").get<std::int64_t>());
  if (!op) return tl::unexpected<Error>(std::move(op).error());
  call.op = *op;
  call.params.op = call.op->op;
  const Json& inputs = request.at("inputs");
  for (std::size_t i = 0; i < inputs.size() && i < call.op->inputs.size(); ++i) {
    if (inputs[i].is_null()) {
      call.inputs.emplace_back();
      continue;
    }
    const InputInfo& input = call.op->inputs[i];
    auto tensor = tensor_from_json(input.name, inputs[i]);
    if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
    call.is_node = call.is_node && in_onnx(call.op->op_type, tensor->dtype(), input.is_index());
    call.inputs.emplace_back(std::move(*tensor));
  }
  for (const auto& [name, value] : request.at("attributes").items()) {
    if (const Status done = set(call, name, value); !done) return tl::unexpected<Error>(done.error());
  }
  return call;
}

// Calls `work` with pointers to the views of the operator's inputs. The pointer of an omitted input is nullptr.
template <class Work>
auto with_inputs(const Call& call, const Work& work) {
  std::vector<std::optional<TensorView>> views;
  for (std::size_t i = 0; i < call.op->inputs.size(); ++i) views.push_back(call.view(i));
  std::vector<const TensorView*> inputs;
  inputs.reserve(views.size());
  for (const auto& view : views) inputs.push_back(view ? &*view : nullptr);
  return work(inputs);
}

Operands make_operands(const Call& call) {
  return with_inputs(call, [&](const auto& inputs) { return strew::operands_of(call.op->op, inputs); });
}

Result<Plan> plan_call(const Call& call, const Operands& operands) {
  return make_plan(call.params, operands.data, operands.indices, operands.updates);
}

bool has_all_inputs(const Call& call) {
  for (std::size_t i = 0; i < call.op->inputs.size(); ++i) {
    if (!call.op->inputs[i].optional && !call.view(i)) return false;
  }
  return true;
}

Result<Tensor> compute_result(const Call& call) {
  if (!call.is_node && has_all_inputs(call)) {
    const Operands operands = make_operands(call);
    const auto plan = plan_call(call, operands);
    if (!plan) return tl::unexpected<Error>(plan.error());
    auto output = Tensor::uninitialized(plan->dtype(), plan->output_shape());
    if (!output) return output;
    if (const auto done = run(*plan, operands, output->mutable_view()); !done) {
      return tl::unexpected<Error>(done.error());
    }
    return output;
  }
  return with_inputs(call, [&](const auto& inputs) { return run_node(*call.op, inputs, call.attributes); });
}

// Returns the output of a call or an error and, if no required input is missing, a picture of the call.
Json run_call(const Json& request) {
  const auto call = read_call(request);
  if (!call) return failure(call.error());
  const auto output = compute_result(*call);
  Json answer = output ? Json{{"output", tensor_to_json(*output, kMaxListed)}} : failure(output.error());
  if (!has_all_inputs(*call)) return answer;

  const Operands operands = make_operands(*call);
  const Result<Plan> plan = output ? plan_call(*call, operands) : tl::unexpected<Error>(output.error());
  const std::string title = std::string(call->op->op_type) + "-" + std::to_string(call->op->since_version);
  PictureOptions options{.title = title};
  if (request.contains("applied")) options.applied = request.at("applied").get<std::int64_t>();
  answer["svg"] = draw(call->op->op, plan, operands, options);
  if (!output) return answer;
  if (const auto arrows = trace(*plan, operands, 0)) answer["arrows"] = arrows->count;
  return answer;
}

// Returns the output of `strew check --json` for the model.
Json check(const std::string& name, std::span<const std::byte> bytes) {
  const auto model = Model::parse(bytes);
  if (!model) return failure(model.error());
  return app::report_json(name, *model, model->check());
}

// Returns the tensor in a .npy file or a TensorProto.
Json read_tensor(const std::string& name, std::span<const std::byte> bytes) {
  const auto npy = [&]() -> Result<NamedTensor> {
    auto tensor = parse_npy(bytes);
    if (!tensor) return tl::unexpected<Error>(std::move(tensor).error());
    return NamedTensor{"", std::move(*tensor)};
  };
  const auto named = name.ends_with(".npy") ? npy() : parse_tensor_pb(bytes);
  if (!named) return failure(named.error());
  return {{"name", named->name}, {"tensor", tensor_to_json(named->tensor, kMaxListed)}};
}

Json answer_to(const Json& request, std::span<const std::byte> bytes) {
  const auto what = request.at("do").get<std::string>();
  if (what == "catalogue") return catalogue();
  if (what == "run") return run_call(request);
  if (what == "check") return check(request.at("name").get<std::string>(), bytes);
  if (what == "tensor") return read_tensor(request.at("name").get<std::string>(), bytes);
  return failure({ErrorCode::kInvalidArgument, "unknown request '" + one_line(what) + "'"});
}

}  // namespace

std::string answer_to(const char* request, std::span<const std::byte> bytes) {
  return answer_to(Json::parse(request), bytes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string fault(const char* what) {
  Json answer = failure({ErrorCode::kUnsupported, what});
  answer["error"]["code"] = "fault";
  answer["restart"] = true;
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace strew::page
