# SPDX-License-Identifier: Apache-2.0
#
# opgen(TARGET target... DEFS file.def... [INLINE] [OPTIONS option...]): makes typed calls
# and trampolines of the operators in each table, file.gen.h and file.gen.c, and builds them
# into the targets. INLINE adds file_inline.gen.h, the same calls for static builds. What
# is made lies in gen/ of the current build folder. Users get this function with
# find_package(opyard).

function(opgen)
  cmake_parse_arguments(arg "INLINE" "" "TARGET;DEFS;OPTIONS" ${ARGN})
  if(TARGET opyard::opgen)
    set(program opyard::opgen)
  elseif(TARGET opgen)
    set(program opgen)
  else()
    message(FATAL_ERROR "opgen(): this opyard was built without its tools (OY_TOOLS)")
  endif()
  if(NOT arg_TARGET OR NOT arg_DEFS)
    message(FATAL_ERROR "opgen(TARGET target... DEFS file.def...) wants both")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gen)
  foreach(def IN LISTS arg_DEFS)
    get_filename_component(def ${def} ABSOLUTE)
    get_filename_component(stem ${def} NAME_WE)
    set(made ${folder}/${stem}.gen.h ${folder}/${stem}.gen.c)
    set(options ${arg_OPTIONS})
    if(arg_INLINE)
      list(APPEND made ${folder}/${stem}_inline.gen.h)
      list(APPEND options --inline-header ${folder}/${stem}_inline.gen.h)
    endif()
    add_custom_command(OUTPUT ${made}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${program} --out-dir ${folder} ${options} ${def}
      # opgen leaves a file alone that would not change; Ninja goes by its time.
      COMMAND ${CMAKE_COMMAND} -E touch ${made}
      DEPENDS ${def} ${program}
      COMMENT "opgen ${stem}"
      VERBATIM)
    foreach(target IN LISTS arg_TARGET)
      target_sources(${target} PRIVATE ${made})
      target_include_directories(${target} PRIVATE ${folder})
    endforeach()
  endforeach()
endfunction()
