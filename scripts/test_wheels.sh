#!/usr/bin/env bash
# Installs wheels into empty virtual environments and runs tests against them. Usage: test_wheels.sh KIND, where KIND is
#   sdist             the wheel made from the published sdist, outside the checkout: all Python tests
#   pythons           a wheel for every other installed Python from 3.11 on: quick tests
#   cuda              both wheels of pack_gpu.sh: without a device, the error names what is missing. Without nvcc, exits with 77
#   onnxruntime [VERSION...]  the plug-in built by make ort, under ONNX Runtime 1.24.1, 1.24.4 and the newest, or VERSIONs
#   release [FOLDER]  the wheels of build_wheel.sh release: all tests with Python 3.12, quick tests with every other Python,
#                     the plug-in with ONNX Runtime and the conformance suite
#   arm64 [FOLDER]    the aarch64 wheels of build_wheel.sh release, under qemu-user with the Python of Debian 13 for arm64,
#                     which is unpacked into build/arm64_wheels: some Python tests, some with ONNX Runtime, and the bits of a
#                     large result (needs qemu-aarch64-static from the package qemu-user-static)
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-}
folder=$(realpath -m "${2:-build/release/wheels}")
unset PYTHONPATH PYTHONHOME
failed=0
# Tests that depend on the wheel, and the files that they import.
quick=(tests/python/test_{dlpack,docstrings,dtypes,errors,exit,explain,fork,out,packaging,program,strings,stubs,threads}.py)
quick_tools() { grep -E '^(hypothesis|ml_dtypes|onnx|pytest)==' scripts/requirements/test.txt; }
run_tests() { "$venv/bin/python" -P -m pytest -q -p no:cacheprovider "$@" </dev/null || failed=1; }

# below LIMIT WHEEL: fails unless the wheel has less than LIMIT bytes
below() {
  local size
  size=$(stat -c %s "$2")
  echo "$(basename "$2"): $size bytes"
  ((size < $1)) || { echo "FAILED: the wheel must have less than $1 bytes" >&2; exit 1; }
}

# Runs in an empty folder and without environment variables, so that only the package of $venv is found.
try_alone() {
  local outside
  outside=$(mktemp -d)
  (
    cd "$outside"
    env -i PATH=/usr/bin:/bin "$venv/bin/python" -c '
import sys, numpy, strew
assert strew.__file__.startswith(sys.prefix), strew.__file__
print("strew", strew.__version__, strew.scatter_nd(numpy.zeros(3), [[1], [1]], [1, 2], reduction="add"))'
    env -i "$venv/bin/strew" --version
    env -i "$venv/bin/python" -m strew ops >ops.txt
    wc -l ops.txt
  )
  rm -r "$outside"
}

