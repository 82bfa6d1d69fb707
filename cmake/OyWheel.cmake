# SPDX-License-Identifier: Apache-2.0
#
# The component "python", which tools/wheel.py packs and an ordinary install leaves out: the
# package, and in it the library, headers and CMake files as in an installed prefix. A wheel
# has no symbolic links, and so the library is there once, under the name that it is loaded by.

if(NOT TARGET opyard_python)
  return()
endif()
set_target_properties(opyard_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
set(here COMPONENT python EXCLUDE_FROM_ALL)

install(TARGETS opyard_python LIBRARY DESTINATION opyard ${here})
install(DIRECTORY python/opyard/ DESTINATION opyard ${here}
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/opyard/__init__.pyi DESTINATION opyard ${here})
install(FILES ${PROJECT_BINARY_DIR}/python/opyard/nn/__init__.pyi DESTINATION opyard/nn ${here})
install(PROGRAMS $<TARGET_FILE:opyard_opyard> DESTINATION opyard/lib
  RENAME libopyard.so.${PROJECT_VERSION_MAJOR} ${here})
install(DIRECTORY include/opyard DESTINATION opyard/include ${here}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc")
install(FILES ${OY_GEN}/opyard/ops.h DESTINATION opyard/include/opyard ${here})
if(TARGET opgen)
  install(PROGRAMS $<TARGET_FILE:opgen> DESTINATION opyard/bin ${here})
endif()
configure_file(cmake/opyardWheelConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/wheel/opyardConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/wheel/opyardConfig.cmake cmake/Opgen.cmake
  DESTINATION opyard/lib/cmake/opyard ${here})
