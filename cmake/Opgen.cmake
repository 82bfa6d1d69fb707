# SPDX-License-Identifier: Apache-2.0
#
# opgen(TARGET target DEFS file.def...): makes typed calls and trampolines for the
# operators of each table, and adds what it made to the target. Users get this function
# with find_package(opyard); it does nothing as long as there is no opgen program.

function(opgen)
  cmake_parse_arguments(arg "" "TARGET" "DEFS" ${ARGN})
  if(TARGET opyard::opgen)
    set(program opyard::opgen)
  elseif(TARGET opgen)
    set(program opgen)
  else()
    message(STATUS "opyard: no opgen, so nothing is generated for ${arg_TARGET}")
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/gen)
  foreach(def IN LISTS arg_DEFS)
    get_filename_component(def ${def} ABSOLUTE)
    get_filename_component(stem ${def} NAME_WE)
    set(made ${folder}/${stem}.gen.h ${folder}/${stem}.gen.c)
    add_custom_command(OUTPUT ${made}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${program} --out-dir ${folder} ${def}
      DEPENDS ${def} ${program}
      COMMENT "opgen ${stem}"
      VERBATIM)
    target_sources(${arg_TARGET} PRIVATE ${made})
  endforeach()
  target_include_directories(${arg_TARGET} PRIVATE ${folder})
endfunction()
