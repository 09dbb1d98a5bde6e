#!/usr/bin/env bash
# Builds the kernel, index and engine tests for 64-bit Arm and runs them under qemu-user on emulated processors: one with
# NEON only, and some with SVE and SVE2 vectors of 128, 256 and 512 bits.
# Usage: test_arm64.sh [neon|128|256|512 ...]
#
# Needs the Debian packages qemu-user and g++-aarch64-linux-gnu. Downloads the Arm builds of the libraries into build-arm64/
# and leaves the system's package lists unchanged.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build-arm64
sysroot=$root/sysroot
triple=aarch64-linux-gnu
packages=(libhwy-dev libhwy1 libexpected-dev libminizip-dev libminizip1
  zlib1g-dev zlib1g libgtest-dev libgmock-dev)
declare -A processor=([neon]=cortex-a57 [128]=max,sve-max-vq=1 [256]=max,sve-max-vq=2 [512]=max,sve-max-vq=4)

for tool in qemu-aarch64 $triple-g++ cmake ninja; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install qemu-user g++-$triple cmake ninja-build" >&2; exit 1; }
done

download_libraries() {
  local state=$root/apt
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$root/packages"
  : >"$state/status"
  local -a apt=(apt-get -qq -o "Dir::State=$state" -o "Dir::State::lists=$state/lists" -o "Dir::State::status=$state/status"
    -o "Dir::Cache=$state/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$root/packages" && "${apt[@]}" download "${packages[@]}")
  local package
  for package in "$root"/packages/*.deb; do dpkg -x "$package" "$sysroot"; done
  touch "$root/complete"
}

write_toolchain() {
  cat >"$root/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $triple-gcc)
set(CMAKE_CXX_COMPILER $triple-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $triple)
set(CMAKE_FIND_ROOT_PATH $sysroot/usr $sysroot /usr/$triple)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,$sysroot/usr/lib/$triple -Wl,-rpath-link,$sysroot/lib/$triple")
END
}

build() {
  local -a launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S . -B "$root" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$root/toolchain.cmake" \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DSTREW_BUILD_APPS=OFF -DSTREW_INSTALL=OFF \
    -DSTREW_TEST_ROOMS="support;reference;kernel;index;engine" "${launcher[@]}" >"$root/cmake.log"
  ninja -C "$root" tests/all >"$root/build.log" || { tail -n 30 "$root/build.log" >&2; return 1; }
}

# Tests of allocations and of the largest tensors are meaningless under an emulator.
run_tests() {
  local failed=0 program
  for program in $(find "$root/tests" -maxdepth 2 -name '*_test' -type f ! -name large_test ! -name small_test | sort); do
    echo "$1: $(basename "$program")"
    qemu-aarch64 -cpu "${processor[$1]}" -L /usr/$triple \
      -E LD_LIBRARY_PATH="$sysroot/usr/lib/$triple:$sysroot/lib/$triple" "$program" --gtest_brief=1 || failed=1
  done
  return $failed
}

[[ -f $root/complete ]] || download_libraries
write_toolchain
build
(($#)) || set -- neon 128 256 512
failed=()
for one in "$@"; do run_tests "$one" || failed+=("$one"); done
if ((${#failed[@]})); then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "passed under qemu: $*"
