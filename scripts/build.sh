#!/usr/bin/env bash
# Configures a CMake preset and builds the targets (default: all). On a terminal Ninja shows one line of progress.
# Elsewhere the script prints one line with the time, or the log if the build fails.
# Usage: build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/ccache.sh
preset=$1
shift

cmake --preset "$preset" --log-level=WARNING >/dev/null
build=(cmake --build --preset "$preset" --parallel "$(nproc)" ${1:+--target "$@"})
begin=$SECONDS
if [[ -t 1 ]]; then
  NINJA_STATUS="build $preset: %f of %t files, %e s  " "${build[@]}"
else
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  "${build[@]}" >"$log" 2>&1 || { status=$?; cat "$log"; exit "$status"; }
  echo "build $preset: $(grep -oE '^\[[0-9]+' "$log" | tail -n 1 | tr -d '[' | grep . || echo 0) files in $((SECONDS - begin)) s"
fi
