# strew_target(NAME): the compile settings that every target of this project shares.
# -ffp-contract=off: no fused multiply-add by accident, so that results have the same bits everywhere.
function(strew_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_options(${name} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
    -Wshadow $<$<BOOL:${STREW_WARNINGS_AS_ERRORS}>:-Werror>)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # sanitizers enlarge frames
    target_compile_options(${name} PRIVATE -Wframe-larger-than=8192)  # docs/cpp.md says what stack a call needs
  endif()
endfunction()
