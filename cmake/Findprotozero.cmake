# Finds protozero, which is headers only. Target: strew::dep::protozero.
find_path(protozero_INCLUDE_DIR protozero/pbf_reader.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(protozero REQUIRED_VARS protozero_INCLUDE_DIR)
mark_as_advanced(protozero_INCLUDE_DIR)
if(protozero_FOUND AND NOT TARGET strew::dep::protozero)
  add_library(strew::dep::protozero INTERFACE IMPORTED)
  set_target_properties(strew::dep::protozero PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${protozero_INCLUDE_DIR}")
endif()
