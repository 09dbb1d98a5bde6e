# Install rules: the libraries, their headers, a CMake package and pkg-config files. In a wheel they lie inside the package
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

foreach(library IN LISTS strew_libraries)
  install(TARGETS ${library} EXPORT ${library}Targets)
endforeach()
target_include_directories(strew INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/strew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(STREW_CUDA)  # for find_package(strew COMPONENTS cuda), which alone needs the toolkit
  install(TARGETS strew_cuda EXPORT strewCudaTargets)
  install(EXPORT strewCudaTargets NAMESPACE strew:: DESTINATION ${strew_package_dir})
endif()
# The public headers include <tl/expected.hpp>: the system's, or one beside them.
if(strew_expected_source)
  set(headers ${CMAKE_INSTALL_INCLUDEDIR}/strew/third_party)
  target_include_directories(strew SYSTEM INTERFACE $<INSTALL_INTERFACE:${headers}>)
  install(DIRECTORY ${strew_expected_source}/include/tl DESTINATION ${headers})
  set(strew_pc_cflags " -I\${includedir}/strew/third_party")
endif()

# Both kinds can be installed together: each has files of its own, but for those of pkg-config, which are the later one's. A
# static library leaves what it has from the system to whoever links it, with `pkg-config --static` alone where a shared one
# lies beside it.
get_target_property(strew_type strew TYPE)
set(strew_kind shared)
if(strew_type STREQUAL "STATIC_LIBRARY")
  set(strew_kind static)
endif()
set(scope "")
if(STREW_SHARED_BESIDE)
  set(scope _private)
endif()
file(RELATIVE_PATH strew_pc_include ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(strew_description "${PROJECT_DESCRIPTION}")
set(strew_model_description "ONNX models of gathers and scatters, and files of tensors")
set(strew_picture_description "Pictures of gathers and scatters")
foreach(library IN LISTS strew_libraries)
  set(calls "")
  set(requires "")
  set(requires_private "")
  if(NOT library STREQUAL "strew")
    set(requires "strew = ${PROJECT_VERSION}")
  elseif(NOT strew_expected_source)
    set(calls "find_dependency(tl-expected)\n")
  endif()
  if(strew_kind STREQUAL "static")
    string(APPEND calls "${${library}_find_calls}")
    list(APPEND requires${scope} ${${library}_pc_requires})
  endif()
  list(JOIN requires ", " requires)
  list(JOIN requires_private ", " requires_private)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${library}_${strew_kind}.cmake @ONLY CONTENT
"list(PREPEND CMAKE_MODULE_PATH \${CMAKE_CURRENT_LIST_DIR})
@calls@list(POP_FRONT CMAKE_MODULE_PATH)
include(\${CMAKE_CURRENT_LIST_DIR}/@library@Targets_@strew_kind@.cmake)
")
  set(description "${${library}_description}")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/strew.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(EXPORT ${library}Targets FILE ${library}Targets_${strew_kind}.cmake NAMESPACE strew::
    DESTINATION ${strew_package_dir})
  install(FILES ${PROJECT_BINARY_DIR}/${library}_${strew_kind}.cmake DESTINATION ${strew_package_dir})
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/strewConfig.cmake.in
  ${PROJECT_BINARY_DIR}/strewConfig.cmake INSTALL_DESTINATION ${strew_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strewConfig.cmake ${PROJECT_BINARY_DIR}/strewConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/Findminizip.cmake DESTINATION ${strew_package_dir})
