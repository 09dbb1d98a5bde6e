#!/usr/bin/env bash
# Tests that a stranger can install Strew: in a fresh root of plain Debian 12 (debootstrap), with a fresh clone of what is
# committed, both commands of README.md, then the package, the wheel and three compilers. After `make deps` nothing has a
# network, except pip. Run by hand as root before a release; needs debootstrap. The stages of make test that repeat the tests
# (sanitizers, fuzzers) or need ONNX Runtime are left to make test. Ends with a table; the logs lie in build-install/logs/.
# What is downloaded and what ccache compiled stay in build-install/cache/ for the next run; remove it to begin from nothing.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
stages='^(format|build|tests|make suites|node|page|python package)'
work=$PWD/build-install
cache=$work/cache
home=/root/strew
rm -rf "$work/logs"
. scripts/plain_root.sh

# The newest clang that the lists of Debian 12 name.
newest_clang() {
  inside "apt-cache search --names-only '^clang-[0-9]+$'" | sed -E 's/ .*//' | sort -V | tail -n 1
}

step "a root of plain Debian 12" make_root bookworm
step "a fresh clone in it" git clone --quiet --no-hardlinks "file://$PWD" "$root/root/strew"
step "apt-get install make" inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends make"
step "make deps, and what the tests need" inside "make deps && scripts/install_deps.sh test"
clang=$(newest_clang)
step "apt-get install $clang" inside "apt-get install -y -qq --no-install-recommends $clang"
step "make deps again does nothing" inside "test -z \"\$(make deps)\""
step "pip install . in an empty environment" inside "python3 -m venv /root/pip && /root/pip/bin/pip install ."
step "make run, no network" inside --offline "make run"
step "make test, its release stages, no network" inside --offline "make test"
step "make test-release, its stage python wheel" inside "STREW_TEST_STAGES=^python.wheel make test-release"
step "the wheel in an empty environment" inside "python3 -m venv /root/wheel &&
  /root/wheel/bin/pip install build/wheel/repaired/*.whl"
for environment in pip wheel; do
  step "the README's Python example, $environment, no network" inside --offline \
    "sed -n '/^\`\`\`pycon/,/^\`\`\`/p' README.md | grep -v '^\`' >/root/example.txt && cd / &&
      /root/$environment/bin/python -m strew ops && /root/$environment/bin/python -m doctest /root/example.txt"
done
for compiler in g++-12 clang++-14 "${clang/clang/clang++}"; do
  for standard in 20 23; do
    step "$compiler, C++$standard: install, three ways to use it, no network" inside --offline \
      "tests/consumer/every_way.sh $compiler $standard /root/consumer"
  done
done

{
  echo "| step | result | seconds | of processors |"
  echo "| --- | --- | --- | --- |"
  printf '%s\n' "${rows[@]}"
  echo
  inside "cat /etc/debian_version; for tool in g++-12 clang++-14 ${clang/clang/clang++} cmake python3; do \$tool --version | head -n 1; done"
  for log in "$logs"/make_test*.log; do tail -n 1 "$log"; done
} | tee "$work/summary.md"
exit "$failed"
