#!/usr/bin/env bash
# Fails where a C++ file is not as `make format` would have it.
set -euo pipefail
"$(dirname "$0")/cpp_files.sh" | (cd "$(dirname "$0")/.." && xargs -0 clang-format --dry-run -Werror)
