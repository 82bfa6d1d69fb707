# SPDX-License-Identifier: Apache-2.0
#
# examples/NN_name/*.c is one program, run by ctest as examples.NN_name. It sees only what
# a user sees: the public headers and the shared library. A folder with `embed` in its name
# gets the dispatcher alone, and one with a CMakeLists.txt of its own builds itself. Where
# expected.txt lies beside it, the output has to be that. examples/*/*.oy are programs
# for `opyard run`.

function(oy_add_example folder)
  get_filename_component(name ${folder} NAME)
  if(EXISTS ${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.c)
  file(GLOB programs CONFIGURE_DEPENDS ${folder}/*.oy)
  set(library opyard_opyard)
  if(name MATCHES "embed")
    set(library opyard_dispatch)
  endif()
  if(files AND TARGET ${library})
    set(target example_${name})
    add_executable(${target} ${files})
    target_link_libraries(${target} PRIVATE oy_flags ${library} Threads::Threads m)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    oy_test_output(examples.${name} ${folder}/expected.txt $<TARGET_FILE:${target}>)
  endif()
  if(TARGET opyard_command)
    foreach(program IN LISTS programs)
      get_filename_component(stem ${program} NAME_WE)
      oy_test_output(examples.${name}.${stem} ${folder}/${stem}.expected.txt
                     $<TARGET_FILE:opyard_command> run ${program})
    endforeach()
  endif()
endfunction()

# Runs a command; its exit status is 0, and its output is the file's where that exists.
function(oy_test_output name expected)
  add_test(NAME ${name} COMMAND
    sh ${PROJECT_SOURCE_DIR}/tools/expect_output.sh ${expected} ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS examples)
endfunction()

file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*)
foreach(folder IN LISTS folders)
  if(IS_DIRECTORY ${folder})
    oy_add_example(${folder})
  endif()
endforeach()
