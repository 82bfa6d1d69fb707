# SPDX-License-Identifier: Apache-2.0
#
# What opgen makes from src/ops/ops.def, in gen/ of the build folder: opyard/ops.h (public
# typed calls), ops/gen/table.h (what C has to know of each row), and the definitions of
# calls and trampolines. The table is C, so the preprocessor reads it first: its rows
# expand to OY_OP(...), which opgen reads.

set(OY_GEN ${PROJECT_BINARY_DIR}/gen)
set(OY_TABLE_HEADERS ${OY_GEN}/opyard/ops.h ${OY_GEN}/ops/gen/table.h
  ${OY_GEN}/ops/gen/arguments.h)
# Calls in several files: one of them alone takes as long as all the rest of src/ops. Which
# one an operator is in hangs on its name, so that a new one compiles one of them again.
set(OY_TABLE_PARTS 8)
set(OY_TABLE_SOURCES ${OY_GEN}/ops_trampolines.c)
math(EXPR last "${OY_TABLE_PARTS} - 1")
foreach(part RANGE ${last})
  list(APPEND OY_TABLE_SOURCES ${OY_GEN}/ops_calls_${part}.c)
endforeach()
file(MAKE_DIRECTORY ${OY_GEN}/opyard ${OY_GEN}/ops/gen)
if(OY_OPGEN)
  set(opgen_program ${OY_OPGEN})
else()
  set(opgen_program opgen)
endif()

file(GLOB_RECURSE oy_tables CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.def)
add_custom_command(OUTPUT ${OY_GEN}/ops.rows
  COMMAND ${CMAKE_C_COMPILER} -E -P -x c -I ${PROJECT_SOURCE_DIR}/src
    -o ${OY_GEN}/ops.rows ${PROJECT_SOURCE_DIR}/src/ops/ops.def
  DEPENDS ${oy_tables}
  COMMENT "rows of src/ops/ops.def"
  VERBATIM)
# opgen leaves a file alone that would not change. Ninja looks at its time afterwards
# (restat) and compiles nothing for it; what does not would run opgen each time.
set(table_touch)
if(NOT CMAKE_GENERATOR MATCHES Ninja)
  set(table_touch COMMAND ${CMAKE_COMMAND} -E touch ${OY_TABLE_HEADERS} ${OY_TABLE_SOURCES})
endif()
add_custom_command(OUTPUT ${OY_TABLE_HEADERS} ${OY_TABLE_SOURCES}
  COMMAND ${opgen_program} --name ops
    --tensor-type oy_tensor --include opyard/tensor.h --header-name opyard/ops.h
    --calls-header ${OY_GEN}/opyard/ops.h --table ${OY_GEN}/ops/gen/table.h
    --arguments ${OY_GEN}/ops/gen/arguments.h
    --calls-source ${OY_GEN}/ops_calls.c --parts ${OY_TABLE_PARTS} --trampolines ${OY_GEN}/ops_trampolines.c
    ${OY_GEN}/ops.rows
  ${table_touch}
  DEPENDS ${OY_GEN}/ops.rows ${opgen_program}
  COMMENT "opgen ops"
  VERBATIM)
if(OY_SANITIZE)
  # A thousand calls of one form, checked by what they are made of: sanitizing each of them
  # would be most of the build.
  set_source_files_properties(${OY_TABLE_SOURCES} PROPERTIES
    COMPILE_OPTIONS "-fno-sanitize=all;-O1")
endif()
add_custom_target(oy_table DEPENDS ${OY_TABLE_HEADERS} ${OY_TABLE_SOURCES})

# What has private code on the table: the generated sources, and their headers first.
function(oy_use_table target)
  target_sources(${target} PRIVATE ${OY_TABLE_SOURCES})
  add_dependencies(${target} oy_table)
endfunction()

# What links to |targets| finds opyard/ops.h, and waits for it.
function(oy_offer_table)
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${OY_GEN}>)
    add_dependencies(${target} oy_table)
  endforeach()
endfunction()
