# SPDX-License-Identifier: Apache-2.0
#
# The CUDA plugin, plugins/libopyard_cuda.so in the build folder. It needs nothing of CUDA to
# be built: driver, compiler and libraries are opened when they are used.

# Sanitizers are left out as for OpenCL: the simulated driver loads what they did not build,
# and runs blocks as fibres, which they do not follow.
if(OY_FUZZ OR OY_SANITIZE OR NOT TARGET opyard_opyard)
  return()
endif()
oy_gpu_plugin(opyard_cuda ${PROJECT_SOURCE_DIR}/src/backends/cuda)

# Tests run on a driver that is simulated on the host, three devices; it builds kernels with
# the C++ compiler. Where NVRTC is found it has to take every kernel too, and where CUDA's
# headers are, what the plugin declares is compared with them.
find_program(OY_CXX NAMES c++ g++ clang++ DOC "C++ compiler of the simulated CUDA driver")
find_file(OY_NVRTC NAMES libnvrtc.so libnvrtc.so.13 libnvrtc.so.12
  PATHS /usr/local/cuda/lib64 /usr/local/cuda/lib DOC "NVRTC, which checks CUDA's kernels")
find_path(OY_CUDA_HEADERS cuda.h PATHS /usr/local/cuda/include NO_DEFAULT_PATH
  DOC "Where cuda.h is; only checked against")
if(NOT OY_CXX)
  message(STATUS "opyard: no tests of the CUDA plugin (they need a C++ compiler)")
endif()
if(NOT OY_NVRTC)
  set(OY_NVRTC "")
  message(STATUS "opyard: NVRTC not found; CUDA's kernels are checked by the host's compiler alone")
endif()
if(OY_TESTS AND OY_CXX)
  set(sim ${PROJECT_SOURCE_DIR}/tests/cuda/sim)
  file(GLOB files CONFIGURE_DEPENDS ${sim}/*.c)
  add_library(cudasim MODULE ${files})
  target_link_libraries(cudasim PRIVATE oy_flags Threads::Threads ${CMAKE_DL_LIBS})
  target_include_directories(cudasim PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(cudasim PRIVATE _GNU_SOURCE
    SIM_FOLDER="${sim}" SIM_COMPILER="${OY_CXX}")
  set_target_properties(cudasim PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/cuda)
  oy_gpu_tests(cuda opyard_cuda OY_BACKEND_NAME="CUDA" OY_NVRTC="${OY_NVRTC}"
    OY_CUDASIM="${PROJECT_BINARY_DIR}/tests/cuda/libcudasim.so")
  # Products by the kernel of our own, where cuBLASLt is not there.
  add_test(NAME cuda.index_own COMMAND test_cuda_index
           WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/cuda)
  set_tests_properties(cuda.index_own PROPERTIES TIMEOUT ${OY_TEST_TIMEOUT}
    SKIP_RETURN_CODE 77 LABELS cuda ENVIRONMENT OPYARD_CUDA_CUBLASLT=/nowhere)
endif()
if(OY_TESTS AND OY_CUDA_HEADERS)
  add_library(cuda_check_api OBJECT ${PROJECT_SOURCE_DIR}/tests/cuda/check_api.c)
  target_link_libraries(cuda_check_api PRIVATE oy_flags opyard_opyard)
  target_include_directories(cuda_check_api PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(cuda_check_api SYSTEM PRIVATE ${OY_CUDA_HEADERS})
endif()
