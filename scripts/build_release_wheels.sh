#!/usr/bin/env bash
# Builds the wheels that are published: the Python package for Python 3.11 and for 3.12 and later, the plug-in for ONNX
# Runtime, and the conformance suite. All but the last are compiled by zig for the glibc of 2012 and each ARCHITECTURE (of
# x86_64 and aarch64, both without one). SOURCE is HEAD with third_party/, as make_sdist.sh leaves it. The wheels lie in
# FOLDER; their bytes depend on the commit and on the versions in scripts/requirements/.
# Usage: build_release_wheels.sh SOURCE FOLDER [ARCHITECTURE...]
set -euo pipefail
scripts=$(realpath "$(dirname "$0")")
source=$(realpath "$1")
folder=$(realpath -m "$2")
shift 2
(($#)) || set -- x86_64 aarch64
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$scripts" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$source/build
rm -rf "$folder"
mkdir -p "$folder" "$work"
unset PYTHONPATH PYTHONHOME

# environment LEAST: makes the virtual environment build/pyLEAST, of the first Python from that version on.
environment() {
  local version python architecture venv=$work/py$1
  read -r version python < <("$scripts/find_pythons.sh" "$1"; echo)
  [[ -n $version && ($1 != 3.11 || $version == 3.11) ]] ||
    { echo "There is no Python $1 with its headers here, on PATH or of pyenv" >&2; exit 1; }
  [[ ! -x $venv/bin/pip ]] || return 0
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$scripts/requirements/python.txt"
  # Debian's pyconfig.h includes that of the architecture, which lies where zig does not look; both have the same.
  mkdir -p "$work/include"
  local config
  for config in /usr/include/*-linux-gnu/python"$version"; do
    [[ ! -f $config/pyconfig.h ]] || for architecture in x86_64 aarch64; do
      mkdir -p "$work/include/$architecture-linux-gnu"
      ln -sfn "$config" "$work/include/$architecture-linux-gnu/python$version"
    done
  done
}

# build PACKAGE LEAST ARCHITECTURE: its wheel, into FOLDER/ARCHITECTURE
build() {
  local zig=$work/zig-$3
  "$scripts/zig_compiler.sh" "$3-linux-gnu.2.17" "$zig"
  local flags="-ffile-prefix-map=$source=. -isystem $work/include"
  # ccache knows a file again in another folder: what compiles is zig and the target, not this script for it.
  export CCACHE_COMPILERCHECK="string:ziglang $zig_version $3" CCACHE_IGNOREOPTIONS='-ffile-prefix-map=*'
  CFLAGS=$flags CXXFLAGS="$flags -include stdio.h" LDFLAGS="-s $(<"$zig/link_flags")" CC=$zig/cc CXX=$zig/c++ \
    CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$zig/toolchain.cmake -DSTREW_PRECOMPILE=OFF" \
    _PYTHON_HOST_PLATFORM=linux-$3 SETUPTOOLS_EXT_SUFFIX=.cpython-311-$3-linux-gnu.so \
    VENV=$work/py$2 BUILD=build-$1-$3-$2 "$scripts/build_wheel.sh" "$1" "$work/raw" "$source"
  # It looks that no symbol is newer, and says so in the wheel's name. It knows the names of this machine's architecture alone;
  # for another it takes the oldest that fits.
  local platform=manylinux_2_17_$3
  [[ $3 == "$(uname -m)" ]] || platform=auto
  PATH=$scripts/../.venv/bin:$PATH auditwheel repair --plat "$platform" --wheel-dir "$folder" "$work"/raw/*.whl
  compgen -G "$folder/$(basename "$work"/raw/*.whl "linux_$3.whl")manylinux*_2_17_$3.whl" >/dev/null ||
    { echo "FAILED: $1 for $3 needs a later glibc than that of 2012" >&2; exit 1; }
}

zig_version=$("$scripts/../.venv/bin/python" -m ziglang version)
environment 3.11
environment 3.12
for architecture; do
  build python 3.12 "$architecture"
  build python 3.11 "$architecture"
  build onnxruntime 3.12 "$architecture"
done
VENV=$work/py3.12 "$scripts/build_wheel.sh" conformance "$work/raw" "$source"
cp "$work"/raw/*.whl "$folder"
ls -l "$folder"
