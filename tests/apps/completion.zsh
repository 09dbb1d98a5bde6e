# Types at an interactive zsh with ./_strew and waits for what it completes; shell_test.sh ends it where that never comes.
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u -D; fpath=($PWD \$fpath); source $PWD/_strew; bindkey '^I' complete-word; echo REA''DY"
zpty -r shell line '*READY*'
expect() { # what is typed, what must come
  zpty -n -w shell "$1"$'\t'
  zpty -r shell line "*$2*"
  zpty -n -w shell $'\x15'
}
expect 'strew ch' check
expect 'strew op Gather --reje' reject-duplicates
expect 'strew op Gather --reduction mu' mul
expect 'strew bench ScatterN' ScatterND
expect 'strew run -i x=mod' 'x=model.onnx'
zpty -d shell
