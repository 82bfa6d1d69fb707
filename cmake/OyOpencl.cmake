# SPDX-License-Identifier: Apache-2.0
#
# The OpenCL plugin, plugins/libopyard_opencl.so in the build folder, and its tests. It is
# built as any vendor's would be: from public headers, against the shared library. It links
# no OpenCL: the headers are all that it needs to be built.

find_path(OY_OPENCL_HEADERS CL/cl.h DOC "Where CL/cl.h is (Debian: opencl-c-headers)")
if(OY_SANITIZE OR OY_FUZZ)
  return()  # drivers bring compilers that sanitizers have much to say of
endif()
if(NOT OY_OPENCL_HEADERS OR NOT TARGET opyard_opyard)
  message(STATUS "opyard: no OpenCL plugin (CL/cl.h is in Debian's opencl-c-headers)")
  return()
endif()

set(folder ${PROJECT_SOURCE_DIR}/src/backends/opencl)
file(GLOB files CONFIGURE_DEPENDS ${folder}/*.c)
file(GLOB kernels CONFIGURE_DEPENDS ${folder}/kernels/*.cl)
# The texts of the kernels are taken in as they are.
set_source_files_properties(${folder}/text.c PROPERTIES
  COMPILE_DEFINITIONS OCL_KERNELS=${folder}/kernels OBJECT_DEPENDS "${kernels}")
add_library(opyard_opencl MODULE ${files})
target_link_libraries(opyard_opencl PRIVATE
  oy_flags opyard_opyard Threads::Threads ${CMAKE_DL_LIBS} m)
target_compile_definitions(opyard_opencl PRIVATE _GNU_SOURCE)
target_include_directories(opyard_opencl SYSTEM PRIVATE ${OY_OPENCL_HEADERS})
set_target_properties(opyard_opencl PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins
  INSTALL_RPATH "$ORIGIN/../..")
configure_file(${folder}/opencl.plugin ${PROJECT_BINARY_DIR}/plugins/opencl.plugin COPYONLY)
if(TARGET product)
  add_dependencies(product opyard_opencl)
endif()
if(OY_INSTALL)
  set(plugins ${CMAKE_INSTALL_LIBDIR}/opyard/plugins)
  install(TARGETS opyard_opencl LIBRARY DESTINATION ${plugins})
  install(FILES ${folder}/opencl.plugin DESTINATION ${plugins})
endif()

# Tests of the plugin load it as programs do, so they link the shared library. They run on
# PoCL, three devices, with a cache of the build's own.
if(OY_TESTS)
  set(folder ${PROJECT_SOURCE_DIR}/tests/opencl)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/test_*.c)
  file(GLOB helpers CONFIGURE_DEPENDS ${folder}/*.c)
  list(REMOVE_ITEM helpers ${tests})
  foreach(file IN LISTS tests)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "" noun ${name})
    set(target test_opencl_${noun})
    add_executable(${target} ${file} ${helpers})
    if(noun STREQUAL fallback)
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/examples/30_train/network.c)
    endif()
    target_include_directories(${target} PRIVATE
      ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/examples/30_train)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE
      OY_PLUGIN="${PROJECT_BINARY_DIR}/plugins/opencl.plugin" OY_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${target} PRIVATE
      oy_flags opyard_opyard PkgConfig::CMOCKA Threads::Threads ${CMAKE_DL_LIBS} m)
    add_dependencies(${target} opyard_opencl)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/opencl)
    add_test(NAME opencl.${noun} COMMAND ${target}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/opencl)
    set_tests_properties(opencl.${noun} PROPERTIES
      TIMEOUT ${OY_TEST_TIMEOUT} SKIP_RETURN_CODE 77 LABELS opencl
      ENVIRONMENT "LSAN_OPTIONS=suppressions=${folder}/lsan.txt:print_suppressions=0")
  endforeach()
endif()
