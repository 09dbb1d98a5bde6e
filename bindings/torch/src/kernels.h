// The table of replaced kernels of aten.
#pragma once

#include <torch/library.h>

#include <span>

namespace strew::aten {

struct Group {
  const char* name;   ///< the operator's name, without underscore and overload
  const char* taken;  ///< the calls that Strew handles; tests/binding_tables.py compares docs/torch-install.md
  void (*put)(::torch::Library& library);
  bool by_default = true;  ///< false: only if named in install(), since results differ in bits from torch's
};

/// All replaced kernels, sorted by name.
std::span<const Group> kernel_groups() noexcept;

}  // namespace strew::aten
