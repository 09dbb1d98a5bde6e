#!/usr/bin/env bash
# Installs Strew in each way in fresh root folders of Debian 12 and 13, and then runs the first examples of README.md and
# the documents there without a network. Run as root; needs debootstrap.
# Usage: first_hour.sh [WAY...]; by default all of these:
#   wheel     pip install of the wheel for the suite's Python in the folder WHEELS (default: build/wheels)
#   sdist     pip install of the sdist of make_sdist.sh, with only g++, cmake and Python's headers
#   clone     make deps, make install
#   cmake     cmake and install of the sdist, shared, without any -dev package
#   packages  dpkg-buildpackage of debian/, and apt-get install of the packages in another root
# SUITES names other Debian suites (sid); SOURCES is a folder for make_sdist.sh. QUICK turns compiler optimisation off.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
work=$PWD/build/first_hour
root=$work/root.$$  # several can run at a time
logs=$work/logs
failed=0
((EUID == 0)) || { echo "$0: only the user root can make the roots: run it with sudo" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$logs"

# mirrors SUITE: prints this machine's mirrors of Debian as "URI SUITE" lines for the suite; sid has no updates suite.
mirrors() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$1" '$2 ~ /^bookworm/ && $3 == "main" && (suite != "sid" || $2 == "bookworm") { sub("bookworm", suite, $2); print $1, $2 }' |
    sort -u
}

# make_root SUITE: makes a plain root; $work caches the result of debootstrap.
make_root() {
  local base=$work/$1.tar certificates=${PIP_CERT:-${SSL_CERT_FILE:-}} uri settings
  rm -rf "$root"
  mkdir -p "$root"
  if [[ -f $base ]]; then
    tar -C "$root" -xf "$base" || return
  else
    uri=$(mirrors "$1" | awk -v suite="$1" '$2 == suite { print $1; exit }')
    debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$uri" || return
    mirrors "$1" | sed -E 's/(.*)/deb \1 main/' >"$root/etc/apt/sources.list"
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" -cf "$base" .
  fi
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  [[ ! -f /etc/pip.conf ]] || cp /etc/pip.conf "$root/etc/"
  [[ -z $certificates ]] || cp "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
  for settings in /etc/apt/apt.conf.d/99*; do
    [[ ! -f $settings ]] || cp "$settings" "$root/etc/apt/apt.conf.d/"
  done
}

# inside [--offline] COMMAND: runs a shell command in the root's folder /root, with mounts that end with the command.
inside() {
  local net=()
  if [[ $1 == --offline ]]; then
    net=(--net)
    shift
  fi
  unshare --mount --pid --fork "${net[@]}" bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" || exit 1
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DEFAULT_TIMEOUT=180 \
      bash -c "cd /root && $2"' \
    inside "$root" "$1" </dev/null
}

