# SPDX-License-Identifier: Apache-2.0
#
# What users get: headers, libraries, commands, man pages, a CMake package and pkg-config
# files.

include(CMakePackageConfigHelpers)

set(targets)
foreach(name opyard_dispatch opyard_dispatch_static opyard_opyard opyard_opyard_static
        opgen opyard_command)
  if(TARGET ${name})
    list(APPEND targets ${name})
  endif()
endforeach()
if(NOT targets)
  return()
endif()
if(TARGET opyard_command)
  set_target_properties(opyard_command PROPERTIES EXPORT_NAME command)
endif()

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/opyard)
install(TARGETS ${targets} EXPORT opyardTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT opyardTargets NAMESPACE opyard:: DESTINATION ${cmake_dir})
install(DIRECTORY include/opyard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc")
install(FILES ${OY_GEN}/opyard/ops.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/opyard)

configure_package_config_file(cmake/opyardConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/opyardConfig.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/opyardConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/opyardConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/opyardConfigVersion.cmake
  cmake/Opgen.cmake
  DESTINATION ${cmake_dir})

foreach(name opyard opyard-dispatch)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.1)
if(pages)
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

include(cmake/OyWheel.cmake)
# Where gdb looks for what belongs to a library, and once more where people do.
if(TARGET opyard_opyard)
  set(gdb_file libopyard.so.${PROJECT_VERSION}-gdb.py)
  install(FILES tools/gdb/opyard-gdb.py RENAME ${gdb_file}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load/${CMAKE_INSTALL_FULL_LIBDIR})
  install(FILES tools/gdb/opyard-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/opyard)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tools/gdb/opyard-gdb.py
    ${PROJECT_BINARY_DIR}/${gdb_file} SYMBOLIC)
endif()
