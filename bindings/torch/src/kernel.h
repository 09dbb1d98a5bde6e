// A kernel of aten that asks Strew first.
#pragma once

#include <torch/library.h>

#include <algorithm>
#include <cstddef>

#include "calls.h"
#include "tensors.h"

namespace strew::aten {

/// A text as a template argument.
template <std::size_t kSize>
struct Name {
  char text[kSize];
  consteval Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// `run` is Strew's part, which says what it did; `torch` the kernel of torch, which is called where it did
/// nothing. Its type tells the form: a new result, in place, or into `out`.
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
    Output output = Output::in_place(self);
    return tally.count(run(output, self, args...)) ? self : torch(self, args...);
  }
};

template <Name name, class... Args, Outcome (*run)(Output&, const Tensor&, Args...),
          Tensor& (*torch)(Tensor&, const Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Tensor& call(const Tensor& self, Args... args, Tensor& out) {
    Output output = Output::given(out, self);
    return tally.count(run(output, self, args...)) ? out : torch(out, self, args...);
  }
};

/// Several results, which `run` fills in.
template <Name name, class Made, class... Args, Outcome (*run)(Made&, const Tensor&, Args...),
          Made (*torch)(const Tensor&, Args...)>
struct Kernel<name, run, torch> {
  static inline Tally tally{name.text};
  static Made call(const Tensor& self, Args... args) {
    Made made;
    return tally.count(run(made, self, args...)) ? made : torch(self, args...);
  }
};

template <Name name, auto run, auto torch, c10::DispatchKey key = c10::DispatchKey::CPU>
void put(::torch::Library& library) {
  constexpr auto call = &Kernel<name, run, torch>::call;
  library.impl(name.text, ::torch::dispatch(key, TORCH_FN(call)));
}

}  // namespace strew::aten
