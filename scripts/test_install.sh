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
root=$work/root
logs=$work/logs
cache=$work/cache
rows=()
failed=0
mkdir -p "$work"
rm -rf "$root" "$logs"
mkdir -p "$root" "$logs" "$cache/home" "$cache/debs/partial"

# The host's own mirrors, as "URI SUITE" lines: of bookworm, its updates and its security fixes.
mirrors() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 ~ /^bookworm/ && $3 == "main" { print $1, $2 }' | sort -u
}

make_base() {
  [[ -f $work/base.tar ]] && return
  local uri
  uri=$(mirrors | awk '$2 == "bookworm" { print $1; exit }')
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$uri" || return 1
  mirrors | sed -E 's/(.*)/deb \1 main/' >"$root/etc/apt/sources.list"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" -cf "$work/base.tar" .
  rm -rf "$root"
  mkdir -p "$root"
}

# How the host reaches its registries, and a clone of what is committed.
furnish() {
  tar -C "$root" -xf "$work/base.tar"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  [[ -f /etc/pip.conf ]] && cp /etc/pip.conf "$root/etc/"
  local certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}
  [[ -n $certificates ]] && cp "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
  for settings in /etc/apt/apt.conf.d/99*; do
    [[ -f $settings ]] && cp "$settings" "$root/etc/apt/apt.conf.d/"
  done
  git clone --quiet --no-hardlinks "file://$PWD" "$root/root/strew"
}

# inside [--offline] COMMAND: a shell command in the clone, in the root; the mounts go away with it. The launcher reaches
# what pip builds; the scripts set it themselves.
inside() {
  local net=()
  if [[ $1 == --offline ]]; then
    net=(--net)
    shift
  fi
  unshare --mount --pid --fork "${net[@]}" bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" &&
      mkdir -p "$1/root/.cache" && mount --bind "$4/home" "$1/root/.cache" &&
      mount --bind "$4/debs" "$1/var/cache/apt/archives" || exit 1
    launcher=$([[ -x $1/usr/bin/ccache ]] && echo ccache)
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DEFAULT_TIMEOUT=180 STREW_TEST_STAGES="$3" \
      CMAKE_CXX_COMPILER_LAUNCHER="$launcher" bash -c "cd /root/strew && $2"' inside "$root" "$1" "$stages" "$cache" </dev/null
}

# step NAME COMMAND...: one row of the table.
step() {
  local name=$1 log status=0 begin=$SECONDS result=passed
  shift
  log=$logs/${name//[^a-z0-9]/_}.log
  echo "=== $name"
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    result=FAILED
    failed=1
    tail -n 30 "$log"
  fi
  rows+=("| $name | $result | $((SECONDS - begin)) s |")
}

# The newest clang that the lists of Debian 12 name.
newest_clang() {
  inside "apt-cache search --names-only '^clang-[0-9]+$'" | sed -E 's/ .*//' | sort -V | tail -n 1
}

step "a root of plain Debian 12" make_base
step "a fresh clone in it" furnish
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
  echo "| step | result | time |"
  echo "| --- | --- | --- |"
  printf '%s\n' "${rows[@]}"
  echo
  inside "cat /etc/debian_version; for tool in g++-12 clang++-14 ${clang/clang/clang++} cmake python3; do \$tool --version | head -n 1; done"
  for log in "$logs"/make_test*.log; do tail -n 1 "$log"; done
} | tee "$work/summary.md"
exit "$failed"
