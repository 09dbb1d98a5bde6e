# Tests that other projects can use strew: an install by CMake and by pkg-config, a subdirectory, and a shared library.
set(consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer)
set(common --build-generator ${CMAKE_GENERATOR} --build-project strew_consumer)
set(options -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER})
# Flags of tests that compile the whole library only to link it.
set(quick "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHWY_COMPILE_ONLY_STATIC")

add_test(NAME install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${consumer}/prefix)
add_test(NAME installed_program COMMAND ${consumer}/prefix/${CMAKE_INSTALL_BINDIR}/strew ops)
add_test(NAME installed_shell_files COMMAND ${CMAKE_COMMAND} -E md5sum
  ${consumer}/prefix/${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions/strew)
add_test(NAME consumer_find_package COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_LIST_DIR} ${consumer}/find_package ${common}
  --build-options ${options} -DCMAKE_PREFIX_PATH=${consumer}/prefix --test-command consumer)
execute_process(COMMAND ${STREW_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/../documented_code.py ${PROJECT_SOURCE_DIR}
  --consumer ${consumer}/readme_source COMMAND_ERROR_IS_FATAL ANY)
add_test(NAME consumer_of_the_readme COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${consumer}/readme_source ${consumer}/readme --build-generator ${CMAKE_GENERATOR}
  --build-project app --build-options ${options} -DCMAKE_PREFIX_PATH=${consumer}/prefix --test-command app)
add_test(NAME consumer_add_subdirectory COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_LIST_DIR} ${consumer}/add_subdirectory ${common}
  --build-options ${options} ${quick} -DSTREW_SOURCE_DIR=${PROJECT_SOURCE_DIR} --test-command consumer)
add_test(NAME consumer_of_a_missing_component COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}
  -B ${consumer}/missing_component ${options} -DCMAKE_PREFIX_PATH=${consumer}/prefix -DSTREW_KIND=models)
set_tests_properties(consumer_of_a_missing_component PROPERTIES PASS_REGULAR_EXPRESSION "component models of[ \n]+strew")
add_test(NAME consumer_pkg_config COMMAND ${CMAKE_CURRENT_LIST_DIR}/pkg_config.sh
  ${consumer}/prefix ${CMAKE_CXX_COMPILER} ${consumer}/pkg_config)
add_test(NAME consumer_shared COMMAND ${CMAKE_CURRENT_LIST_DIR}/shared.sh
  ${CMAKE_CXX_COMPILER} 20 ${consumer}/shared -DSTREW_BUILD_APPS=OFF ${quick})

set_tests_properties(install PROPERTIES FIXTURES_SETUP strew_installed)
set_tests_properties(installed_program installed_shell_files consumer_find_package consumer_of_the_readme consumer_pkg_config
  consumer_of_a_missing_component PROPERTIES FIXTURES_REQUIRED strew_installed)
add_test(NAME program_without_googletest WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND ${CMAKE_COMMAND} --preset program
  -B ${consumer}/without_googletest -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
add_test(NAME consumer_without_build_type
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/no_build_type.sh ${PROJECT_SOURCE_DIR} ${consumer}/no_build_type)
set_tests_properties(consumer_without_build_type PROPERTIES LABELS packaging)
set_tests_properties(install installed_program installed_shell_files consumer_find_package consumer_of_the_readme consumer_add_subdirectory
  consumer_pkg_config consumer_of_a_missing_component consumer_shared PROPERTIES LABELS packaging)
set_tests_properties(consumer_add_subdirectory consumer_shared PROPERTIES TIMEOUT 900)
