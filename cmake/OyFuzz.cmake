# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/fuzz_<noun>.c is one fuzz target, with tests/fuzz/<noun>_*.c beside it.
# `./yard fuzz` runs each under libFuzzer over tests/fuzz/corpus/<noun>; tests give it the
# checked-in corpus once, with any compiler, so that what was found once stays found.

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)

# A program of what target |noun| is made of, in |folder|; ARGN: files beside it.
function(oy_fuzz_program program noun folder)
  file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/${noun}_*.c)
  add_executable(${program} ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_${noun}.c ${parts} ${ARGN})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${program} PRIVATE
    oy_private opyard_opyard_static Threads::Threads m)
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
endfunction()

# Programs of operators make up their arguments as the tests of hostile calls do.
file(GLOB oy_fuzz_parts_ops CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/ops/hostile_*.c)

foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" noun ${name})
  if(NOT TARGET opyard_opyard_static)
    break()
  endif()
  if(OY_TESTS)
    # A small main stands in for libFuzzer.
    oy_fuzz_program(replay_${name} ${noun} tests/fuzz
      ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c ${oy_fuzz_parts_${noun}})
    add_test(NAME fuzz.${noun}
             COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${noun})
    set_tests_properties(fuzz.${noun} PROPERTIES TIMEOUT ${OY_TEST_TIMEOUT} LABELS fuzz)
  endif()
  if(OY_FUZZ)
    oy_fuzz_program(${name} ${noun} fuzz ${oy_fuzz_parts_${noun}})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
endforeach()

# Programs of operators need no libFuzzer to be worth running.
if(TARGET replay_fuzz_ops)
  add_test(NAME fuzz.ops_random COMMAND replay_fuzz_ops --random 5000)
  set_tests_properties(fuzz.ops_random PROPERTIES TIMEOUT ${OY_TEST_TIMEOUT} LABELS fuzz)
endif()
