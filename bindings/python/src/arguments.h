// Arguments of a function as CPython hands them over, found by name, with errors that name the culprit.
//
// The operators are plain functions of the interpreter and not nanobind's: a call costs less, `inspect.signature`
// and `pickle` know them, and a wrong argument gets a message in Strew's words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "call.h"
#include "numpy_api.h"

namespace strew::python {

inline constexpr std::size_t kMaxParameters = 14;

/// A function's name and its parameters; the first `required` of them must be given, and only the first
/// `positional` of them may be given without their names.
struct Signature {
  const char* function;
  std::array<std::string_view, kMaxParameters> names;  ///< empty ones at the end
  std::size_t required;
  std::size_t positional;

  constexpr std::size_t count() const noexcept { return position_of({}); }
  /// Where the parameter with this name stands; `kMaxParameters` where there is none.
  constexpr std::size_t position_of(std::string_view name) const noexcept {
    std::size_t position = 0;
    while (position < names.size() && names[position] != name) ++position;
    return position;
  }
};

/// The arguments of one call, in the order of the parameters.
class Arguments {
 public:
  /// TypeError for an argument too many, an unknown name, one given twice, or a required one that is missing or
  /// None.
  Arguments(const Signature& signature, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);

  /// Null where it was not given, or the function has no such parameter.
  nb::handle operator[](std::size_t parameter) const noexcept { return values_[parameter]; }
  /// None stands for an optional argument that was not given.
  nb::handle or_none(std::size_t parameter) const noexcept {
    return values_[parameter].is_valid() ? values_[parameter] : nb::handle(Py_None);
  }
  /// TypeError where it is given and no integer.
  std::int64_t integer(std::size_t parameter, std::int64_t otherwise) const {
    return values_[parameter].is_valid() ? given_integer(parameter) : otherwise;
  }
  /// TypeError where it is given and no bool.
  bool flag(std::size_t parameter, bool otherwise) const {
    return values_[parameter].is_valid() ? given_flag(parameter) : otherwise;
  }
  /// TypeError where it is given and no str.
  std::string_view text(std::size_t parameter, std::string_view otherwise) const;
  /// The enumerator that a str names: TypeError where it is given and no str, ValueError where it names none, with
  /// a list of all but `unfit`.
  template <class Enum>
  Enum choice(std::size_t parameter, Enum otherwise, std::string_view (*name_of)(Enum) noexcept,
              std::optional<Enum> (*from_name)(std::string_view) noexcept,
              std::optional<Enum> unfit = std::nullopt) const {
    if (!values_[parameter].is_valid()) return otherwise;
    const std::string_view name = text(parameter, "");
    if (const auto found = from_name(name)) return *found;
    std::vector<std::string_view> names;
    for (std::uint8_t number = 0; from_name(name_of(static_cast<Enum>(number))); ++number) {
      if (static_cast<Enum>(number) != unfit) names.push_back(name_of(static_cast<Enum>(number)));
    }
    refuse_choice(parameter, name, names);
  }

 private:
  std::int64_t given_integer(std::size_t parameter) const;
  bool given_flag(std::size_t parameter) const;
  [[noreturn]] void refuse_choice(std::size_t parameter, std::string_view name,
                                  std::span<const std::string_view> names) const;

  const Signature& signature_;
  std::array<nb::handle, kMaxParameters + 1> values_{};  // the last: of parameters that the function lacks
};

}  // namespace strew::python
