#!/usr/bin/env bash
# Runs some of the Python tests, and some with ONNX Runtime, against the aarch64 wheels of FOLDER, as
# build_release_wheels.sh leaves them, under qemu-user with the Python of Debian 13 for arm64, which is unpacked into
# build/arm64_wheels with lists of packages of its own; and compares one large result with that of the x86-64 wheel there.
# Usage: test_arm64_wheels.sh [FOLDER] (needs qemu-aarch64-static of the package qemu-user-static)
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath "${1:-build/release/wheels}")
root=$PWD/build/arm64_wheels
packages=(python3.13-minimal libpython3.13-minimal libpython3.13-stdlib libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8
  libssl3t64 libbz2-1.0 liblzma5 libzstd1 libuuid1 libsqlite3-0)
command -v qemu-aarch64-static >/dev/null || { echo "qemu-aarch64-static is missing: apt-get install qemu-user-static" >&2; exit 1; }

if [[ ! -f $root/complete ]]; then
  rm -rf "$root"
  mkdir -p "$root"/{lists/partial,cache/archives/partial,packages,system}
  uri=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${uri%/} trixie main" >"$root/sources.list"
  : >"$root/status"
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$root/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$root/lists" -o "Dir::State::status=$root/status" -o "Dir::Cache=$root/cache"
    -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root)
  "${apt[@]}" update </dev/null
  (cd "$root/packages" && "${apt[@]}" download "${packages[@]}" </dev/null)
  mkdir -p "$root"/system/usr/{lib,bin}
  ln -s usr/lib "$root/system/lib"
  for package in "$root"/packages/*.deb; do dpkg --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root/system"; done
  rm -rf "$root/lists" "$root/cache" "$root/packages"
  # ONNX Runtime asks for the processor, and does not survive that it is not an Arm.
  mkdir "$root/system/proc"
  for processor in 0 1; do
    printf '%s\n' "processor : $processor" 'BogoMIPS : 243.75' 'Features : fp asimd crc32 atomics fphp asimdhp asimddp' \
      'CPU implementer : 0x41' 'CPU architecture : 8' 'CPU variant : 0x3' 'CPU part : 0xd0c' 'CPU revision : 1' ''
  done >"$root/system/proc/cpuinfo"
  touch "$root/complete"
fi

rm -rf "$root"/{site,here}
ours=(--no-deps --no-index --find-links "$folder" strew)
.venv/bin/pip --quiet --disable-pip-version-check install --target "$root/here" "${ours[@]}"
pip=(.venv/bin/pip --quiet --disable-pip-version-check install --target "$root/site" --python-version 3.13 --only-binary :all:
  --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64)
"${pip[@]}" "${ours[@]}" onnxruntime-ep-strew
mapfile -t tools < <(grep -E '^(hypothesis|ml_dtypes|numpy|onnx|onnxruntime|pytest)==' scripts/requirements/test.txt)
"${pip[@]}" --upgrade "${tools[@]}"
# Compiled modules are kept: compiling them takes longer than anything else here.
export PYTHONDONTWRITEBYTECODE='' PYTHONPYCACHEPREFIX=$root/bytecode
printf '#!/bin/sh\nexec qemu-aarch64-static -L "%s" "%s" "$@"\n' "$root/system" "$root/system/usr/bin/python3.13" >"$root/python"
chmod +x "$root/python"
arm() { PYTHONPATH=$root/site "$root/python" "$@"; }
arm -c 'import platform, strew; print(platform.machine(), strew.__version__)'
sum='
import hashlib, numpy, strew
random = numpy.random.default_rng(1)
data, updates = (random.standard_normal(shape).astype(numpy.float32) for shape in ((5000, 64), (50000, 64)))
result = strew.scatter_nd(data, random.integers(-5000, 5000, (50000, 1)), updates, reduction="add")
print(hashlib.sha256(result.tobytes()).hexdigest())'
diff <(arm -c "$sum") <(PYTHONPATH=$root/here .venv/bin/python -c "$sum")
echo "the same bits as from the x86-64 wheel"
# Emulated, the 300 examples of a test take minutes.
export STREW_TEST_EXAMPLES=10
# Processes that a test starts are emulated too: Python is where sys.executable says.
tests='import sys; sys.executable = sys.argv[1]; import pytest; sys.exit(pytest.main(sys.argv[2:]))'
# The emulator's limits of memory and of stacks are others.
emulated="not process and not fork and not terabytes and not cannot_be_had and not stacks"
run_tests() { arm -P -c "$tests" "$root/python" -q -p no:cacheprovider -x "$@" -k "$emulated"; }
run_tests \
  tests/python/test_{gather,scatter,gather_scatter,plan,check_indices,reductions,index_rules,dtypes,out,strides,threads}.py
run_tests tests/onnxruntime/test_{cases,fused_bits,sessions}.py
