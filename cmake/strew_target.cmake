# Optimises the library even if a project that adds Strew as a subdirectory has no build type.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_CXX_FLAGS MATCHES "-O[0-9sfgz]")
  set(STREW_OPTIMISED -O3 -DNDEBUG)
endif()
# Versions of g++ after Debian 12's have more warnings, some of them false.
set(STREW_WERROR $<$<BOOL:${STREW_WARNINGS_AS_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(STREW_WERROR)
endif()
# By default, g++ clears and copies structs of more than 64 bytes with `rep stos` and `rep movs`, which take tens of
# cycles to start. A small call clears and copies several such structs.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(STREW_STRUCTS "$<$<COMPILE_LANGUAGE:CXX>:-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign>"
    "$<$<COMPILE_LANGUAGE:CXX>:-mmemcpy-strategy=vector_loop:1024:noalign,libcall:-1:noalign>")
endif()
# g++ then collects garbage less often, which saves a tenth of the compile time for a quarter more memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(STREW_HEAP $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()
# strew_target(NAME): the compile settings that every target of this project shares. -ffp-contract=off prevents accidental
# fused multiply-adds, so that results have the same bits everywhere.
function(strew_target name)
  target_compile_options(${name} PRIVATE ${STREW_OPTIMISED} ${STREW_STRUCTS} ${STREW_HEAP})
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_options(${name} PRIVATE -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
    -Wshadow ${STREW_WERROR})
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # sanitizers enlarge frames
    target_compile_options(${name} PRIVATE -Wframe-larger-than=8192)  # docs/cpp.md says how much stack a call needs
  endif()
endfunction()

if(NOT CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0")  # a caller may choose -O0
  # Options for code that is not hot. They shorten its compilation by a third.
  set(STREW_COLD $<$<OR:$<CONFIG:Release>,$<BOOL:${STREW_OPTIMISED}>>:-O1>)
  # The same for the program, whose own code takes milliseconds; -O1 takes a quarter longer to compile.
  set(STREW_COLDEST $<$<OR:$<CONFIG:Release>,$<BOOL:${STREW_OPTIMISED}>>:-Og>)
endif()

# Number of cold files in a unity unit. Builds without tests have larger units, since they rarely recompile a changed file.
set(STREW_COLD_BATCH 8)
if(NOT STREW_BUILD_TESTS)
  set(STREW_COLD_BATCH 24)
endif()

# strew_unity(NAME BATCH): compiles the sources of a target in units of BATCH files.
function(strew_unity name batch)
  if(STREW_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

# strew_unity_by_folder(NAME MOST): as above, but a unit has files from only one folder.
function(strew_unity_by_folder name most)
  if(NOT STREW_UNITY)
    return()
  endif()
  set(folders)
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(IS_ABSOLUTE ${source} AND NOT alone)
      file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${source})
      string(REGEX REPLACE "/.*" "" folder ${folder})
      list(APPEND folders ${folder})
      list(APPEND sources_of_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH sources_of_${folder} count)
    math(EXPR parts "(${count} + ${most} - 1) / ${most}")
    foreach(source IN LISTS sources_of_${folder})
      math(EXPR count "${count} - 1")
      math(EXPR part "${count} % ${parts}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
    endforeach()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# strew_share_objects(NAME [TARGET...]): lists the objects of NAME and of each TARGET in objects/NAME.txt. With
# STREW_OBJECTS_OF the target uses the objects listed in that build instead of its own sources.
function(strew_share_objects name)
  if(STREW_OBJECTS_OF)
    set(list ${STREW_OBJECTS_OF}/objects/${name}.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} objects)
    get_target_property(foreign ${name} SOURCES)
    list(FILTER foreign INCLUDE REGEX TARGET_OBJECTS)
    set_target_properties(${name} PROPERTIES SOURCES "${objects};${foreign}" LINKER_LANGUAGE CXX)
  elseif(NOT CMAKE_CONFIGURATION_TYPES)
    set(objects ${name} ${ARGN})
    list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/objects/${name}.txt
      CONTENT "$<JOIN:$<FILTER:${objects},EXCLUDE,[.]gch$>,\n>\n")
  endif()
endfunction()

# strew_precompile(NAME [HEADER...]): precompiles standard headers and the given ones for a target. Files must still
# include what they use, since builds of consumers precompile nothing. Strew's own headers are omitted, since g++ forgets
# their #pragma GCC diagnostic.
function(strew_precompile name)
  if(STREW_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstring> <filesystem>
      <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <tuple> <type_traits>
      <unordered_map> <utility> <variant> <vector> <tl/expected.hpp> ${ARGN})
  endif()
endfunction()
