# strew_license(COMPONENT NAME PACKAGE [TEXT]): puts the licence of a library whose code gets into a wheel beside the
# wheel's own: TEXT, a file or pattern, or else that of the sources it is built from, or else what the distribution's
# PACKAGE installs. Without it the build goes on
# with a warning; where warnings are errors, as in the wheels that are published, it ends.
function(strew_license component name package)
  if(NOT DEFINED SKBUILD_METADATA_DIR)  # no wheel
    return()
  endif()
  get_property(text GLOBAL PROPERTY strew_licence_of_${name})
  if(text)
  elseif(ARGC GREATER 3)
    file(GLOB text ${ARGV3})
  else()
    find_file(text NAMES copyright LICENSE LICENSE.txt LICENSE.MIT COPYING NO_DEFAULT_PATH NO_CACHE
      PATHS /usr/share/doc/${package} /usr/share/licenses/${package} /usr/share/licenses/${name})
  endif()
  if(text)
    install(FILES ${text} DESTINATION ${SKBUILD_METADATA_DIR}/licenses/third_party RENAME ${name}.txt
      COMPONENT ${component})
  elseif(STREW_WARNINGS_AS_ERRORS)
    message(FATAL_ERROR "No licence text of ${name} found, which the wheel has to carry")
  else()
    message(WARNING "No licence text of ${name} found: this wheel may be used, but not given to others")
  endif()
endfunction()
