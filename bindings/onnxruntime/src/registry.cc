// The kernels as ONNX Runtime's registry wants them: one entry per operator version.
#include "registry.h"

#include <vector>

#include "dtypes.h"
#include "kernel.h"
#include "strew/operators.h"

namespace strew::ort {
namespace {

std::vector<const OrtDataType*> data_types(const Api& api, const OperatorVersion& version) {
  std::vector<const OrtDataType*> types;
  for (const DType dtype : version.types) {
    const OrtDataType* type = nullptr;
    OrtStatus* status = api.ep.GetTensorDataType(element_type_of(dtype), &type);
    if (status == nullptr) {
      types.push_back(type);
    } else {  // a type that this ONNX Runtime does not have
      api.ort.ReleaseStatus(status);
    }
  }
  return types;
}

Owned<OrtKernelDef> make_definition(const Api& api, const OperatorVersion& version) {
  OrtKernelDefBuilder* builder = nullptr;
  check(api.ep.CreateKernelDefBuilder(&builder));
  const Owned<OrtKernelDefBuilder> owner(builder, api.ep.ReleaseKernelDefBuilder);
  check(api.ep.KernelDefBuilder_SetOperatorType(builder, std::string(version.op_type).c_str()));
  check(api.ep.KernelDefBuilder_SetDomain(builder, ""));
  // ONNX Runtime matches the since_version of the node's own schema, not the model's opset.
  const int since_version = static_cast<int>(version.since_version);
  check(api.ep.KernelDefBuilder_SetSinceVersion(builder, since_version, since_version));
  check(api.ep.KernelDefBuilder_SetExecutionProvider(builder, kEpName));
  const std::vector<const OrtDataType*> types = data_types(api, version);
  check(api.ep.KernelDefBuilder_AddTypeConstraint(builder, "T", types.data(), types.size()));
  if (version.op_type.find("Scatter") != std::string_view::npos) {
    const int data = 0;
    const int output = 0;
    check(api.ep.KernelDefBuilder_AddInputOutputMutableAliases(builder, &data, &output, 1));
  }
  OrtKernelDef* definition = nullptr;
  check(api.ep.KernelDefBuilder_Build(builder, &definition));
  return {definition, api.ep.ReleaseKernelDef};
}

}  // namespace

Owned<OrtKernelRegistry> make_registry(const Api& api) {
  OrtKernelRegistry* made = nullptr;
  check(api.ep.CreateKernelRegistry(&made));
  Owned<OrtKernelRegistry> registry(made, api.ep.ReleaseKernelRegistry);
  for (const OperatorVersion& version : operator_versions()) {
    if (version.deprecated) continue;
    const Owned<OrtKernelDef> definition = make_definition(api, version);
    check(
        api.ep.KernelRegistry_AddKernel(registry.get(), definition.get(), create_kernel, const_cast<Api*>(&api)));
  }
  return registry;
}

}  // namespace strew::ort
