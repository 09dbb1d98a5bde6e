// Checks that an SVG from the library is well-formed, and reads its cells.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace strew::support {

/// Returns the first error in this XML, or "". Tags must be balanced, attributes quoted and unique, entities
/// known, and text must be UTF-8 of characters that XML 1.0 allows.
std::string fault_of_xml(std::string_view xml);

/// Returns the texts of the cells of an operand, by `data-at` ("3,0").
std::map<std::string, std::string> cells_of(std::string_view svg, std::string_view operand);

}  // namespace strew::support
