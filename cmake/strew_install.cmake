# Install rules: the library, its headers, a CMake package and a pkg-config file. In a wheel they lie inside the package
# strew, for strew.get_include() and strew.get_cmake_dir(); but not where it is compiled with libc++, as with zig, since
# projects that use libstdc++ could not link such a library.
include(CMakePackageConfigHelpers)

if(STREW_BUILD_PYTHON)
  include(CheckCXXSymbolExists)
  check_cxx_symbol_exists(_LIBCPP_VERSION version STREW_HAS_LIBCXX)
  if(STREW_HAS_LIBCXX)
    return()
  endif()
  set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME python)
  set(CMAKE_INSTALL_INCLUDEDIR strew/include)
  set(CMAKE_INSTALL_LIBDIR strew/lib)
  set(CMAKE_INSTALL_DOCDIR strew/lib/cmake/strew)
endif()
set(strew_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strew)
get_target_property(strew_type strew TYPE)

install(TARGETS strew EXPORT strewTargets)
target_include_directories(strew INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/strew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(STREW_CUDA)  # for find_package(strew COMPONENTS cuda), which alone needs the toolkit
  install(TARGETS strew_cuda EXPORT strewCudaTargets)
  install(EXPORT strewCudaTargets NAMESPACE strew:: DESTINATION ${strew_package_dir})
endif()
# A static library leaves what it has from the system to whoever links it. The public headers include <tl/expected.hpp>:
# the system's, or one beside them.
if(strew_type STREQUAL "STATIC_LIBRARY")
  set(strew_kind static)
  string(APPEND strew_find_calls "find_dependency(Threads)\n")
else()
  set(strew_kind shared)
  set(strew_find_calls "")
  set(strew_pc_requires "")
endif()
if(strew_expected_source)
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/strew/third_party)
  target_include_directories(strew SYSTEM INTERFACE $<INSTALL_INTERFACE:${headers}>)
  install(DIRECTORY ${strew_expected_source}/include/tl DESTINATION ${headers})
  set(strew_pc_cflags " -I\${includedir}/strew/third_party")
else()
  string(PREPEND strew_find_calls "find_dependency(tl-expected)\n")
endif()
# Both kinds can be installed together: each has files of its own.
install(EXPORT strewTargets FILE strewTargets_${strew_kind}.cmake NAMESPACE strew:: DESTINATION ${strew_package_dir})
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/strew_${strew_kind}.cmake @ONLY CONTENT
"list(PREPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_LIST_DIR})
@strew_find_calls@list(POP_FRONT CMAKE_MODULE_PATH)
include(\${CMAKE_CURRENT_LIST_DIR}/strewTargets_@strew_kind@.cmake)
")
list(JOIN strew_pc_requires " " strew_pc_requires)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/strewConfig.cmake.in
  ${PROJECT_BINARY_DIR}/strewConfig.cmake INSTALL_DESTINATION ${strew_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strewConfig.cmake ${PROJECT_BINARY_DIR}/strewConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/strew_${strew_kind}.cmake ${CMAKE_CURRENT_LIST_DIR}/Findminizip.cmake
  DESTINATION ${strew_package_dir})

file(RELATIVE_PATH strew_pc_include ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/strew.pc.in ${PROJECT_BINARY_DIR}/strew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/strew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
