// Makes the manual page from the tables of options and operators.
#pragma once

#include <string>

#include "option_table.h"

namespace strew::app {

/// Returns strew(1) in the macros of man.
std::string man_page(const OptionTable& table);

}  // namespace strew::app