test_sdist() {
  local work=$PWD/build/wheel source=$PWD/build/wheel/source sdist foreign wheel
  venv=$work/venv
  install() { .venv/bin/python -m pip --python "$venv/bin/python" install --quiet --disable-pip-version-check --no-compile "$@"; }
  rm -rf "$work/sdist" "$source" "$work/repaired"
  mkdir -p "$source"
  .venv/bin/python -c 'import scikit_build_core.build as backend, sys; backend.build_sdist(sys.argv[1])' "$work/sdist" >/dev/null
  sdist=$(echo "$work"/sdist/strew-*.tar.gz)
  foreign=$(comm -13 <(git ls-files -co --exclude-standard | sort) \
    <(tar -tzf "$sdist" | cut -d/ -f2- | grep -vx PKG-INFO | sort))
  [[ -z $foreign ]] || { echo "FAILED: the sdist has files that are not the project's: $foreign" >&2; exit 1; }
  # Copies .venv into the unpacked sdist as hard links: with the checkout's relative paths ccache finds every file.
  tar -xzf "$sdist" -C "$source" --strip-components 1
  cp -al .venv "$source/.venv"
  scripts/build_wheel.sh python "$work/from_sdist" "$source"
  PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -m auditwheel repair --strip --wheel-dir "$work/repaired" "$work"/from_sdist/*.whl
  wheel=$(echo "$work"/repaired/strew-*-manylinux*.whl)
  below 7000000 "$wheel"  # the static library has 2,600,000 bytes
  .venv/bin/python -m venv --clear --without-pip "$venv"
  install "$wheel"
  try_alone
  install -r scripts/requirements/test.txt
  run_tests tests/python
}

test_pythons() {
  local version python own
  own=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  while read -r version python; do
    [[ $version != "$own" ]] || continue
    venv=$PWD/build/pythons/$version
    [[ -x $venv/bin/pip ]] || "$python" -m venv --clear "$venv"
    { cat scripts/requirements/python.txt; quick_tools; } |
      "$venv/bin/pip" install --quiet --disable-pip-version-check -r /dev/stdin
    VENV=$venv BUILD=build-python-$version scripts/build_wheel.sh python "build/pythons/wheel-$version"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "build/pythons/wheel-$version"/*.whl
    echo "=== $("$venv/bin/python" --version)"
    run_tests "${quick[@]}"
  done < <(scripts/find_pythons.sh)
  [[ -n ${venv:-} ]] || echo "There is no Python other than $(.venv/bin/python --version) here"
}

test_cuda() {
  local target
  command -v "${NVCC:-nvcc}" >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] ||
    { echo "There is no nvcc here: the package strew-cuda13 was not built."; exit 77; }
  ARCHITECTURES=90-real scripts/pack_gpu.sh .venv/bin/python build/gpu-wheels
  target=$(mktemp -d)
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target "$target" build/gpu-wheels/*.whl
  PYTHONPATH=$target:tests/python .venv/bin/python -P - <<'PYTHON' || failed=1
import numpy as np
import strew.cuda
from device_support import DeviceArray, InterfaceArray

if strew.cuda.available():
    print("There is a device: bench/gpu.py tests it.")
for kind in () if strew.cuda.available() else (DeviceArray, InterfaceArray):
    try:
        strew.gather(kind(np.zeros(3)), [0])
    except NotImplementedError as error:
        assert strew.cuda.unavailable_reason() in str(error), error
        print(error)
    else:
        raise SystemExit("a call for a device was not rejected, although there is none")
PYTHON
  rm -r "$target"
}

test_onnxruntime() {
  local version
  (($#)) || set -- 1.24.1 1.24.4 newest
  for version; do
    venv=$PWD/build/onnxruntime_test/$version
    /usr/bin/python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "onnxruntime$([[ $version == newest ]] || echo "==$version")" \
      onnx==1.23.2 ml_dtypes numpy pytest build/wheel/onnxruntime/*.whl </dev/null
    echo "=== onnxruntime $("$venv/bin/python" -c 'import onnxruntime; print(onnxruntime.__version__)')"
    run_tests tests/onnxruntime
  done
}

test_release() {
  local work=$PWD/build/release_test wheel version python whole=
  rm -rf "$work"
  mkdir -p "$work"
  for wheel in "$folder"/*.whl; do below 3500000 "$wheel"; done
  .venv/bin/python scripts/check_bills.py "$folder"/*.whl
  # ours PACKAGE...: installs the wheel that pip chooses for this Python, only from the folder
  ours() { "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index --find-links "$folder" "$@"; }
  # environment VERSION PYTHON: makes an environment with only the package and NumPy
  environment() {
    venv=$work/$1
    echo "=== Python $1"
    "$2" -m venv "$venv"
    ours strew
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$(grep ^numpy scripts/requirements/test.txt)"
    try_alone
  }
  while read -r version python; do
    [[ $version != 3.12 ]] || { whole=$python; continue; }
    environment "$version" "$python"
    quick_tools | "$venv/bin/pip" install --quiet --disable-pip-version-check -r /dev/stdin
    run_tests "${quick[@]}"
  done < <(scripts/find_pythons.sh)
  [[ -n $whole ]] || { echo "FAILED: there is no Python 3.12 with its headers here" >&2; exit 1; }
  environment 3.12 "$whole"
  ours onnxruntime-ep-strew onnx-gather-scatter-conformance
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/requirements/test.txt
  # Tests the wheel of the suite with all cases, in an empty folder; tests/conformance tests its source.
  (cd / && "$venv/bin/python" -m strew.conformance --runtime strew.onnx_backend --threads 2 --call strew:set_num_threads) || failed=1
  run_tests tests/onnxruntime
  run_tests tests/python
}

test_arm64() {
  local root=$PWD/build/arm64_wheels
  local packages tools pip ours apt uri package processor sum tests emulated
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
    # ONNX Runtime reads /proc/cpuinfo, and crashes unless it describes an Arm processor.
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
  # Keeps compiled Python modules, since compiling them takes the most time here.
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
  # The usual 300 examples of a test take minutes in the emulator.
  export STREW_TEST_EXAMPLES=10
  # Processes that a test starts are emulated too, since they run sys.executable.
  tests='import sys; sys.executable = sys.argv[1]; import pytest; sys.exit(pytest.main(sys.argv[2:]))'
  # The emulator has different memory and stack limits.
  emulated="not process and not fork and not terabytes and not cannot_be_had and not stacks"
  arm_tests() { arm -P -c "$tests" "$root/python" -q -p no:cacheprovider -x "$@" -k "$emulated"; }
  arm_tests \
    tests/python/test_{gather,scatter,gather_scatter,plan,check_indices,reductions,index_rules,dtypes,out,strides,threads}.py
  arm_tests tests/onnxruntime/test_{cases,fused_bits,sessions}.py
}

case $kind in
  sdist | pythons | cuda | onnxruntime | release | arm64) "test_$kind" "${@:2}" ;;
  *) sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2 ;;
esac
exit "$failed"
