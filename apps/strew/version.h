// The commit of the source.
#pragma once

namespace strew::app {

extern const char* const kCommit;  // of the source, 40 digits; empty if unknown

}  // namespace strew::app
