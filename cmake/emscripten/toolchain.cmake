# Debian's emscripten, for the WebAssembly module of the playground.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)

# No vectors, since Highway 1.0.3 has none of float64 there. libc++ 13 lacks a few things of C++20, which the header adds.
set(CMAKE_CXX_FLAGS_INIT "-mbulk-memory -msign-ext -mnontrapping-fptoint -include ${CMAKE_CURRENT_LIST_DIR}/libcxx13.h")
