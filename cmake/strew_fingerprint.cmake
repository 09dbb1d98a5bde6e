# strew_fingerprint(SOURCE): defines STREW_FINGERPRINT for SOURCE: the version, and a hash of the headers that the Python
# module and the library of strew-cuda13 must share: the public headers and cuda_door.h.
function(strew_fingerprint source)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/strew/*.h
    ${PROJECT_SOURCE_DIR}/bindings/python/src/cuda_door.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  set(sums "")
  foreach(header IN LISTS headers)
    file(SHA256 ${header} sum)
    string(APPEND sums ${sum})
  endforeach()
  string(SHA256 sum "${sums}")
  string(SUBSTRING ${sum} 0 12 sum)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS STREW_FINGERPRINT="${PROJECT_VERSION}-${sum}")
endfunction()
