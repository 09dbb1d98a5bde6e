#!/usr/bin/env bash
# Makes the sdist twice and checks that the bytes are equal. Builds static and shared C++ libraries from it, with its
# bundled libraries and no -dev package. Links programs to each; one program defines functions with names from zlib
# and Highway. Then checks that a checkout can be configured with libraries fetched from the same sources.
# Usage: test_sdist.sh [SOURCES] (see make_sdist.sh; Debian's sources by default)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/ccache.sh
export CMAKE_C_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER
work=$PWD/build/sdist_test
sources=${1:-$work/sources}
[[ -n ${1:-} ]] || scripts/debian_sources.sh "$sources"
sdist=$(scripts/make_sdist.sh "$work/sdist" "$sources")
cmp "$sdist" "$(scripts/make_sdist.sh "$work/again" "$sources")"
echo "$(basename "$sdist"): $(stat -c %s "$sdist") bytes"

source=$work/source
rm -rf "$source" "$work"/{static,shared,fetched,installed,consumer}*
mkdir "$source"
tar -xzf "$sdist" -C "$source" --strip-components 1
# Looks for each header, because a build would use the system's copy of one that third_party/ lacks.
missing=$(cd "$source" && grep -rhoE '#include <(CLI|fmt|hwy|nlohmann|tl)/[^>]+>' src apps include bindings |
  sed -E 's/.*<(.*)>/\1/' | sort -u | while read -r header; do find third_party -path "*/$header" | grep -q . || echo "$header"; done)
if [[ -n $missing ]]; then
  echo "FAILED: the sdist has no $missing" >&2
  exit 1
fi
consumer=$PWD/tests/consumer
# The test is about linking, so it optimises little. Any search for a package fails, because none may be needed.
quick=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHWY_COMPILE_ONLY_STATIC" --log-level=WARNING --no-warn-unused-cli)
for package in tl-expected hwy minizip ZLIB fmt CLI11 nlohmann_json; do
  quick+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done

cmake -S "$source" -B "$work/static_by_default" --log-level=WARNING >/dev/null  # without any option
for kind in static shared; do
  shared=$([[ $kind == static ]] && echo OFF || echo ON)
  prefix=$work/installed_$kind
  cmake -S "$source" -B "$work/$kind" "${quick[@]}" -DSTREW_BUILD_TESTS=OFF -DBUILD_SHARED_LIBS="$shared" \
    -DSTREW_BUILD_APPS=OFF -DSTREW_WARNINGS_AS_ERRORS=ON
  cmake --build "$work/$kind" >"$work/$kind.log" || { tail -n 50 "$work/$kind.log"; exit 1; }
  cmake --install "$work/$kind" --prefix "$prefix" >/dev/null
  cmake -S "$consumer" -B "$work/consumer_$kind" "${quick[@]}" -DCMAKE_PREFIX_PATH="$prefix" -DSTREW_OWN_LIBRARIES=ON
  cmake --build "$work/consumer_$kind" >/dev/null
  (cd "$work/consumer_$kind" && ./consumer && ./own_libraries)
  library=$(dirname "$(find "$prefix" -name 'libstrew.*' | head -n 1)")
  LD_LIBRARY_PATH=$library "$consumer/pkg_config.sh" "$prefix" c++ "$work/consumer_pkg_config_$kind"
done

# Installs both into one prefix.
cmake --install "$work/static" --prefix "$work/installed_shared" >/dev/null
for kind in static shared; do
  cmake -S "$consumer" -B "$work/consumer_of_two_$kind" "${quick[@]}" -DCMAKE_PREFIX_PATH="$work/installed_shared" \
    -DSTREW_KIND="$kind"
  cmake --build "$work/consumer_of_two_$kind" >/dev/null
  ldd "$work/consumer_of_two_$kind/consumer" | { grep -c libstrew || true; } | grep -x "$([[ $kind == static ]] && echo 0 || echo 3)"
done

# All external symbols that the static libraries define are Strew's, or inline.
foreign=$(find "$work/installed_static" -name 'libstrew*.a' -exec nm --defined-only --extern-only {} + |
  awk 'NF == 3 && $2 !~ /[VWuw]/ && $3 !~ /strew/ { print $3 }')
if [[ -n $foreign ]]; then
  echo "FAILED: the libraries define foreign names: $foreign" >&2
  exit 1
fi

fetched=()
for package in "$sources"/*/; do
  name=$(basename "$package")
  [[ $name == apt ]] || fetched+=("-DFETCHCONTENT_SOURCE_DIR_${name^^}=${package%/}")
done
built=$(cmake -S . -B "$work/fetched" -DSTREW_BUILD_TESTS=OFF -DSTREW_DEPENDENCIES=fetch \
  -DFETCHCONTENT_FULLY_DISCONNECTED=ON "${fetched[@]}" | grep -c 'is built from')
if ((built != ${#fetched[@]})); then
  echo "FAILED: $built of ${#fetched[@]} fetched libraries are built" >&2
  exit 1
fi
if cmake -S . -B "$work/fetched_bundled" -DSTREW_DEPENDENCIES=bundled >"$work/bundled.log" 2>&1; then
  echo "FAILED: STREW_DEPENDENCIES=bundled works in a checkout, which has no third_party/" >&2
  exit 1
fi
grep 'which only an sdist has' <(xargs <"$work/bundled.log")
echo "sdist: all is well"
