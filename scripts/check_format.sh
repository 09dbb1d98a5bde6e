#!/usr/bin/env bash
# Fails where a C++ file is not as `make format` would have it; with --fix, formats all in place.
set -euo pipefail
cd "$(dirname "$0")/.."
how=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || how=(-i)
find include src apps bindings tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) -print0 2>/dev/null | sort -z | xargs -0 clang-format "${how[@]}"
