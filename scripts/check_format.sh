#!/usr/bin/env bash
# Fails if `make format` would change a C++ file; with --fix, formats all files in place.
set -euo pipefail
cd "$(dirname "$0")/.."
how=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || how=(-i)
find include src apps bindings tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) -print0 2>/dev/null | sort -z | xargs -0 clang-format "${how[@]}"
