#!/usr/bin/env bash
# Tests completion under bash.
# Usage: shell_test.sh PROGRAM
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch model.onnx
failed=0

# Prints the completions that bash offers for the last of these words.
offers() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _strew
  echo "${COMPREPLY[*]}"
}

expect() { # expected text, found text, name of the check
  [[ $1 == "$2" ]] || { echo "$3: expected '$1', got '$2'"; failed=1; }
}

eval "$("$program" completion bash)"
expect "run op check test ops bench tune make doctor help completion -h --help -V --version" "$(offers strew "")" commands
expect "check" "$(offers strew ch)" "a command"
expect "--reject-duplicates" "$(offers strew op Gather --reje)" "an option"
expect "mul" "$(offers strew op Gather --reduction mu)" "a word of the operator table"
expect "ScatterElements ScatterND" "$(offers strew bench Scatter)" "an operator"
expect "partition private_copy" "$(offers strew op --strategy p)" "a strategy"
expect "model.onnx" "$(offers strew check mod)" "a file"
expect "model.onnx" "$(offers strew run m.onnx -i x = mod)" "a file behind NAME="
expect "model.onnx" "$(offers strew op Gather -o mod)" "a file of an option"
expect "" "$(offers strew op Gather --axis m)" "a number"
expect "bash" "$(offers strew completion b)" "a shell"
expect "bench" "$(offers strew help b)" "a command of help"
for command in $("$program" completion bash | sed -n 's/.*compgen -W "\(run [^"-]*\).*/\1/p'); do
  for option in $("$program" help "$command" | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    expect "$option" "$(offers strew "$command" x "$option" | tr ' ' '\n' | grep -x -- "$option")" "$command $option"
  done
done

exit $failed
