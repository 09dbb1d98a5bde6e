# Finds protozero, which is headers only. Target: strew::system::protozero.
find_path(protozero_INCLUDE_DIR protozero/pbf_reader.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(protozero REQUIRED_VARS protozero_INCLUDE_DIR)
mark_as_advanced(protozero_INCLUDE_DIR)
if(protozero_FOUND AND NOT TARGET strew::system::protozero)
  add_library(strew::system::protozero INTERFACE IMPORTED)
  set_target_properties(strew::system::protozero PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${protozero_INCLUDE_DIR}")
endif()
