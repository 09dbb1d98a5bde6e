#!/usr/bin/env bash
# Compiles the consumer by hand with what pkg-config says of an installed strew, and runs it.
# Usage: pkg_config.sh PREFIX COMPILER WORK_FOLDER
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)/main.cc
prefix=$1 compiler=$2 work=$3

mkdir -p "$work"
cd "$work"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name strew.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs strew)
"$compiler" -std=c++20 "$source" -o consumer "${flags[@]}"
./consumer
