#!/usr/bin/env bash
# Builds and runs the tests of the tiers, which HACKING.md describes. Each stage writes its output to build/test-logs/; this
# script's last line has the totals. The regular expression STREW_TEST_STAGES selects stages by name.
# Usage: run_tests.sh test|sanitize|torch|release...
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

python=.venv/bin/python
logs=build/test-logs
mkdir -p "$logs"
passed=0
failed=0

# Prints the counts in the last line of ctest, `strew test` or pytest as "PASSED FAILED", or nothing if there is no such
# line. Counts pytest's errors as failures.
counts_in() {
  sed -nE -e 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/ctest \1 \2/p' \
    -e 's/^([0-9]+) passed, ([0-9]+) failed$/strew \1 \2/p' \
    -e 's/^=+ (([0-9]+ [a-z]+(, )?)+) in [0-9.]+s.*$/pytest \1/p' "$1" | tail -n 1 |
    awk '$1 == "ctest" { print $3 - $2, $2 }
         $1 == "strew" { print $2, $3 }
         $1 == "pytest" {
           for (i = 2; i < NF; i += 2) counts[substr($(i + 1), 1, 5)] += $i
           print counts["passe"] + 0, counts["faile"] + counts["error"]
         }'
}

# stage NAME COMMAND...: runs the command. A command that prints no counts is one test; one that fails has at least one failure.
stage() {
  start "$@"
  finish "$1"
}

# start NAME COMMAND...: starts a stage in the background; finish NAME waits for it and counts.
declare -A running=()
start() {
  local name=$1
  shift
  [[ $name =~ ${STREW_TEST_STAGES:-.} ]] || return 0
  {
    local status=0 begin=$SECONDS
    "$@" </dev/null >"$logs/${name// /_}.log" 2>&1 || status=$?
    echo "$status $((SECONDS - begin))" >"$logs/${name// /_}.status"
  } &
  running[$name]=$!
}
finish() {
  local name=$1 good bad status seconds log=$logs/${1// /_}.log
  [[ -n ${running[$name]:-} ]] || return 0
  echo "=== $name"
  wait "${running[$name]}"
  unset "running[$name]"
  read -r status seconds <"${log%.log}.status"
  read -r good bad < <(counts_in "$log"; echo)
  if [[ -z $good ]]; then
    good=$((status == 0)) bad=0
  fi
  if ((status != 0 && bad == 0)); then bad=1; fi
  if ((good + bad == 0)); then bad=1; fi
  if ((bad != 0)); then tail -n 100 "$log"; fi
  echo "    $good passed, $bad failed ($seconds s)"
  passed=$((passed + good))
  failed=$((failed + bad))
}

run_ctest() {
  ctest --preset "$1" --parallel "$(nproc)"
}

run_pytest() {
  "$python" -P -m pytest -p no:cacheprovider "$@"
}

# Prints the commit of HEAD if the work tree is clean.
clean_commit() { [[ -n $(git status --porcelain 2>&1) ]] || git rev-parse HEAD; }

tier_test() {
  stage "format" scripts/check_format.sh
  stage "build" scripts/build.sh release
  stage "tests" run_ctest release
  stage "make node tests" "$python" scripts/make_node_tests.py build/node_tests
  stage "node tests" build/strew test build/node_tests
  stage "python package" make --no-print-directory python SKIP_DEPS=1
  stage "onnxruntime plug-in" make --no-print-directory ort SKIP_DEPS=1
  # Two processes share the cores: one runs the Python tests up to s, the other the rest of the tier.
  start "python tests, a to s" run_pytest tests/python/test_[a-s]*.py
  stage "make conformance suite" make --no-print-directory conformance SKIP_DEPS=1
  stage "conformance suite" build/strew test build/conformance --exact
  stage "conformance tests" run_pytest tests/conformance
  stage "site tests" run_pytest tests/site
  stage "onnxruntime tests" run_pytest tests/onnxruntime
  stage "python tests, t to z" run_pytest tests/python/test_[t-z]*.py
  finish "python tests, a to s"
}

tier_sanitize() {
  stage "asan build" scripts/build.sh asan
  stage "asan tests" run_ctest asan
  stage "headers" run_ctest headers
  stage "asan make suites" scripts/make_suites.sh "$python"
  stage "asan node tests" build-asan/strew test build/node_tests
  stage "asan page examples" build-asan/strew test build/page_examples --exact
  stage "fuzzers" scripts/run_fuzzers.sh --runs 20000
  stage "tsan build" scripts/build.sh tsan
  stage "tsan tests" run_ctest tsan
  stage "walks" scripts/test_walks.sh
  stage "clang-tidy" scripts/run_clang_tidy.sh
}

tier_torch() {
  stage "torch tests" scripts/test_torch.sh
}

tier_release() {
  stage "release build" scripts/build.sh release
  stage "release tests" run_ctest packaging
  stage "plain build" scripts/build.sh plain
  stage "plain tests" run_ctest plain
  stage "playground" make --no-print-directory playground SKIP_DEPS=1
  stage "release python package" make --no-print-directory python SKIP_DEPS=1
  stage "site" scripts/build_site.sh build/site
  stage "release node tests" "$python" scripts/make_node_tests.py build/node_tests
  stage "playground tests" run_pytest tests/playground
  stage "documented commands" python3 tests/documented_commands.py . build/documented_commands
  stage "sdist" scripts/test_sdist.sh
  stage "sdist on plain debian" env QUICK=yes scripts/first_hour.sh sdist
  stage "python wheel" scripts/test_wheels.sh sdist
  stage "other pythons" scripts/test_wheels.sh pythons
  stage "cuda wheel" scripts/test_wheels.sh cuda
  stage "portability" scripts/portability.sh build/sdist_test/sources
  stage "release conditions" scripts/test_release.sh
}

for tier in "$@"; do
  declare -F "tier_$tier" >/dev/null || { echo "$tier is not one of the tiers test, sanitize, torch and release" >&2; exit 2; }
done
begin=$SECONDS
for tier in "$@"; do
  rm -f "$logs/$tier.passed"
  commit=$(clean_commit) failed_before=$failed
  "tier_$tier"
  # Records for release.sh that this tier passed at the commit.
  if ((failed == failed_before)) && [[ -z ${STREW_TEST_STAGES:-} && -n $commit && $commit == "$(clean_commit)" ]]; then
    echo "$commit" >"$logs/$tier.passed"
  fi
done

echo
echo "$* in $(((SECONDS - begin + 30) / 60)) minutes"
# The totals, which .ci/run reads.
[[ -z ${STREW_TEST_COUNTS:-} ]] || echo "$passed $failed" >>"$STREW_TEST_COUNTS"
echo "$passed passed, $failed failed"
((failed == 0))
