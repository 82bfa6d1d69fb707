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
oy_gpu_plugin(opyard_opencl ${folder})
target_include_directories(opyard_opencl SYSTEM PRIVATE ${OY_OPENCL_HEADERS})

# Tests run on PoCL, three devices.
if(OY_TESTS)
  oy_gpu_tests(opencl opyard_opencl OY_BACKEND_NAME="opencl")
  # As GPUs compute them; the device of these tests is a CPU.
  foreach(noun image rows)
    add_test(NAME opencl.${noun}_shared COMMAND test_opencl_${noun}
             WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/opencl)
    set_tests_properties(opencl.${noun}_shared PROPERTIES TIMEOUT ${OY_TEST_TIMEOUT}
      SKIP_RETURN_CODE 77 LABELS opencl ENVIRONMENT
      "OPYARD_GPU_TILES=gpu;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/gpu/lsan.txt:print_suppressions=0")
  endforeach()
endif()
