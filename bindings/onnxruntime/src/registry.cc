#include <span>
#include <vector>

#include "kernel.h"
#include "strew/operators.h"
#include "tensors.h"

namespace strew::ort {
namespace {

using DataTypes = std::vector<const OrtDataType*>;

DataTypes data_types(const Api& api, std::span<const DType> dtypes) {
  DataTypes types;
  for (const DType dtype : dtypes) {
    const OrtDataType* type = nullptr;
    OrtStatus* status = api.ep.GetTensorDataType(element_type_of(dtype), &type);
    if (status == nullptr) {
      types.push_back(type);
    } else {  // a type that this version of ONNX Runtime does not have
      api.ort.ReleaseStatus(status);
    }
  }
  return types;
}

// How the output uses the memory of input 0.
enum class Memory {
  kOwn,
  kWritten,  ///< may use it; the kernel writes the output in either case
  kShared,   ///< should use it, and is then complete; in other memory, the kernel copies input 0 to it
};

struct Definition {
  std::string op_type;
  int since_version;
  std::span<const DType> dtypes;
  Memory output;
  OrtKernelCreateFunc create;
};

Owned<OrtKernelDef> make_definition(const Api& api, const Definition& definition) {
  auto* const builder = fetch<OrtKernelDefBuilder*>(api.ep.CreateKernelDefBuilder);
  const Owned<OrtKernelDefBuilder> owner(builder, api.ep.ReleaseKernelDefBuilder);
  check(api.ep.KernelDefBuilder_SetOperatorType(builder, definition.op_type.c_str()));
  check(api.ep.KernelDefBuilder_SetDomain(builder, ""));
  // ONNX Runtime compares these versions with the since_version of the node's schema, not with the model's opset.
  check(api.ep.KernelDefBuilder_SetSinceVersion(builder, definition.since_version, definition.since_version));
  check(api.ep.KernelDefBuilder_SetExecutionProvider(builder, kEpName));
  const DataTypes types = data_types(api, definition.dtypes);
  check(api.ep.KernelDefBuilder_AddTypeConstraint(builder, "T", types.data(), types.size()));
  const int data = 0;
  const int output = 0;
  if (definition.output == Memory::kWritten) {
    check(api.ep.KernelDefBuilder_AddInputOutputMutableAliases(builder, &data, &output, 1));
  } else if (definition.output == Memory::kShared) {
    check(api.ep.KernelDefBuilder_AddInputOutputAliases(builder, &data, &output, 1));
  }
  return {fetch<OrtKernelDef*>(api.ep.KernelDefBuilder_Build, builder), api.ep.ReleaseKernelDef};
}

void add_kernel(const Api& api, OrtKernelRegistry* registry, const Definition& definition) {
  const Owned<OrtKernelDef> kernel = make_definition(api, definition);
  check(api.ep.KernelRegistry_AddKernel(registry, kernel.get(), definition.create, const_cast<Api*>(&api)));
}

}  // namespace

Owned<OrtKernelRegistry> make_registry(const Api& api) {
  Owned<OrtKernelRegistry> registry(fetch<OrtKernelRegistry*>(api.ep.CreateKernelRegistry),
                                    api.ep.ReleaseKernelRegistry);
  for (const OperatorVersion& version : operator_versions()) {
    if (version.deprecated) continue;
    const bool is_scatter = version.op_type.find("Scatter") != std::string_view::npos;
    add_kernel(api, registry.get(),
               {std::string(version.op_type), static_cast<int>(version.since_version), version.types,
                is_scatter ? Memory::kWritten : Memory::kOwn, create_kernel});
  }
  const DType index_types[] = {DType::kInt32, DType::kInt64};
  for (const int version : {8, 13}) {  // Expand is for indices only, Slice for updates only
    add_kernel(api, registry.get(), {"Expand", version, index_types, Memory::kOwn, create_expand_kernel});
  }
  const Result<const OperatorVersion*> scatter = find_operator("ScatterElements", kNewestOpset);
  for (const int version : {11, 13}) {
    add_kernel(api, registry.get(), {"Slice", version, (*scatter)->types, Memory::kShared, create_slice_kernel});
  }
  return registry;
}

}  // namespace strew::ort
