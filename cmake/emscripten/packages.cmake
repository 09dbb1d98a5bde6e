# Packages for the playground's module, which uses only the headers of Debian's libraries. Links to their folders
# replace /usr/include, which has the C library of this machine.
set(strew_packages tl-expected hwy nlohmann_json)
set(strew_folder_of_tl-expected tl)
set(strew_folder_of_hwy hwy)
set(strew_folder_of_nlohmann_json nlohmann)
set(strew_target_of_tl-expected tl::expected)
set(strew_target_of_hwy hwy::hwy)
set(strew_target_of_nlohmann_json nlohmann_json::nlohmann_json)

macro(strew_find_headers method name)
  if(NOT ${name} IN_LIST strew_packages OR NOT EXISTS /usr/include/${strew_folder_of_${name}})
    message(FATAL_ERROR "${name}: not among Debian's header packages in /usr/include")
  endif()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
  file(CREATE_LINK /usr/include/${strew_folder_of_${name}} ${CMAKE_BINARY_DIR}/include/${strew_folder_of_${name}} SYMBOLIC)
  add_library(${strew_target_of_${name}} INTERFACE IMPORTED)
  target_include_directories(${strew_target_of_${name}} SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include)
  if(${name} STREQUAL "hwy")  # emulated vectors of float64 would be a third of the module
    target_compile_definitions(hwy::hwy INTERFACE HWY_COMPILE_ONLY_SCALAR)
  endif()
  set(${name}_FOUND TRUE)
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER strew_find_headers SUPPORTED_METHODS FIND_PACKAGE)
