# SPDX-License-Identifier: Apache-2.0
#
# The Python package, in build/python: PYTHONPATH=build/python python3 -c 'import opyard'.
# Left out, with a word, where python3-dev is missing, and under the sanitizers, whose run
# time would have to be loaded before Python.

# The system's Python, which has python3-torch, before one that only a PATH knows.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module QUIET)
if(NOT Python3_Development.Module_FOUND)
  message(STATUS "opyard: no Python.h (python3-dev): the Python package is not built")
  return()
endif()

file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.c)
add_library(opyard_python MODULE ${files})
target_include_directories(opyard_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(opyard_python PRIVATE oy_private opyard_opyard)
set_target_properties(opyard_python PROPERTIES
  PREFIX "" OUTPUT_NAME _C SUFFIX .abi3.so
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/opyard
  BUILD_RPATH "$ORIGIN/../..")

# Links, so that an edited file is the one that is imported.
file(GLOB_RECURSE modules CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/opyard
     ${PROJECT_SOURCE_DIR}/python/opyard/*.py)
foreach(module IN LISTS modules)
  get_filename_component(folder ${module} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/opyard/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/opyard/${module}
       ${PROJECT_BINARY_DIR}/python/opyard/${module} SYMBOLIC)
endforeach()

# What type checkers read, made of the registry of the library that was built.
configure_file(${PROJECT_SOURCE_DIR}/python/opyard/py.typed
  ${PROJECT_BINARY_DIR}/python/opyard/py.typed COPYONLY)
if(NOT CMAKE_CROSSCOMPILING)
  set(stubs ${PROJECT_BINARY_DIR}/python/opyard/__init__.pyi
    ${PROJECT_BINARY_DIR}/python/opyard/nn/__init__.pyi)
  add_custom_command(OUTPUT ${stubs}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
      ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/stubs.py
      ${PROJECT_BINARY_DIR}/python ${stubs}
    DEPENDS opyard_python ${PROJECT_SOURCE_DIR}/tools/stubs.py
    COMMENT "stubs of the Python package"
    VERBATIM)
  add_custom_target(opyard_stubs ALL DEPENDS ${stubs})
endif()
