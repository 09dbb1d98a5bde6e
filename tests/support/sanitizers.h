// Defines STREW_ASAN and STREW_TSAN: 1 if the tests are built with this sanitizer of g++ or clang, else 0.
#pragma once

#if defined(__has_feature)
#define STREW_HAS_FEATURE(name) __has_feature(name)
#else
#define STREW_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || STREW_HAS_FEATURE(address_sanitizer)
#define STREW_ASAN 1
#else
#define STREW_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || STREW_HAS_FEATURE(thread_sanitizer)
#define STREW_TSAN 1
#else
#define STREW_TSAN 0
#endif
