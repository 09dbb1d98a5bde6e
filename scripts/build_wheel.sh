#!/usr/bin/env bash
# Builds wheels.
# Usage: build_wheel.sh PACKAGE [FOLDER [SOURCE]]
# Uses the packages in .venv, and ccache if installed. FOLDER is build/wheel/PACKAGE by default. SOURCE is the checkout by
# default, or an unpacked sdist with a .venv in it. The variables VENV, BUILD and PYTHON select a different
# environment, build folder and interpreter. PACKAGE is one of
#   python       the Python package for the interpreter PYTHON, with the playground if make playground has built it
#   onnxruntime  the plug-in for ONNX Runtime; ONNXRUNTIME_INCLUDE names the folder of its headers, which are fetched otherwise
#   torch        the kernels for PyTorch, for the version of torch that PYTHON has
#   cuda         strew-cuda13, with nvcc or the compiler NVCC, for ARCHITECTURES ("90-real;...") or all
#   conformance  the conformance suite
# Usage: build_wheel.sh release SOURCE FOLDER [ARCHITECTURE...]
# Builds the published wheels: the conformance suite, the plug-in, and the Python package for Python 3.11 and for 3.12 and later.
# zig compiles the last two for each ARCHITECTURE and the glibc from 2012. The default is x86_64 and aarch64; this machine's wheel is
# built first, because its build writes the type stubs. SOURCE is HEAD with third_party/, from make_sdist.sh. The bytes depend
# only on the commit and on the versions in scripts/requirements/.
set -euo pipefail
package=${1:-}
scripts=$(realpath "$(dirname "$0")")
root=$(dirname "$scripts")

# release_environment LEAST: makes the virtual environment build/pyLEAST with the first Python from version LEAST on.
release_environment() {
  local version python architecture venv=$work/py$1
  read -r version python < <("$scripts/find_pythons.sh" "$1"; echo)
  [[ -n $version && ($1 != 3.11 || $version == 3.11) ]] ||
    { echo "There is no Python $1 with its headers on PATH or from pyenv" >&2; exit 1; }
  [[ ! -x $venv/bin/pip ]] || return 0
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$scripts/requirements/python.txt"
  # Debian's pyconfig.h includes the header of the architecture, which zig does not find. The headers of both architectures are equal.
  mkdir -p "$work/include"
  local config
  for config in /usr/include/*-linux-gnu/python"$version"; do
    [[ ! -f $config/pyconfig.h ]] || for architecture in x86_64 aarch64; do
      mkdir -p "$work/include/$architecture-linux-gnu"
      ln -sfn "$config" "$work/include/$architecture-linux-gnu/python$version"
    done
  done
}

# zig_wheel PACKAGE LEAST ARCHITECTURE: builds the package's wheel with zig, and repairs it into FOLDER.
zig_wheel() {
  local zig=$work/zig-$3
  "$scripts/zig_compiler.sh" "$3-linux-gnu.2.17" "$zig"
  local flags="-ffile-prefix-map=$source=. -isystem $work/include"
  # ccache identifies the compiler by zig's version and the target, not by the script's path: so it finds files from other folders.
  export CCACHE_COMPILERCHECK="string:ziglang $zig_version $3" CCACHE_IGNOREOPTIONS='-ffile-prefix-map=*'
  # A module for another machine does not run here, and gets the stubs from this machine's module.
  local stubs=
  if [[ $1 == python && $3 != "$(uname -m)" ]]; then
    stubs=$source/build-python-$(uname -m)-$2/bindings/python/stubs
    [[ -d $stubs ]] || { echo "Build the wheel for $(uname -m) first, which writes the type stubs" >&2; exit 1; }
  fi
  CFLAGS=$flags CXXFLAGS="$flags -include stdio.h" LDFLAGS="-s $(<"$zig/link_flags")" CC=$zig/cc CXX=$zig/c++ \
    CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$zig/toolchain.cmake -DSTREW_PRECOMPILE=OFF -DSTREW_STUBS=$stubs" \
    _PYTHON_HOST_PLATFORM=linux-$3 SETUPTOOLS_EXT_SUFFIX=.cpython-311-$3-linux-gnu.so \
    VENV=$work/py$2 BUILD=build-$1-$3-$2 "$0" "$1" "$work/raw" "$source"
  # auditwheel checks that no symbol is newer than this glibc. It knows only this machine's platform names; for another
  # machine, auto chooses the oldest platform that fits.
  local platform=manylinux_2_17_$3
  [[ $3 == "$(uname -m)" ]] || platform=auto
  PATH=$root/.venv/bin:$PATH auditwheel repair --plat "$platform" --wheel-dir "$folder" "$work"/raw/*.whl
  compgen -G "$folder/$(basename "$work"/raw/*.whl "linux_$3.whl")manylinux*_2_17_$3.whl" >/dev/null ||
    { echo "FAILED: $1 for $3 needs a later glibc than the one from 2012" >&2; exit 1; }
}

# release SOURCE FOLDER [ARCHITECTURE...]
build_release() {
  local source folder architecture work zig_version
  source=$(realpath "$1") folder=$(realpath -m "$2")
  shift 2
  (($#)) || case $(uname -m) in
    aarch64) set -- aarch64 x86_64 ;;
    *) set -- x86_64 aarch64 ;;
  esac
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$scripts" log -1 --format=%ct)}
  export SOURCE_DATE_EPOCH
  work=$source/build
  rm -rf "$folder"
  mkdir -p "$folder" "$work"
  unset PYTHONPATH PYTHONHOME
  zig_version=$("$root/.venv/bin/python" -m ziglang version)
  release_environment 3.11
  release_environment 3.12
  for architecture; do
    zig_wheel python 3.12 "$architecture"
    zig_wheel python 3.11 "$architecture"
    zig_wheel onnxruntime 3.12 "$architecture"
  done
  VENV=$work/py3.12 "$0" conformance "$work/raw" "$source"
  cp "$work"/raw/*.whl "$folder"
  ls -l "$folder"
}

if [[ $package == release ]]; then
  (($# > 2)) || { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
  shift
  build_release "$@"
  exit
fi
folder=$(realpath -m "${2:-$root/build/wheel/$package}")
cd "${3:-$root}"
. "$scripts/ccache.sh"
# The compiler's name, the flags and the depth of the build folder equal the release build's, so that ccache finds the
# library's files.
export CXX=${CXX:-c++}

find_nvcc() {
  nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
  [[ -n $nvcc ]] || { echo "There is no nvcc: install the CUDA 13 toolkit, or set NVCC=/path/to/nvcc" >&2; exit 1; }
  local release
  release=$("$nvcc" --version | sed -nE 's/.*release ([0-9]+)\..*/\1/p')
  [[ $release == 13 ]] || { echo "$nvcc is from CUDA $release; the package strew-cuda13 needs 13" >&2; exit 1; }
  export CUDACXX=$nvcc CMAKE_CUDA_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER
}
# The link to Python in a virtual environment is not followed, since it identifies the environment.
interpreter() {
  local found
  found=$(command -v "${PYTHON:-$venv/bin/python}") || { echo "There is no $PYTHON" >&2; exit 1; }
  realpath --no-symlinks "$found"
}
# The platform of a wheel with a C++ module, such as cpython-311-x86_64-linux-gnu.
abi() { "$1" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))'; }
page() { [[ ! -f $root/build/playground/index.html ]] || echo "$root/build/playground"; }
headers() { echo "${ONNXRUNTIME_INCLUDE:-$("$scripts/fetch_onnxruntime_headers.sh" build/onnxruntime)}"; }

