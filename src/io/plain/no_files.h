// The error of every call that needs a file.
#pragma once

#include <filesystem>

#include "core/error.h"

namespace strew {

inline tl::unexpected<Error> no_files(const std::filesystem::path& path) {
  return fail(ErrorCode::kUnsupported, {.where = path.string()},
              "this build of the library reads and writes no files; give it their bytes");
}

}  // namespace strew
