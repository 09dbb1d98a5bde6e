# Finds pthreadpool, which Debian ships without a usable CMake config. Target: strew::dep::pthreadpool.
find_path(pthreadpool_INCLUDE_DIR pthreadpool.h)
find_library(pthreadpool_LIBRARY pthreadpool)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(pthreadpool REQUIRED_VARS pthreadpool_LIBRARY pthreadpool_INCLUDE_DIR)
mark_as_advanced(pthreadpool_INCLUDE_DIR pthreadpool_LIBRARY)
if(pthreadpool_FOUND AND NOT TARGET strew::dep::pthreadpool)
  add_library(strew::dep::pthreadpool UNKNOWN IMPORTED)
  set_target_properties(strew::dep::pthreadpool PROPERTIES IMPORTED_LOCATION "${pthreadpool_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${pthreadpool_INCLUDE_DIR}")
endif()
