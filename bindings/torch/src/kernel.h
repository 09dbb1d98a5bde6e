// Defines kernels of aten that try Strew first, and declares the table of replaced kernels.
#pragma once

#include <torch/library.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "calls.h"
#include "tensors.h"

namespace strew::aten {

/// A string literal as a template argument.
template <std::size_t kSize>
struct Name {
  char text[kSize];
  consteval Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// Calls Strew's `run`, and then torch's kernel `torch` unless `run` returns kTaken. The type of `torch` selects
/// the operator's form: with a new result, in place, or with `out`.
template <Name name, auto run, auto torch>
struct Kernel;

template <Name name, class... Args, Outcome (*run)(Output&, const Tensor&, Args...),
          Tensor (*torch)(const Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Tensor call(const Tensor& self, Args... args) {
    Output output;
    return tally.count(run(output, self, args...)) ? std::move(output).take() : torch(self, args...);
  }
};

template <Name name, class... Args, Outcome (*run)(Output&, const Tensor&, Args...),
          Tensor& (*torch)(Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Tensor& call(Tensor& self, Args... args) {
    Output output(self);
    return tally.count(run(output, self, args...)) ? self : torch(self, args...);
  }
};

template <Name name, class... Args, Outcome (*run)(Output&, const Tensor&, Args...),
          Tensor& (*torch)(Tensor&, const Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Tensor& call(const Tensor& self, Args... args, Tensor& out) {
    Output output(out);
    return tally.count(run(output, self, args...)) ? out : torch(out, self, args...);
  }
};

/// The form with several results, which `run` writes.
template <Name name, class Made, class... Args, Outcome (*run)(Made&, const Tensor&, Args...),
          Made (*torch)(const Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Made call(const Tensor& self, Args... args) {
    Made result;
    return tally.count(run(result, self, args...)) ? result : torch(self, args...);
  }
};

template <Name name, auto run, auto torch, c10::DispatchKey key = c10::DispatchKey::CPU>
void put(::torch::Library& library) {
  constexpr auto call = &Kernel<name, run, torch>::call;
  library.impl(name.text, ::torch::dispatch(key, TORCH_FN(call)));
}

struct Group {
  const char* name;   ///< the operator's name, without overload name or trailing underscore
  const char* taken;  ///< the calls that Strew handles, as docs/torch-install.md lists them
  void (*put)(::torch::Library& library);
  bool by_default = true;  ///< false: replaced only if named in install(), since its bits differ from torch's
};

/// All replaced kernels, sorted by name.
std::span<const Group> kernel_groups() noexcept;

}  // namespace strew::aten
