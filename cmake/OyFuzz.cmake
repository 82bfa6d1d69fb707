# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/fuzz_<noun>.c is one libFuzzer program. `./yard fuzz` runs each over
# tests/fuzz/corpus/<noun>.

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  if(NOT TARGET opyard_opyard_static)
    break()
  endif()
  add_executable(${name} ${file})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE
    oy_private opyard_opyard_static Threads::Threads m)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endforeach()
