# Adds to a wheel the licences of the libraries in it, and its bill of materials sboms/strew.cdx.json (CycloneDX, PEP 770).

# strew_component(NAME TITLE VERSION LICENSE PURL): an entry of the bill of materials; VERSION and PURL may be empty.
function(strew_component name title version license purl)
  set(fields "\"type\": \"library\",\n      \"bom-ref\": \"${name}\",\n      \"name\": \"${title}\"")
  if(version)
    string(APPEND fields ",\n      \"version\": \"${version}\"")
  endif()
  if(purl)
    string(APPEND fields ",\n      \"purl\": \"${purl}\"")
  endif()
  string(APPEND fields ",\n      \"licenses\": [{\"expression\": \"${license}\"}]")
  set_property(GLOBAL PROPERTY strew_component_${name} "    {\n      ${fields}\n    }")
endfunction()

# strew_license(COMPONENT NAME PACKAGE [TEXT]): adds a library to a wheel, with the licence recorded by strew_keep_licence,
# or else TEXT (a file or pattern), or else the file that the distribution's PACKAGE installs. Without a licence the build
# warns, and fails if warnings are errors, as for published wheels.
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
    message(FATAL_ERROR "No licence text for ${name} found; the wheel must contain it")
  else()
    message(WARNING "No licence text for ${name} found: this wheel may be used, but not redistributed")
  endif()
  strew_write_bill(${component} ${name})
endfunction()

# Adds a library to the bill of materials of a wheel.
function(strew_write_bill component name)
  set_property(GLOBAL APPEND PROPERTY strew_inside_${component} ${name})
  get_property(names GLOBAL PROPERTY strew_inside_${component})
  set(bill ${PROJECT_BINARY_DIR}/sboms/${component}/strew.cdx.json)
  if(names STREQUAL name)
    install(FILES ${bill} DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT ${component})
  endif()
  set(entries)
  foreach(name IN LISTS names)
    get_property(entry GLOBAL PROPERTY strew_component_${name})
    if(NOT entry)  # a system library of unknown version
      set(entry "    {\"type\": \"library\", \"bom-ref\": \"${name}\", \"name\": \"${name}\"}")
    endif()
    list(APPEND entries "${entry}")
  endforeach()
  string(REPLACE ";" ",\n" entries "${entries}")
  list(JOIN names "\", \"" references)
  string(REPLACE "_" "-" self "pkg:pypi/${SKBUILD_PROJECT_NAME}@${SKBUILD_PROJECT_VERSION}")
  file(WRITE ${bill} "{
  \"bomFormat\": \"CycloneDX\",
  \"specVersion\": \"1.6\",
  \"version\": 1,
  \"metadata\": {
    \"component\": {
      \"type\": \"library\",
      \"bom-ref\": \"${self}\",
      \"name\": \"${SKBUILD_PROJECT_NAME}\",
      \"version\": \"${SKBUILD_PROJECT_VERSION}\",
      \"purl\": \"${self}\",
      \"licenses\": [{\"expression\": \"Apache-2.0\"}]
    }
  },
  \"components\": [
${entries}
  ],
  \"dependencies\": [{\"ref\": \"${self}\", \"dependsOn\": [\"${references}\"]}]
}
")
endfunction()

# strew_runtime_licenses(COMPONENT): adds licences of zig's C++ library if the toolchain file sets STREW_ZIG.
function(strew_runtime_licenses component)
  if(STREW_ZIG)
    execute_process(COMMAND ${STREW_ZIG}/zig version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    strew_component(libcxx "libc++ and libc++abi of LLVM" "${CMAKE_CXX_COMPILER_VERSION}"
      "Apache-2.0 WITH LLVM-exception" "pkg:github/llvm/llvm-project@llvmorg-${CMAKE_CXX_COMPILER_VERSION}")
    strew_component(zig "compiler_rt of zig" "${version}" MIT "pkg:pypi/ziglang@${version}")
    strew_license(${component} libcxx libcxx ${STREW_ZIG}/lib/libcxx/LICENSE.TXT)
    strew_license(${component} zig zig ${STREW_ZIG}/LICENSE)
  endif()
endfunction()
