# SPDX-License-Identifier: Apache-2.0
#
# tests/<layer>/test_<noun>.c is one program and one ctest entry, <layer>.<noun>. Other .c
# files of the folder, and tests/support/*.c, are helpers linked to each of its programs.
# Tests reach private symbols: they link the static library or, under a sanitizer, the
# shared one, which then exports all. Their code is position independent there, since a
# copied variable would lose what AddressSanitizer puts around it.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

# Layers below the tensor see the dispatcher alone: that it stands by itself is tested by
# linking nothing else.
set(OY_LOW_LAYERS base dispatch)
set(OY_TEST_TIMEOUT 240 CACHE STRING "Seconds until ctest gives up on one test")

function(oy_add_tests layer)
  set(folder ${PROJECT_SOURCE_DIR}/tests/${layer})
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/test_*.c)
  if(layer IN_LIST OY_LOW_LAYERS)
    set(library opyard_dispatch_static)
  elseif(OY_SANITIZE)
    set(library opyard_opyard)
  else()
    set(library opyard_opyard_static)
  endif()
  if(NOT tests OR NOT TARGET ${library})
    return()
  endif()
  file(GLOB helpers CONFIGURE_DEPENDS ${folder}/*.c ${PROJECT_SOURCE_DIR}/tests/support/*.c)
  list(REMOVE_ITEM helpers ${tests})
  set(common)
  if(helpers)
    add_library(test_${layer}_helpers OBJECT ${helpers})
    target_link_libraries(test_${layer}_helpers PRIVATE
      oy_private ${library} PkgConfig::CMOCKA)
    target_compile_definitions(test_${layer}_helpers PRIVATE OY_STATIC=1)
    target_include_directories(test_${layer}_helpers PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    set(common $<TARGET_OBJECTS:test_${layer}_helpers>)
  endif()
  foreach(file IN LISTS tests)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "" noun ${name})
    set(target test_${layer}_${noun})
    add_executable(${target} ${file} ${common})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${target} PRIVATE
      OY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" OY_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${target} PRIVATE
      oy_private ${library} PkgConfig::CMOCKA Threads::Threads m)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${layer})
    add_test(NAME ${layer}.${noun} COMMAND ${target}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${layer})
    set_tests_properties(${layer}.${noun} PROPERTIES
      TIMEOUT ${OY_TEST_TIMEOUT} LABELS "${layer}")
  endforeach()
endfunction()

# What the tests of plugins load: linked with nothing, as a plugin may be.
if(TARGET opyard_opyard_static)
  add_library(test_plugin MODULE ${PROJECT_SOURCE_DIR}/tests/plugin/plugins/test_plugin.c
    ${PROJECT_SOURCE_DIR}/tests/support/sim_device.c)
  target_include_directories(test_plugin PRIVATE ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/plugin/plugins)
  target_compile_definitions(test_plugin PRIVATE _GNU_SOURCE)
  target_compile_options(test_plugin PRIVATE -include through_table.h)
  # As a vendor builds it: without the sanitizer that the library may be built with.
  if(NOT OY_SANITIZE)
    target_link_libraries(test_plugin PRIVATE oy_flags)
  endif()
  target_link_libraries(test_plugin PRIVATE Threads::Threads)
  set_target_properties(test_plugin PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/plugin)
endif()

# A script tests/<layer>/test_<noun>.sh is a test too; it gets the paths of the source
# and the build as its two arguments, and exits 77 when what it needs is not there.
function(oy_add_script_tests layer)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${layer}/test_*.sh)
  foreach(file IN LISTS scripts)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "" noun ${name})
    add_test(NAME ${layer}.${noun}_sh
             COMMAND sh ${file} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(${layer}.${noun}_sh PROPERTIES
      TIMEOUT ${OY_TEST_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "${layer};script")
  endforeach()
endfunction()

file(GLOB entries CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*)
foreach(entry IN LISTS entries)
  get_filename_component(layer ${entry} NAME)
  if(IS_DIRECTORY ${entry} AND NOT layer MATCHES "^(fuzz|install|support|data|gpu|opencl|cuda)$")
    oy_add_tests(${layer})
    oy_add_script_tests(${layer})
  endif()
endforeach()

# Their calls are those of `opyard certify`.
set(certify ${PROJECT_SOURCE_DIR}/tools/opyard/certify)
foreach(target test_ops_gradcheck_drawn test_ops_vmap_grad_drawn test_ops_functionalize_drawn)
  if(TARGET ${target})
    target_sources(${target} PRIVATE
      ${PROJECT_SOURCE_DIR}/tests/ops/drawn/drawn.c
      ${PROJECT_SOURCE_DIR}/tests/ops/drawn/number.c
      ${certify}/forms.c ${certify}/sample.c ${certify}/sample_values.c)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tools/opyard)
  endif()
endforeach()

# The checkers check themselves: each must reject what it is there to reject.
add_test(NAME tools.check_layers COMMAND sh ${PROJECT_SOURCE_DIR}/tools/check_layers.sh --self-test)
set_tests_properties(tools.check_layers PROPERTIES LABELS tools)

# A project outside the tree, built against an installed opyard.
if(OY_INSTALL AND TARGET opyard_opyard AND NOT OY_SANITIZE)
  add_test(NAME install.outside COMMAND
    sh ${PROJECT_SOURCE_DIR}/tests/install/run.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  set_tests_properties(install.outside PROPERTIES
    TIMEOUT 300 LABELS install SKIP_RETURN_CODE 77)
endif()
