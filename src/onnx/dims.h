// Shapes whose dimensions may be values, symbols or unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strew/model.h"
#include "strew/shape.h"

namespace strew {

using Dims = std::vector<Dim>;

/// Returns text such as "[batch, 3, ?]".
std::string to_string(const Dims& dims);

// Overloads for messages and for the rules in plan/shape_rules.h.
inline std::int64_t rank_of(const Dims& dims) noexcept { return static_cast<std::int64_t>(dims.size()); }
inline const std::optional<std::int64_t>& known_length(const Dim& dim) noexcept { return dim.value; }
void append_text(std::string& to, const Dim& dim);
void append_text(std::string& to, const Dims& dims);

/// Returns the shape if every dimension has a value, else nullopt.
std::optional<Shape> known_shape(const Dims& dims);

Dims to_dims(const Shape& shape);

/// Returns the dimension with a value, else the one with a symbol; `a` on a tie.
const Dim& more_known(const Dim& a, const Dim& b) noexcept;

/// True if both dimensions have values and the values differ.
bool contradict(const Dim& a, const Dim& b) noexcept;

/// Returns how `a` and `b` contradict each other, such as "type float32 versus int32"; nullopt if they do not.
std::optional<std::string> contradiction(const ValueInfo& a, const ValueInfo& b);

/// Copies to `value` the type and dimensions that only `other` has. The two must not contradict each other.
void merge(ValueInfo& value, const ValueInfo& other);

}  // namespace strew
