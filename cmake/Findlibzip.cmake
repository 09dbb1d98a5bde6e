# Finds libzip, which Debian ships without a usable CMake config. Target: strew::dep::libzip.
find_path(libzip_INCLUDE_DIR zip.h)
find_library(libzip_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libzip REQUIRED_VARS libzip_LIBRARY libzip_INCLUDE_DIR)
mark_as_advanced(libzip_INCLUDE_DIR libzip_LIBRARY)
if(libzip_FOUND AND NOT TARGET strew::dep::libzip)
  add_library(strew::dep::libzip UNKNOWN IMPORTED)
  set_target_properties(strew::dep::libzip PROPERTIES IMPORTED_LOCATION "${libzip_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${libzip_INCLUDE_DIR}")
endif()