venv=${VENV:-$PWD/.venv}
if [[ ! -x $venv/bin/python ]]; then
  echo "There is no $venv/bin/python, which builds the wheel: omit SKIP_DEPS=1, or run" >&2
  echo "python3 -m venv .venv && .venv/bin/pip install -r scripts/requirements/python.txt" >&2
  exit 1
fi
builder=$venv/bin/python build=build-$package isolation=(--no-build-isolation)
python=$(interpreter)
# A Python other than .venv's builds the module with its own pip, which fetches the requirements.
if [[ $package == python && $(abi "$python") != "$(abi "$builder")" ]]; then
  builder=$python build=build-$package-$(abi "$python") isolation=()
fi
case $package in
  python) project=. defines=("STREW_PLAYGROUND=$(page)") ;;
  onnxruntime) project=bindings/onnxruntime defines=("STREW_ONNXRUNTIME_INCLUDE=$(headers)") ;;
  torch) project=bindings/torch defines=("STREW_TORCH_PYTHON=$python") ;;
  cuda) find_nvcc; project=bindings/cuda defines=(${ARCHITECTURES:+"CMAKE_CUDA_ARCHITECTURES=$ARCHITECTURES"}) ;;
  conformance) project=conformance defines=() ;;
  *) sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2 ;;
esac

# In a checkout all wheels use the objects of make build. An sdist is compiled whole, as its users compile it.
if [[ -z ${3:-} ]]; then
  case $package in
    python) objects=(strew_libraries strew_program_parts) ;;
    onnxruntime | torch) objects=(strew_libraries) ;;
    *) objects=() ;;
  esac
  if ((${#objects[@]})); then
    scripts/build.sh program "${objects[@]}"
    defines+=("STREW_OBJECTS_OF=$PWD/build")
  fi
fi

rm -rf "$folder"
PATH="$(dirname "$builder"):$PATH" "$builder" -m pip wheel "./$project" --quiet --disable-pip-version-check "${isolation[@]}" \
  --no-deps --wheel-dir "$folder" --config-settings=build-dir="$PWD/${BUILD:-$build}" \
  --config-settings=cmake.define.STREW_WARNINGS_AS_ERRORS=ON \
  "${defines[@]/#/--config-settings=cmake.define.}" </dev/null