# step NAME COMMAND...: prints whether the command passed, and its seconds. Returns the command's exit code.
step() {
  local name=$1 log status=0 begin=$SECONDS
  shift
  log=$logs/$suite/${name//[^A-Za-z0-9]/_}.log
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || status=$?
  if ((status)); then
    failed=1
    tail -n 30 "$log"
  fi
  echo "$way, $suite: $name: $( ((status)) && echo FAILED || echo passed) ($((SECONDS - begin)) s)"
  return "$status"
}
wheels=$(realpath -m "${WHEELS:-build/wheels}")
quick=
[[ -z ${QUICK:-} ]] || quick="-DCMAKE_CXX_FLAGS_RELEASE='-O0 -DHWY_COMPILE_ONLY_STATIC'"
apt="apt-get update -qq && apt-get install -y -qq --no-install-recommends"

# fresh: makes a root with the checkout's examples, and the documents' examples, in /root.
fresh() {
  make_root "$suite" && python3 scripts/first_examples.py "$root/root" && cp -r examples "$root/root/"
}

sources() {
  [[ -n ${SOURCES:-} ]] || SOURCES=$work/sources
  [[ -d $SOURCES ]] || scripts/debian_sources.sh "$SOURCES"
}
sdist() {
  sources && scripts/make_sdist.sh "$work/sdist" "$SOURCES" && cp "$work"/sdist/*.tar.gz "$root/root/"
}

# python_examples VENV: runs sessions that need no other package, installs onnx and Dask, and runs the other sessions.
python_examples() {
  local page more=()
  for page in "$root"/root/pycon/*.txt; do
    case $page in *models* | *dask*) more+=("$(basename "$page")") && continue ;; esac
    step "$1: first example of $(basename "$page" .txt)" inside --offline "$1/bin/python -m doctest -o ELLIPSIS pycon/$(basename "$page")"
  done
  step "$1: pip install onnx dask[array]" inside "$1/bin/pip install -q onnx 'dask[array]'"
  for page in "${more[@]}"; do
    step "$1: first example of ${page%.txt}" inside --offline "$1/bin/python -m doctest -o ELLIPSIS pycon/$page"
  done
  shell_examples "/root/$1/bin:"
}
shell_examples() {
  local page
  for page in "$root"/root/sh/*.sh; do
    step "first commands of $(basename "$page" .sh)" inside --offline "PATH=$1\$PATH; bash -e sh/$(basename "$page")"
  done
}
# cpp_examples [--static]: builds and runs the C++ examples.
cpp_examples() {
  local program
  for program in "$root"/root/cpp/*.cc; do
    program=$(basename "$program" .cc)
    step "pkg-config${1:+ $1}, program of $program" inside --offline \
      "g++ -std=c++20 cpp/$program.cc -o $program \$(pkg-config $1 --cflags --libs strew_model strew_picture) && ./$program"
  done
  local kind=${1#--}
  step "find_package${kind:+ of the $kind library}, program of the README" inside --offline \
    "cp -r app app-$kind && sed -i 's/find_package(strew/&${kind:+ COMPONENTS $kind}/' app-$kind/CMakeLists.txt &&
      cmake -S app-$kind -B app-$kind/build && cmake --build app-$kind/build && app-$kind/build/app | grep '11 21 1 1 1 1 102 203'"
}
c_example() {
  step "C, program of docs_c" inside --offline \
    "cc -std=c99 examples/c/calls.c -o calls \$(pkg-config --cflags --libs strew) && ./calls | diff examples/c/calls.txt -"
}

way_wheel() {
  step "apt-get install python3 python3-venv" inside "$apt python3 python3-venv"
  cp -r "$wheels" "$root/root/wheels"
  step "pip install the wheel" inside "python3 -m venv wheel && wheel/bin/pip install -q --only-binary strew --find-links wheels strew" || return
  step "first result" inside --offline "wheel/bin/python -m doctest -o ELLIPSIS pycon/README.txt"
  python_examples wheel
}

way_sdist() {
  step "make the sdist" sdist
  step "apt-get install g++ cmake python3-dev python3-venv" inside "$apt g++ cmake python3-dev python3-venv"
  step "pip install the sdist" inside "python3 -m venv sdist && CMAKE_ARGS=\"$quick\" sdist/bin/pip install ./strew-*.tar.gz" || return
  python_examples sdist
  step "apt-get install make, for CMake" inside "$apt make"
  step "find_package from the package, program of the README" inside --offline \
    "cmake -S app -B app/build -DCMAKE_PREFIX_PATH=\$(sdist/bin/python -c 'import strew; print(strew.get_cmake_dir())') &&
      cmake --build app/build && app/build/app | grep '11 21 1 1 1 1 102 203'"
}

way_clone() {
  step "apt-get install make" inside "$apt make ca-certificates"
  git clone --quiet --no-hardlinks "file://$PWD" "$root/root/strew"
  step "make deps" inside "cd strew && make deps"
  step "make install" inside --offline "cd strew && make install SKIP_DEPS=1" || return
  cpp_examples --static
  step "python3-numpy, for the commands" inside "$apt python3-numpy && ln -s python3 /usr/bin/python"
  shell_examples ""
  step "make uninstall removes the last install, once" inside --offline \
    "cd strew && ! make uninstall PREFIX=/other && strew ops >/dev/null && make uninstall && ! make uninstall && ! test -e /usr/local/bin/strew"
}

way_cmake() {
  step "make the sdist" sdist
  step "apt-get install g++ cmake make pkg-config" inside "$apt g++ cmake make pkg-config"
  step "cmake, build and install, shared" inside --offline "mkdir source && tar -xzf strew-*.tar.gz -C source --strip-components 1 &&
    cmake -S source -B build -DBUILD_SHARED_LIBS=ON $quick && cmake --build build --parallel $(nproc) && cmake --install build && ldconfig" || return
  cpp_examples ""
  c_example
  step "strew ops" inside --offline "strew ops"
}

way_packages() {
  step "apt-get install dpkg-dev" inside "$apt dpkg-dev"
  mkdir "$root/root/strew" && git archive HEAD | tar -x -C "$root/root/strew"
  step "apt-get build-dep" inside "apt-get build-dep -y -qq --no-install-recommends ./strew"
  step "dpkg-buildpackage" inside --offline \
    "cd strew && export STREW_OPTIONS=\"$quick\" && DEB_BUILD_OPTIONS='noautodbgsym parallel=$(nproc)' DEB_CXXFLAGS_STRIP=-g dpkg-buildpackage -b -us -uc" || return
  rm -rf "$work/debs" && mkdir "$work/debs" && cp "$root"/root/*.deb "$work/debs/"
  step "a second root" fresh
  cp "$work"/debs/*.deb "$root/root/"
  step "apt-get install the packages" inside "apt-get update -qq && apt-get install -y -qq --no-install-recommends ./*.deb" || return
  step "strew ops" inside --offline "strew ops"
  step "apt-get install g++ cmake make pkg-config" inside "$apt g++ cmake make pkg-config"
  cpp_examples ""
  cpp_examples --static
  c_example
}

((${#})) || set -- wheel sdist clone cmake packages
for suite in ${SUITES:-bookworm trixie}; do
  for way in "$@"; do
    step "a plain root" fresh && "way_$way"
    rm -rf "$root"
  done
done
exit "$failed"
