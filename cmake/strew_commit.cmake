# STREW_COMMIT is the commit of the repository, or the commit that `git archive` wrote into commit.txt, as for an sdist. It is
# empty if neither is known. CMake runs again after a new commit.
set(STREW_COMMIT "")
if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git rev-parse HEAD --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed EQUAL 0)
    string(REPLACE "\n" ";" lines "${lines}")
    list(POP_FRONT lines STREW_COMMIT log)
    cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(EXISTS ${log})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
    endif()
  endif()
else()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt STREW_COMMIT REGEX "^[0-9a-f]+$")
endif()
