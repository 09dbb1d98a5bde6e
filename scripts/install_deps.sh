#!/usr/bin/env bash
# Installs the missing packages of a job: Debian packages, and Python packages, pinned in scripts/requirements/, into .venv.
# Prints what it installs. Usage: install_deps.sh JOB, where JOB is one of these; "+" adds to the packages of another job:
#   build       the library and the program, without Python
#   package     pip install .; build + Python's headers
#   run         make run; build + numpy and onnx in .venv
#   python      make python, ort, cuda; package + the tools that build wheels, in .venv
#   test        make test; python + GoogleTest, ccache, clang-format, valgrind, and packages that Python tests import
#   sanitize    make test-sanitize; the Debian packages of test + clang
#   playground  make playground; build + python3 and emscripten
#   site        make site; playground + python and doxygen
#   release     make test-release, make release; test, sanitize and site + Chromium, and tools to repair wheels, make a root
#               of plain Debian, compare interfaces and run programs for Arm
set -euo pipefail
cd "$(dirname "$0")/.."

build=(g++ cmake ninja-build make pkg-config libexpected-dev libhwy-dev libminizip-dev zlib1g-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev)
python=(python3 python3-venv)
headers=(python3-dev)
test=(ccache git libgtest-dev libgmock-dev clang-format valgrind)
sanitize=(clang clang-tidy libclang-rt-14-dev)
playground=(emscripten node-acorn)
site=(doxygen)
release=(chromium abigail-tools debootstrap qemu-user-static)

case ${1:-} in
  build) packages=("${build[@]}") requirements=() ;;
  package) packages=("${build[@]}" "${python[@]}" "${headers[@]}") requirements=() ;;
  run) packages=("${build[@]}" "${python[@]}") requirements=(run) ;;
  python) packages=("${build[@]}" "${python[@]}" "${headers[@]}") requirements=(python) ;;
  test) packages=("${build[@]}" "${python[@]}" "${headers[@]}" "${test[@]}") requirements=(python test) ;;
  sanitize)
    packages=("${build[@]}" "${python[@]}" "${headers[@]}" "${test[@]}" "${sanitize[@]}") requirements=(run python) ;;
  playground) packages=("${build[@]}" python3 "${playground[@]}") requirements=() ;;
  site)
    packages=("${build[@]}" "${python[@]}" "${headers[@]}" "${playground[@]}" "${site[@]}") requirements=(python) ;;
  release)
    packages=("${build[@]}" "${python[@]}" "${headers[@]}" "${test[@]}" "${sanitize[@]}" "${playground[@]}" "${site[@]}"
      "${release[@]}")
    requirements=(python test release) ;;
  *) sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This script works only on Debian 12 and similar systems. Install the counterparts of these packages, then pass" >&2
  echo "SKIP_DEPS=1 to make: ${packages[*]}" >&2
  ((${#requirements[@]} == 0)) ||
    echo "and: python3 -m venv .venv && .venv/bin/pip install$(printf ' -r scripts/requirements/%s.txt' "${requirements[@]}")" >&2
  exit 1
fi

mapfile -t missing < <(comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) \
  <(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' | sed -n 's/^ii //p' | sort -u))
if ((${#missing[@]})); then
  as_root=(env DEBIAN_FRONTEND=noninteractive)
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing; run as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo DEBIAN_FRONTEND=noninteractive)
  fi
  echo "Installing with apt-get: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq </dev/null
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
fi

# The requirements are copied into .venv last: without a copy, .venv is incomplete and is made again.
for name in "${requirements[@]}"; do
  cmp -s "scripts/requirements/$name.txt" ".venv/installed/$name.txt" && continue
  echo "Installing into .venv: $(tr '\n' ' ' <"scripts/requirements/$name.txt")"
  [[ -d .venv/installed ]] || /usr/bin/python3 -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r "scripts/requirements/$name.txt" </dev/null
  mkdir -p .venv/installed
  cp "scripts/requirements/$name.txt" .venv/installed/
done
