# Debian's emscripten, for the WebAssembly module of the playground.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)

# No vectors, since Highway 1.0.3 has no float64 vectors for WebAssembly. The header adds C++20 features that libc++ 13 lacks.
set(CMAKE_CXX_FLAGS_INIT "-mbulk-memory -msign-ext -mnontrapping-fptoint -include ${CMAKE_CURRENT_LIST_DIR}/libcxx13.h")
