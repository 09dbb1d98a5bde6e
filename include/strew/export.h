// A shared library exports the declarations between STREW_API_BEGIN and STREW_API_END, and nothing else. In a
// static library both macros are empty, so a shared library that contains it does not export the declarations.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Strew needs C++20: compile with -std=c++20 or newer"
#endif

#ifdef STREW_EXPORTS  // while a shared library of Strew is compiled
#define STREW_API_BEGIN _Pragma("GCC visibility push(default)")
#define STREW_API_END _Pragma("GCC visibility pop")
#else
#define STREW_API_BEGIN
#define STREW_API_END
#endif
