#!/usr/bin/env bash
# Writes cc, c++, ar, ranlib, toolchain.cmake and, for Linux, libgcc_s.so.1 into FOLDER: the compiler of zig, the package ziglang of .venv, for a TARGET,
# such as x86_64-linux-gnu.2.17. It brings the headers and start files of every glibc, and its libc++ goes into what is
# linked. The processor is the least of the architecture. Usage: zig_compiler.sh TARGET FOLDER
set -euo pipefail
zig=$("$(dirname "$0")/../.venv/bin/python" -c 'import ziglang, pathlib; print(pathlib.Path(ziglang.__file__).parent / "zig")')
folder=$(realpath -m "$2")
mkdir -p "$folder"
# The old file where nothing is new: ccache looks at its time.
replace() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}
# zig would look for undefined behaviour, and keep what a debugger needs.
flags="-target $1 -fno-sanitize=undefined -g0"
for tool in "cc $flags" "c++ $flags" ar ranlib; do
  file=$folder/${tool%% *}
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" | replace "$file"
  chmod +x "$file"
done
# A thread that ends by pthread_exit, as those do that a Python before 3.14 leaves behind, is unwound by libgcc_s, which does
# not know zig's own unwinder. So the unwinder is libgcc_s's everywhere: what is linked names it before zig's. This stands in
# for it, as each processor has it.
if [[ $1 == *-linux-* ]]; then
  gcc_3_0=(DeleteException GetDataRelBase GetGR GetIP GetLanguageSpecificData GetRegionStart GetTextRelBase
    RaiseException Resume SetGR SetIP ForcedUnwind)
  gcc_3_3=(Backtrace FindEnclosingFunction GetCFA Resume_or_Rethrow)
  stub=$folder/libgcc_s
  for name in "${gcc_3_0[@]}" "${gcc_3_3[@]}" GetIPInfo; do echo "void _Unwind_$name(void) {}"; done | replace "$stub.c"
  {
    echo "GCC_3.0 { global: $(printf '_Unwind_%s; ' "${gcc_3_0[@]}") local: *; };"
    echo "GCC_3.3 { global: $(printf '_Unwind_%s; ' "${gcc_3_3[@]}") } GCC_3.0;"
    echo "GCC_4.2.0 { global: _Unwind_GetIPInfo; } GCC_3.3;"
  } | replace "$stub.map"
  [[ $stub.so.1 -nt $stub.map ]] || "$folder/cc" -shared -nostdlib -Wl,-soname,libgcc_s.so.1 "-Wl,--version-script=$stub.map" \
    "$stub.c" -o "$stub.so.1"
fi
# CMake would look for the tools of other systems.
system=Generic
[[ $1 != *-linux-* ]] || system=Linux
replace "$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME $system)
set(CMAKE_SYSTEM_PROCESSOR ${1%%-*})
set(CMAKE_C_COMPILER $folder/cc)
set(CMAKE_CXX_COMPILER $folder/c++)
set(CMAKE_AR $folder/ar)
set(CMAKE_RANLIB $folder/ranlib)
set(STREW_ZIG $(dirname "$zig"))
END
