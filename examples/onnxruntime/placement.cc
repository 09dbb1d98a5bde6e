// Loads a model into ONNX Runtime with Strew's kernels and prints the number of nodes that each provider runs.
// Usage: placement PLUGIN.so MODEL.onnx
#include <cpu_provider_factory.h>
#include <onnxruntime_cxx_api.h>

#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>

namespace {

constexpr const char* kProvider = "StrewExecutionProvider";

// Returns the plug-in's only device.
Ort::ConstEpDevice find_device(const Ort::Env& env) {
  for (const Ort::ConstEpDevice& device : env.GetEpDevices()) {
    if (std::string(device.EpName()) == kProvider) return device;
  }
  throw Ort::Exception("the plug-in offers no device", ORT_NOT_FOUND);
}

Ort::Session make_session(Ort::Env& env, const char* plugin, const char* model, int threads) {
  env.RegisterExecutionProviderLibrary(kProvider, std::string(plugin));
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(threads);
  options.AddConfigEntry("session.record_ep_graph_assignment_info", "1");
  const std::unordered_map<std::string, std::string> provider_options{{"threads", std::to_string(threads)}};
  options.AppendExecutionProvider_V2(env, {find_device(env)}, provider_options);
  // Without this line ONNX Runtime warns that it adds its CPU provider, which runs all other nodes.
  Ort::ThrowOnError(OrtSessionOptionsAppendExecutionProvider_CPU(options, /*use_arena=*/1));
  return Ort::Session(env, model, options);
}

std::map<std::string, int> nodes_by_provider(const Ort::Session& session) {
  std::map<std::string, int> counts;
  for (const auto& part : session.GetEpGraphAssignmentInfo()) {
    counts[part.GetEpName()] += static_cast<int>(part.GetNodes().size());
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: placement PLUGIN.so MODEL.onnx\n";
    return 2;
  }
  if (OrtGetApiBase()->GetApi(ORT_API_VERSION) == nullptr) {
    std::cerr << "libonnxruntime.so " << OrtGetApiBase()->GetVersionString() << " is older than these headers\n";
    return 1;
  }
  Ort::Env env;
  const Ort::Session session = make_session(env, argv[1], argv[2], 2);
  const std::map<std::string, int> counts = nodes_by_provider(session);
  if (counts.empty()) {
    std::cerr << "no node was recorded, as with every model in ORT format (.ort)\n";
    return 1;
  }
  for (const auto& [provider, count] : counts) std::cout << provider << ": " << count << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
