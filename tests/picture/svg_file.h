// Reading an SVG that the library drew: whether it is well-formed, and what stands in its cells.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace strew::support {

/// What is wrong with this XML, or "". Tags must be balanced, attributes quoted and single, entities known, and
/// text UTF-8 of characters that XML 1.0 allows.
std::string fault_of_xml(std::string_view xml);

/// The texts of the cells of an operand, by `data-at` ("3,0").
std::map<std::string, std::string> cells_of(std::string_view svg, std::string_view operand);

}  // namespace strew::support
