#!/usr/bin/env bash
# Writes zig's compiler for TARGET, such as x86_64-linux-gnu.2.17, into FOLDER: cc, c++, ar, ranlib, toolchain.cmake and, for
# Linux, link_flags. zig, from the package ziglang in .venv, contains the headers and start files of every glibc, and links its
# libc++ statically. Compiled code runs on every processor of the architecture. Usage: zig_compiler.sh TARGET FOLDER
set -euo pipefail
zig=$("$(dirname "$0")/../.venv/bin/python" -c 'import ziglang, pathlib; print(pathlib.Path(ziglang.__file__).parent / "zig")')
folder=$(realpath -m "$2")
mkdir -p "$folder"
# Keeps an unchanged file, since ccache compares its time.
replace() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}
# Without these flags zig adds checks for undefined behaviour and debug information.
flags="-target $1 -fno-sanitize=undefined -g0"
for tool in "cc $flags" "c++ $flags" ar ranlib; do
  file=$folder/${tool%% *}
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" | replace "$file"
  chmod +x "$file"
done
# For Linux, link commands name two files before zig's own libraries. libgcc_s.so.1 is a stub for the system's libgcc_s, which
# unwinds threads that end with pthread_exit (as in Python before 3.14) and does not know zig's unwinder. memory.o selects
# glibc's memcpy and similar functions instead of zig's slower ones.
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
  "$folder/cc" -shared -nostdlib -Wl,-soname,libgcc_s.so.1 "-Wl,--version-script=$stub.map" "$stub.c" -o "$stub.so.1"

  old=2.2.5 new=2.14  # symbol versions: `new` of memcpy, `old` of the other functions
  [[ $1 == x86_64-* ]] || old=2.17 new=2.17
  replace "$folder/memory.c" <<END
typedef unsigned long size;
extern void *real_memcpy(void *, const void *, size), *real_memmove(void *, const void *, size), *real_memset(void *, int, size);
extern int real_memcmp(const void *, const void *, size);
__asm__(".symver real_memcpy, memcpy@GLIBC_$new");
__asm__(".symver real_memmove, memmove@GLIBC_$old");
__asm__(".symver real_memset, memset@GLIBC_$old");
__asm__(".symver real_memcmp, memcmp@GLIBC_$old");
void *__wrap_memcpy(void *to, const void *from, size bytes) { return real_memcpy(to, from, bytes); }
void *__wrap_memmove(void *to, const void *from, size bytes) { return real_memmove(to, from, bytes); }
void *__wrap_memset(void *to, int value, size bytes) { return real_memset(to, value, bytes); }
int __wrap_memcmp(const void *one, const void *other, size bytes) { return real_memcmp(one, other, bytes); }
END
  "$folder/cc" -O2 -fPIC -fvisibility=hidden -c "$folder/memory.c" -o "$folder/memory.o"
  # For LDFLAGS.
  echo "$stub.so.1 $folder/memory.o $(printf -- '-Wl,--wrap=%s ' memcpy memmove memset memcmp)" >"$folder/link_flags"
fi
# For Windows and macOS CMake would search for those systems' tools.
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
set(CMAKE_PROJECT_INCLUDE $folder/after_project.cmake)
END
# CMake derives each language's libraries from zig's link command, whose output differs if zig first compiles its libraries:
# then C++ link lines would name C's libraries, in an order that changes the bytes. zig needs none of these names.
replace "$folder/after_project.cmake" <<'END'
foreach(language C CXX)
  set(CMAKE_${language}_IMPLICIT_LINK_LIBRARIES "")
  set(CMAKE_${language}_IMPLICIT_LINK_DIRECTORIES "")
endforeach()
END
