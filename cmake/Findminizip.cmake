# Finds zlib and its minizip, which has no CMake config. Defines the target strew::system::minizip.
find_package(ZLIB QUIET)
find_path(minizip_INCLUDE_DIR minizip/unzip.h)
find_library(minizip_LIBRARY minizip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(minizip REQUIRED_VARS minizip_LIBRARY minizip_INCLUDE_DIR ZLIB_FOUND)
mark_as_advanced(minizip_INCLUDE_DIR minizip_LIBRARY)
if(minizip_FOUND AND NOT TARGET strew::system::minizip)
  add_library(strew::system::minizip UNKNOWN IMPORTED)
  set_target_properties(strew::system::minizip PROPERTIES IMPORTED_LOCATION "${minizip_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${minizip_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
endif()
