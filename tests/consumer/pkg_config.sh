#!/usr/bin/env bash
# Compiles the consumer with pkg-config's flags for an installed strew, and runs it.
# Usage: pkg_config.sh PREFIX COMPILER WORK_FOLDER [STANDARD]
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)/main.cc
prefix=$1 compiler=$2 work=$3 standard=${4:-20}

mkdir -p "$work"
cd "$work"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name strew.pc)")
export PKG_CONFIG_PATH
# clang 14 accepts only C++23's working name, 2b.
[[ $standard == 23 ]] && standard=2b
for static in "" --static; do
  [[ -z $static || -n $(find "$prefix" -name libstrew.a) ]] || continue
  read -ra flags < <(pkg-config $static --cflags --libs strew_model strew_picture)
  "$compiler" -std="c++$standard" "$source" -o consumer "${flags[@]}"
  ./consumer
done
