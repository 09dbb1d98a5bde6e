// Defines the functions that Python calls as operators of torch: torch.ops.strew_torch.install and others.
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "calls.h"
#include "kernel.h"
#include "resources.h"
#include "strew/memory.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

std::mutex mutex;
std::unique_ptr<::torch::Library> installed;  // its destructor restores torch's kernels

std::vector<std::string> operators(bool by_default) {
  std::vector<std::string> names;
  for (const Group& group : kernel_groups()) {
    if (group.by_default == by_default) names.emplace_back(group.name);
  }
  return names;
}

void uninstall() {
  const std::lock_guard lock(mutex);
  installed.reset();
  keep_all_memory(false);
}

void install(const std::vector<std::string>& names, bool own_threads, bool keep_outputs, bool keep_all,
             std::optional<std::int64_t> kept_bytes, std::int64_t least) {
  const std::lock_guard lock(mutex);
  installed.reset();
  settings.executor = own_threads ? nullptr : &torch_threads();
  settings.keep_outputs = keep_outputs;
  settings.least = least;
  set_memory_cache_limit(kept_bytes.value_or(usable_memory() / 4));
  keep_all_memory(keep_all);
  settings.weighted_bags = settings.weighted_reduce = false;
  installed = std::make_unique<::torch::Library>(::torch::Library::IMPL, "aten", std::nullopt, __FILE__, __LINE__);
  for (const Group& group : kernel_groups()) {
    if (std::find(names.begin(), names.end(), group.name) != names.end()) group.put(*installed);
  }
}

bool is_installed() {
  const std::lock_guard lock(mutex);
  return installed != nullptr;
}

}  // namespace
}  // namespace strew::aten

TORCH_LIBRARY(strew_torch, library) {
  strew::aten::settings.executor = &strew::aten::torch_threads();  // compiled programs use it without install()
  library.def("operators(bool by_default) -> str[]", strew::aten::operators);
  library.def(
      "install(str[] operators, bool own_threads, bool keep_outputs, bool keep_all, int? kept_bytes, int least) "
      "-> ()",
      strew::aten::install);
  library.def("uninstall() -> ()", strew::aten::uninstall);
  library.def("kept_bytes() -> int", [] { return strew::memory_cache_bytes(); });
  library.def("give_back_after(int milliseconds) -> ()", [](std::int64_t milliseconds) {
    strew::aten::settings.unused_for = std::chrono::milliseconds(milliseconds);
  });
  library.def("is_installed() -> bool", strew::aten::is_installed);
  library.def("counts() -> (str[], str[], str[], int[])", strew::aten::all_counts);
  library.def("reset_counts() -> ()", strew::aten::reset_counts);
}
