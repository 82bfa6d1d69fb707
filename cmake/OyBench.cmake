# SPDX-License-Identifier: Apache-2.0
#
# bench/bench_<noun>.c is one program, bench/bench_<noun> in the build folder, made with
# bench/<noun>_*.c and gate_<noun>.c, the harness and the hand-written floor. Where
# bench/<noun>.def lies beside it, opgen makes its operators. All of a benchmark links the
# shared dispatcher: one process, one registry, and calls through it as a user's are.
# bench_memory and bench_ops, which make tensors, and bench_plugin link the whole library.

set(bench ${PROJECT_SOURCE_DIR}/bench)
if(NOT TARGET opyard_dispatch OR NOT TARGET opgen)
  message(STATUS "opyard: no benchmarks without the dispatcher and opgen")
  return()
endif()

# oy_bench_properties(TARGET [library]): the dispatcher, if no other is named.
function(oy_bench_properties target)
  set(library opyard_dispatch)
  if(ARGC GREATER 1)
    set(library ${ARGV1})
  endif()
  target_include_directories(${target} PRIVATE ${bench})
  target_link_libraries(${target} PRIVATE
    oy_private ${library} Threads::Threads ${CMAKE_DL_LIBS} m)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()

file(GLOB programs CONFIGURE_DEPENDS ${bench}/bench_*.c)
list(FILTER programs EXCLUDE REGEX "_shared\\.c$")
file(GLOB harness CONFIGURE_DEPENDS ${bench}/harness*.c)
foreach(file IN LISTS programs)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^bench_" "" noun ${name})
  file(GLOB parts CONFIGURE_DEPENDS ${bench}/${noun}_*.c ${bench}/gate_${noun}.c)
  add_executable(${name} ${file} ${parts} ${harness} ${bench}/floor.c)
  if(noun MATCHES "^(memory|ops|plugin)$")
    oy_bench_properties(${name} opyard_opyard)
  else()
    oy_bench_properties(${name})
  endif()
  if(EXISTS ${bench}/${noun}.def)
    opgen(TARGET ${name} DEFS ${bench}/${noun}.def INLINE)
  endif()
endforeach()

# What the gate counts above the dispatcher.
if(TARGET opyard_opyard)
  add_executable(gate_tensor ${bench}/gate_tensor.c ${harness})
  oy_bench_properties(gate_tensor opyard_opyard)
endif()

# The plugin that bench_plugin finds beside itself, linked with nothing.
if(TARGET bench_plugin)
  add_library(bench_plugin_shared MODULE ${bench}/bench_plugin_shared.c)
  target_include_directories(bench_plugin_shared PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(bench_plugin_shared PRIVATE oy_flags)
  set_target_properties(bench_plugin_shared PROPERTIES PREFIX lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(bench_plugin bench_plugin_shared)
endif()

if(TARGET bench_dispatch)
  # The same calls from a shared object of their own, and the smallest program that there
  # is; bench_dispatch finds both beside itself.
  add_library(bench_calls MODULE ${bench}/dispatch_ops.c ${bench}/floor.c)
  set_target_properties(bench_calls PROPERTIES PREFIX lib)
  add_executable(bench_start_shared ${bench}/bench_start_shared.c ${harness})
  foreach(target bench_calls bench_start_shared)
    oy_bench_properties(${target})
    opgen(TARGET ${target} DEFS ${bench}/dispatch.def INLINE)
  endforeach()
  target_link_options(bench_calls PRIVATE -Wl,-z,now)
  add_dependencies(bench_dispatch bench_calls bench_start_shared)
endif()
