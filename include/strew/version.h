// The version of the library and the instruction set that it uses.
#pragma once

#include "strew/export.h"

STREW_API_BEGIN
namespace strew {

/// Returns the version of the library, such as "0.1.0".
const char* version() noexcept;

/// Returns the instruction set that the loops use, by Highway's name: "AVX3" (AVX-512), "AVX2", "NEON".
const char* instruction_set() noexcept;

}  // namespace strew
STREW_API_END
