// Shapes whose dimensions may be values, symbols or unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strew/model.h"
#include "strew/shape.h"

namespace strew {

using Dims = std::vector<Dim>;

/// "[batch, 3, ?]"
std::string to_string(const Dims& dims);

// For messages and the rules in plan/shape_rules.h.
inline std::int64_t rank_of(const Dims& dims) noexcept { return static_cast<std::int64_t>(dims.size()); }
inline const std::optional<std::int64_t>& known_length(const Dim& dim) noexcept { return dim.value; }
void append_text(std::string& to, const Dim& dim);
void append_text(std::string& to, const Dims& dims);

/// The shape where every dimension has a value.
std::optional<Shape> known_shape(const Dims& dims);

Dims to_dims(const Shape& shape);

/// The one that says more: a value before a symbol before nothing, `a` before `b`.
const Dim& more_known(const Dim& a, const Dim& b) noexcept;

/// True if both have values and these differ.
bool contradict(const Dim& a, const Dim& b) noexcept;

/// Why `b` cannot be the same value as `a`, as far as both are known: "type float32 against int32",
/// "rank ...", "dimension 1 ..."; nothing where it can.
std::optional<std::string> contradiction(const ValueInfo& a, const ValueInfo& b);

/// Adds to `value` what only `other` knows. They must not contradict each other.
void merge(ValueInfo& value, const ValueInfo& other);

}  // namespace strew
