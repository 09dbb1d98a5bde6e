#!/usr/bin/env bash
# Compiles the CUDA kernels with nvcc for each architecture and checks the machine code: no spilled registers, loads of 16
# bytes in kernels that move rows, no fused multiply-add and no flushed subnormal in a reduction. Without nvcc, exits with
# 77. Usage: [NVCC=nvcc] test_cuda_compile.sh [ARCHITECTURE...]
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=$(command -v "${NVCC:-nvcc}" || command -v /usr/local/cuda/bin/nvcc || true)
[[ -n $nvcc ]] || { echo "There is no nvcc here: the kernels were compiled only as C++."; exit 77; }
(($# > 0)) || set -- 80 90 100 120
most_spilled=0 # bytes of one kernel
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
flags=(-x cu -std=c++20 -fmad=false --expt-relaxed-constexpr -Iinclude -Isrc)
failed=0
complain() { echo "$*"; failed=1; }

"$nvcc" -std=c++20 -Iinclude -c -o "$folder/example.o" examples/cuda.cc || complain "examples/cuda.cc does not compile"
for architecture in "$@"; do
  for source in src/cuda/{check_indices,columns,combine,exact_fold,fold,fused_gather,move,runs}.cc src/cuda/nvidia/{queue,sort}.cc; do
    name=$(basename "$source" .cc)
    "$nvcc" "${flags[@]}" -arch="sm_$architecture" -Xptxas -v -cubin -o "$folder/$name.cubin" "$source" \
      2>"$folder/$name.log" || { cat "$folder/$name.log"; complain "$source does not compile for $architecture"; continue; }
    [[ $name != sort ]] || continue # contains CUB code
    spilled=$(sed -nE 's/.* ([0-9]+) bytes spill stores.*/\1/p' "$folder/$name.log" | sort -n | tail -n 1)
    ((${spilled:-0} <= most_spilled)) || complain "$source spills $spilled bytes for $architecture"
    echo "sm_$architecture $name: at most ${spilled:-0} bytes spilled"
  done
  for name in fold move; do
    "$nvcc" "${flags[@]}" -arch="compute_$architecture" -ptx -o "$folder/$name.ptx" "src/cuda/$name.cc" 2>/dev/null
    wide=$(grep -cE 'ld\.[a-z.]*v4|ld\.[a-z.]*v2\.[bu]64' "$folder/$name.ptx" || true)
    ((wide > 0)) || complain "$name.cc does not load 16 bytes at once for $architecture"
    echo "sm_$architecture $name: $wide loads of 16 bytes"
  done
  ! grep -nE '\bfma\.' "$folder/fold.ptx" || complain "fold.cc has a fused multiply-add for $architecture"
  ! grep -nE '\.ftz' "$folder/fold.ptx" || complain "fold.cc flushes subnormals for $architecture"
done
exit "$failed"
