#!/usr/bin/env bash
# Makes a release of HEAD in build/release/VERSION: sdist, wheels, SHA256SUMS and the notes from CHANGELOG.md, then an
# annotated tag. The four tiers must have passed at HEAD (run_tests.sh records this in build/test-logs), and CHANGELOG.md must
# have a date for the version. Everything is built twice, in two folders with empty caches, and must be equal byte for byte.
# Nothing is published. docs/releases.md describes the steps.
# Usage: release.sh [--test] [--sign] [--sources FOLDER] [--architectures "NAME..."]
#   --test      runs the tiers that have not passed at this commit
#   --sign      signs the tag
#   --sources   a folder from scripts/debian_sources.sh; by default the other libraries are read from their repositories
#   --architectures   architectures of the wheels; x86_64 and aarch64 by default
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release: $*" >&2; exit 1; }
usage() { sed -n '2,/^set/{/^#/s/^# \?//p}' "$0" >&2; exit 2; }
test='' sign=(--annotate) sources='' architectures=()
while (($#)); do
  case $1 in
    --test) test=yes ;;
    --sign) sign=(--sign) ;;
    --sources) (($# > 1)) || usage; shift; sources=$(realpath "$1") ;;
    --architectures) (($# > 1)) || usage; shift; read -ra architectures <<<"$1" ;;
    *) usage ;;
  esac
  shift
done

commit=$(git rev-parse HEAD)
version=$(sed -nE 's/^project\(strew VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
release=build/release/$version
must_be_clean() {
  local changes
  changes=$(git status --porcelain)
  [[ -z $changes ]] || fail "the work tree has changes that $commit lacks; commit or remove them:
$changes"
}
must_be_clean
[[ -z $(git tag --list "v$version") ]] || fail "there is a tag v$version; a new release needs a new version in CMakeLists.txt"
notes=$(awk -v version="$version" '/^## / { inside = $2 == version; next } inside' CHANGELOG.md)
grep -qE "^## ${version//./\\.} - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md ||
  fail "CHANGELOG.md must have a line '## $version - YEAR-MONTH-DAY'"
missing=()
for tier in test sanitize torch release; do
  [[ $(cat "build/test-logs/$tier.passed" 2>/dev/null) == "$commit" ]] || missing+=("$tier")
done
if ((${#missing[@]})); then
  [[ -n $test ]] || fail "$commit has not passed: ${missing[*]}; --test runs these"
  scripts/install_deps.sh release
  scripts/run_tests.sh "${missing[@]}" || fail "not all tests passed"
  must_be_clean
fi
[[ -f build/playground/index.html ]] || make --no-print-directory playground

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
export LC_ALL=C TZ=UTC
# build_all FOLDER: builds the sdist and the wheels into FOLDER/files
build_all() {
  rm -rf "$1"
  mkdir -p "$1/files"
  scripts/make_sdist.sh "$1/sdist" ${sources:+"$sources"}
  scripts/build_wheel.sh release "$1/sdist/source" "$1/files" "${architectures[@]}"
  mv "$1"/sdist/*.tar.gz "$1/files"
}
build_all build/release/first
rm -rf build/release/second-{ccache,zig}
CCACHE_DIR=$PWD/build/release/second-ccache ZIG_GLOBAL_CACHE_DIR=$PWD/build/release/second-zig build_all build/release/second
(cd build/release/first/files && sha256sum -- * >../SHA256SUMS)
(cd build/release/second/files && sha256sum --check --quiet --strict ../../first/SHA256SUMS) ||
  fail "the two builds differ: build/release/first and build/release/second"
[[ $(ls build/release/first/files) == "$(ls build/release/second/files)" ]] || fail "the two builds have different files"
scripts/test_wheels.sh release build/release/first/files
if compgen -G "build/release/first/files/strew-*aarch64.whl" >/dev/null; then
  scripts/test_wheels.sh arm64 build/release/first/files
fi

last=$(git describe --tags --match 'v[0-9]*' --abbrev=0 2>/dev/null || true)
if [[ -n $last ]]; then
  scripts/compare_abi.sh "$last" ${sources:+"$sources"} | tee build/release/abi.txt
else
  echo "There is no earlier release: the binary interface of libstrew was not compared"
fi

must_be_clean
[[ $(git rev-parse HEAD) == "$commit" ]] || fail "HEAD is no longer $commit"
rm -rf "$release"
mv build/release/first/files "$release"
mv build/release/first/SHA256SUMS "$release/"
printf '%s\n' "$notes" | sed '/./,$!d' >"$release/NOTES.md"
git tag "${sign[@]}" --cleanup=verbatim --message "Strew $version

$(cat "$release/NOTES.md")" "v$version"
rm -rf build/release/first build/release/second build/release/second-{ccache,zig}
ls -l "$release"
echo "$release and the tag v$version are made from $commit; docs/releases.md says what to do with them"
