// The kernels of aten that are replaced.
#pragma once

#include <torch/library.h>

#include <span>

namespace strew::aten {

struct Group {
  const char* name;   ///< the operator's name, without the underscore and overload of its forms
  const char* taken;  ///< of its calls; tests/binding_tables.py holds docs/torch-install.md equal
  void (*put)(::torch::Library& library);
  bool by_default = true;  ///< else only where its name is given: results have other bits than torch's
};

/// All of them, in the order of their names.
std::span<const Group> kernel_groups() noexcept;

}  // namespace strew::aten
