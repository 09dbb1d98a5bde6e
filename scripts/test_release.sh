#!/usr/bin/env bash
# Tests release.sh in a clone of HEAD, with fake scripts instead of the builders. If a condition does not hold, release.sh
# must name it and make nothing; otherwise it must handle sdist and wheels correctly.
set -euo pipefail
unset STREW_TEST_STAGES
cd "$(dirname "$0")/.."
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone --quiet --shared . "$clone"
cd "$clone"
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org
version=$(sed -nE 's/^project\(strew VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)

# rejects WORDS [OPTION...]: checks that release.sh fails with an error that has the words
rejects() {
  local words=$1
  shift
  if scripts/release.sh "$@" >output 2>&1; then echo "FAILED: released although: $words" >&2; exit 1; fi
  grep -qF -- "$words" output || { echo "FAILED: '$words' is not in:" >&2; cat output >&2; exit 1; }
  rm output
  [[ ! -e build/release && -z $(git tag --list) ]] || { echo "FAILED: something was made" >&2; exit 1; }
}
echo output >>.git/info/exclude
git tag --list | xargs --no-run-if-empty git tag --delete >/dev/null

sed -i "s/^## ${version//./\\.} - .*/## $version - not released/" CHANGELOG.md
git commit --quiet --all --allow-empty --message "No date"
rejects "CHANGELOG.md must have a line '## $version - YEAR-MONTH-DAY'"
sed -i "s/^## ${version//./\\.} - .*/## $version - 2026-01-31/" CHANGELOG.md
rejects "the work tree has changes"
git commit --quiet --all --message "A date"
commit=$(git rev-parse HEAD)
rejects "$commit has not passed: test sanitize torch release; --test runs these"
mkdir -p build/test-logs
for tier in test sanitize torch; do echo "$commit" >"build/test-logs/$tier.passed"; done
git rev-parse HEAD^ >build/test-logs/release.passed
rejects "$commit has not passed: release; --test runs these"
touch forgotten.txt
rejects "the work tree has changes"
rm forgotten.txt
rejects "Usage: release.sh" --unknown

# A tier records the commit if all its stages passed in a clean tree. Here a tier has no stages.
sed -i 's/^tier_torch() {$/tier_torch() { return 0; }\nunused() {/' scripts/run_tests.sh
rm build/test-logs/torch.passed
scripts/run_tests.sh torch >/dev/null
[[ ! -e build/test-logs/torch.passed ]] || { echo "FAILED: a changed tree has passed" >&2; exit 1; }
git commit --quiet --all --message "A tier without stages"
STREW_TEST_STAGES=some scripts/run_tests.sh torch >/dev/null
[[ ! -e build/test-logs/torch.passed ]] || { echo "FAILED: a tier has passed in parts" >&2; exit 1; }
scripts/run_tests.sh torch >/dev/null
[[ $(cat build/test-logs/torch.passed) == "$(git rev-parse HEAD)" ]] || { echo "FAILED: no stamp" >&2; exit 1; }
sed -i 's/^tier_torch() { return 0; }$/tier_torch() { stage broken false; }/' scripts/run_tests.sh
git commit --quiet --all --message "A tier that fails"
if scripts/run_tests.sh torch >/dev/null; then echo "FAILED: a failure passed" >&2; exit 1; fi
[[ ! -e build/test-logs/torch.passed ]] || { echo "FAILED: a tier that fails has passed" >&2; exit 1; }

# Checks the archives. The work tree stays clean: git ignores build/, and the fake scripts are committed.
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"scripts/$1.sh"; }
stand_in make_sdist 'mkdir -p "$1/source"; echo sdist >"$1/strew-$SOURCE_DATE_EPOCH.tar.gz"'
stand_in build_wheel 'echo wheel >"$3/strew-py3-none-any.whl"; date +%N >"$3/other.whl"'
stand_in test_wheels 'test -f "$2/strew-py3-none-any.whl"'
stand_in compare_abi 'exit 1'
git commit --quiet --all --message "Wheels that differ"
commit=$(git rev-parse HEAD)
mkdir -p build/playground
touch build/playground/index.html
stamp() { for tier in test sanitize torch release; do git rev-parse HEAD >"build/test-logs/$tier.passed"; done; }
stamp
if scripts/release.sh >output 2>&1; then echo "FAILED: two builds that differ were released" >&2; exit 1; fi
grep -qF "the two builds differ" output || { cat output >&2; exit 1; }
[[ -z $(git tag --list) ]] || { echo "FAILED: a tag was made" >&2; exit 1; }
stand_in build_wheel 'echo wheel >"$3/strew-py3-none-any.whl"'
git commit --quiet --all --message "Wheels that are equal"
stamp
scripts/release.sh >output 2>&1 || { cat output >&2; exit 1; }
folder=build/release/$version
[[ $(git cat-file -t "v$version") == tag && $(git rev-parse "v$version^{commit}") == $(git rev-parse HEAD) ]] ||
  { echo "FAILED: the tag is not annotated, or has a different commit" >&2; exit 1; }
diff <(ls "$folder") - <<END
NOTES.md
SHA256SUMS
strew-$(git log -1 --format=%ct).tar.gz
strew-py3-none-any.whl
END
(cd "$folder" && sha256sum --check --quiet --strict SHA256SUMS)
diff "$folder/NOTES.md" <(sed -n "/^## $version - /,/^## /{/^## /d;p}" CHANGELOG.md | sed '/./,$!d')
grep -qF "There is no earlier release" output

# Releases the same version again, and a later version with an incompatible C interface.
if scripts/release.sh >output 2>&1; then echo "FAILED: a version was released twice" >&2; exit 1; fi
grep -qF "there is a tag v$version" output || { cat output >&2; exit 1; }
sed -i "s/^project(strew VERSION $version/project(strew VERSION 9.9.9/" CMakeLists.txt
sed -i "0,/^## $version - .*/s//## 9.9.9 - 2026-02-28\n\nNothing.\n\n&/" CHANGELOG.md
git commit --quiet --all --message "A later version"
stamp
if scripts/release.sh >output 2>&1; then echo "FAILED: a broken C interface was released" >&2; exit 1; fi
[[ $(git tag --list) == "v$version" ]] || { echo "FAILED: a tag was made" >&2; exit 1; }
stand_in compare_abi 'test "$1" = '"v$version"
git commit --quiet --all --message "A compatible C interface"
stamp
scripts/release.sh >output 2>&1 || { cat output >&2; exit 1; }
[[ $(cat build/release/9.9.9/NOTES.md) == Nothing. ]] || { echo "FAILED: NOTES.md is not the changelog of 9.9.9" >&2; exit 1; }
echo "release: all is well"
