# SPDX-License-Identifier: Apache-2.0
#
# bench/bench_<noun>.c is one program, bench/bench_<noun> in the build folder, linked with
# the static library; bench_<noun>_shared.c is linked with the shared one. Other files of
# bench/ are helpers linked to each.

file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/bench_*.c)
file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
if(programs)
  list(REMOVE_ITEM helpers ${programs})
endif()
foreach(file IN LISTS programs)
  get_filename_component(name ${file} NAME_WE)
  set(library opyard_opyard_static)
  if(name MATCHES "_shared$")
    set(library opyard_opyard)
  endif()
  if(NOT TARGET ${library})
    continue()
  endif()
  add_executable(${name} ${file} ${helpers})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(${name} PRIVATE oy_private ${library} Threads::Threads m)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endforeach()
