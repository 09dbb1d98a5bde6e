#!/usr/bin/env bash
# Installs what building and testing needs: Debian packages, and Python packages into .venv. Does nothing where all is
# there. With the argument "playground" also what the playground needs, which is large: emscripten, and a browser for
# its tests.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build make pkg-config git ccache
  libexpected-dev libhwy-dev libprotozero-dev libminizip-dev zlib1g-dev
  libcli11-dev libfmt-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev
  clang clang-format clang-tidy libclang-rt-14-dev
  python3 python3-dev python3-venv
)

if [[ ${1:-} == playground ]]; then
  packages+=(emscripten node-acorn chromium)
fi

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" == "ii " ]] || echo "$package"
  done
}

install_packages() {
  local -a missing as_root=(env DEBIAN_FRONTEND=noninteractive)
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
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
}

# The copy of requirements.txt inside .venv is written last, so a half-made .venv is made again.
install_python_packages() {
  cmp -s scripts/requirements.txt .venv/strew-requirements.txt && return 0
  echo "Installing into .venv: $(tr '\n' ' ' <scripts/requirements.txt)"
  [[ -x .venv/bin/pip ]] || /usr/bin/python3 -m venv --clear .venv
  .venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements.txt </dev/null
  cp scripts/requirements.txt .venv/strew-requirements.txt
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This script knows Debian 12 and its kin only. Install the counterparts of these packages, then pass" >&2
  echo "SKIP_DEPS=1 to make: ${packages[*]}" >&2
  echo "and make the Python environment: python3 -m venv .venv && .venv/bin/pip install -r scripts/requirements.txt" >&2
  exit 1
fi
# playwright drives Debian's browser; one of its own is not fetched.
install_playground_packages() {
  cmp -s scripts/requirements_playground.txt .venv/strew-requirements-playground.txt && return 0
  .venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements_playground.txt </dev/null
  cp scripts/requirements_playground.txt .venv/strew-requirements-playground.txt
}

install_packages
install_python_packages
[[ ${1:-} != playground ]] || install_playground_packages
