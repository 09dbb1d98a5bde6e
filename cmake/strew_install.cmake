# Install rules: the library, its headers, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

set(strew_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strew)
get_target_property(strew_type strew TYPE)

install(TARGETS strew EXPORT strewTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/strew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(STREW_CUDA)  # for find_package(strew COMPONENTS cuda), which alone needs the toolkit
  install(TARGETS strew_cuda EXPORT strewCudaTargets)
  install(EXPORT strewCudaTargets NAMESPACE strew:: DESTINATION ${strew_package_dir})
endif()
install(EXPORT strewTargets NAMESPACE strew:: DESTINATION ${strew_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/strewConfig.cmake.in
  ${PROJECT_BINARY_DIR}/strewConfig.cmake INSTALL_DESTINATION ${strew_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strewConfig.cmake ${PROJECT_BINARY_DIR}/strewConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/Findminizip.cmake
  DESTINATION ${strew_package_dir})

# A static library leaves the libraries that it uses to whoever links it.
if(strew_type STREQUAL "STATIC_LIBRARY")
  set(strew_pc_libs "-lminizip -lz -lhwy -pthread")
endif()
file(RELATIVE_PATH strew_pc_include ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/strew.pc.in ${PROJECT_BINARY_DIR}/strew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/strew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
