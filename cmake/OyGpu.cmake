# SPDX-License-Identifier: Apache-2.0
#
# Plugins for devices that kernels are compiled for at run time: what they share
# (src/backends/gpu) and the driver's folder become one shared object in plugins/. They are
# built as any vendor's would be: from public headers, against the shared library.

function(oy_gpu_plugin target folder)
  set(shared ${PROJECT_SOURCE_DIR}/src/backends/gpu)
  file(GLOB files CONFIGURE_DEPENDS ${shared}/*.c ${folder}/*.c)
  file(GLOB kernels CONFIGURE_DEPENDS ${shared}/kernels/*.cl)
  # The texts of the kernels are taken in as they are.
  set_source_files_properties(${shared}/text.c PROPERTIES
    COMPILE_DEFINITIONS GPU_KERNELS=${shared}/kernels OBJECT_DEPENDS "${kernels}")
  add_library(${target} MODULE ${files})
  target_link_libraries(${target} PRIVATE
    oy_flags opyard_opyard Threads::Threads ${CMAKE_DL_LIBS} m)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/backends)
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins
    INSTALL_RPATH "$ORIGIN/../..")
  get_filename_component(name ${folder} NAME)
  configure_file(${folder}/${name}.plugin ${PROJECT_BINARY_DIR}/plugins/${name}.plugin COPYONLY)
  if(TARGET product)
    add_dependencies(product ${target})
  endif()
  if(OY_INSTALL)
    set(plugins ${CMAKE_INSTALL_LIBDIR}/opyard/plugins)
    install(TARGETS ${target} LIBRARY DESTINATION ${plugins})
    install(FILES ${folder}/${name}.plugin DESTINATION ${plugins})
  endif()
endfunction()

# The tests that all such plugins pass, as NAME.*, and those of tests/NAME. They load the
# plugin as programs do, so they link the shared library; what was compiled is kept in the
# build folder. Further arguments are definitions.
function(oy_gpu_tests name plugin)
  set(shared ${PROJECT_SOURCE_DIR}/tests/gpu)
  file(GLOB tests CONFIGURE_DEPENDS
    ${shared}/test_*.c ${PROJECT_SOURCE_DIR}/tests/${name}/test_*.c)
  foreach(file IN LISTS tests)
    get_filename_component(noun ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "" noun ${noun})
    set(target test_${name}_${noun})
    add_executable(${target} ${file} ${shared}/support.c)
    if(noun STREQUAL fallback)
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/examples/30_train/network.c)
    endif()
    target_include_directories(${target} PRIVATE
      ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/examples/30_train)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE ${ARGN} OY_PLUGIN_NAME="${name}"
      OY_PLUGIN="${PROJECT_BINARY_DIR}/plugins/${name}.plugin" OY_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${target} PRIVATE
      oy_flags opyard_opyard PkgConfig::CMOCKA Threads::Threads ${CMAKE_DL_LIBS} m)
    add_dependencies(${target} ${plugin})
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${name})
    add_test(NAME ${name}.${noun} COMMAND ${target}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${name})
    set_tests_properties(${name}.${noun} PROPERTIES
      TIMEOUT ${OY_TEST_TIMEOUT} SKIP_RETURN_CODE 77 LABELS ${name}
      ENVIRONMENT "LSAN_OPTIONS=suppressions=${shared}/lsan.txt:print_suppressions=0")
  endforeach()
endfunction()
