# SPDX-License-Identifier: Apache-2.0
#
# The functions that turn folders into targets, and the flags they share.

include(CheckCCompilerFlag)

# Flags of our own code only; nothing here reaches a user's target.
add_library(oy_flags INTERFACE)
target_compile_features(oy_flags INTERFACE c_std_17)
target_compile_options(oy_flags INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
  -fno-plt -ffunction-sections -fdata-sections
  # Registrations tell file and line: from the project's root, wherever it was built.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  # A call inside the library goes straight to its target, never through the PLT.
  -fno-semantic-interposition
  # Loops that are marked for vectorising cannot be under a sanitizer or at -O0.
  $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
if(OY_WERROR)
  target_compile_options(oy_flags INTERFACE -Werror)
endif()
if(OY_SANITIZE)
  # Lines and functions are all that a report shows. Every symbol is exported, so that the
  # tests share one library (OyTests.cmake): linked into each, instrumented code takes 14 GB.
  target_compile_options(oy_flags INTERFACE -g1 -gno-split-dwarf -fPIC
    -fsanitize=${OY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(oy_flags INTERFACE -fsanitize=${OY_SANITIZE})
else()
  target_compile_options(oy_flags INTERFACE -fvisibility=hidden)
endif()
if(OY_FUZZ)
  # Coverage instrumentation without libFuzzer's main; the targets add that. clang counts
  # NULL + 0 among overflows of pointers, which tensors without elements do: C2y defines it
  # (N3322), gcc does not report it, and its sanitizer finds what does overflow.
  target_compile_options(oy_flags INTERFACE -fsanitize=fuzzer-no-link
    -fno-sanitize=pointer-overflow)
endif()

# Our own private headers and those that opgen makes.
add_library(oy_private INTERFACE)
target_link_libraries(oy_private INTERFACE oy_flags)
target_include_directories(oy_private INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/gen)
target_compile_definitions(oy_private INTERFACE _GNU_SOURCE)

# Whether there are probes (src/base/probe.h), in a header: where sys/sdt.h comes to a machine
# later, what includes it is built again, and a compiler's cache sees the difference. Looked for
# at each configuration.
find_path(OY_SDT_FOLDER sys/sdt.h)
mark_as_advanced(OY_SDT_FOLDER)
set(OYI_HAVE_SDT 0)
if(OY_SDT_FOLDER)
  set(OYI_HAVE_SDT 1)
endif()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gen/base/probe_have.h @ONLY CONTENT
"// Made by cmake/OyBuild.cmake.
#define OYI_HAVE_SDT @OYI_HAVE_SDT@
")

# All C and assembly files under the given folders.
function(oy_glob out)
  set(found)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE more CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/${folder}/*.c ${PROJECT_SOURCE_DIR}/${folder}/*.S)
    # *_tmpl.c files are bodies that other files include, one time per type.
    list(FILTER more EXCLUDE REGEX "_tmpl\\.c$")
    # Plugins are shared objects of their own.
    list(FILTER more EXCLUDE REGEX "/src/backends/(gpu|opencl|cuda)/")
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

include(CheckCCompilerFlag)
check_c_compiler_flag("-Werror -mtune-ctrl=^sse_unaligned_load_optimal" OY_WORDS_FLAG)

# A file named *_v3.c or *_v4.c is built for that x86-64 level; the code that calls into
# it asks the CPU first. Other architectures leave those files out.
function(oy_capability_levels files_var)
  set(kept)
  set(loops 0)
  foreach(file IN LISTS ${files_var})
    if(file MATCHES "_(v[34])\\.c$")
      set(level ${CMAKE_MATCH_1})
      if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
        continue()
      endif()
      set_property(SOURCE ${file} APPEND PROPERTY
        COMPILE_OPTIONS "-march=x86-64-${level}")
      # Compilers prefer 256 bits, which take twice as many instructions, and on processors
      # whose units have 512 twice the time.
      if(file MATCHES "/(loops_[a-z]*|rows|distance_squares)_v4\\.c$")
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mprefer-vector-width=512)
      endif()
      # Dot products beyond the level, which the code that calls asks for too.
      if(file MATCHES "(gemm_(short_|wide_)?|conv_pairs_)bf16_v4\\.c$")
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavx512bf16)
      elseif(file MATCHES "gemm_int8_v4\\.c$")
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavx512vnni)
      endif()
    endif()
    # Inner loops become vector code, and the same at every level: no value depends on
    # errno or traps, and a product and a sum are rounded twice everywhere.
    if(file MATCHES "/cpu/(loops/loops_[a-z0-9_]*|linalg/linalg_small(_lu(_v3)?)?)\\.c$")
      math(EXPR loops "${loops} + 1")
      set_property(SOURCE ${file} APPEND PROPERTY
        COMPILE_OPTIONS -fno-math-errno -fno-trapping-math -ffp-contract=off)
      if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
        # A short loop that crosses a line of code takes two cycles a step instead of one.
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
          -ftree-vectorize -fvect-cost-model=dynamic --param=vect-epilogues-nomask=0
          -falign-loops=32)
      endif()
      # What is left of a row after its last whole vector: shorter ones, of up to 15 elements.
      if(file MATCHES "_v4\\.c$" AND CMAKE_C_COMPILER_ID STREQUAL GNU)
        set_property(SOURCE ${file} APPEND PROPERTY
          COMPILE_OPTIONS --param=vect-epilogues-nomask=1)
      endif()
    endif()
    # Layers pass on arguments that lie on the stack. Read as one vector right after they were
    # written as two words they wait for the words to leave the store buffer, some 15 cycles.
    if(file MATCHES "/autograd/kernels\\.c$" AND OY_WORDS_FLAG)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS
        "-mtune-ctrl=^sse_unaligned_load_optimal")
    endif()
    list(APPEND kept ${file})
  endforeach()
  if(kept MATCHES "/backends/cpu/register\\.c" AND loops LESS 2)
    message(FATAL_ERROR "opyard: expected inner loops in src/backends/cpu, found ${loops} files of them")
  endif()
  set(${files_var} ${kept} PARENT_SCOPE)
endfunction()

# oy_objects(NAME FOLDERS ...): compiled once, as position independent code, and used by
# the shared library and its static twin. The linker relaxes what PIC costs in the latter.
function(oy_objects name)
  cmake_parse_arguments(arg "" "" "FOLDERS" ${ARGN})
  oy_glob(files ${arg_FOLDERS})
  oy_capability_levels(files)
  if(NOT files)
    return()
  endif()
  add_library(${name} OBJECT ${files})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PRIVATE oy_private)
  target_compile_definitions(${name} PRIVATE OY_BUILDING=1)
endfunction()

# oy_library(TARGET NAME file-name OBJECTS ...): opyard_TARGET (shared),
# opyard_TARGET_static, and the names users see: opyard::TARGET, opyard::TARGET_static.
function(oy_library target)
  cmake_parse_arguments(arg "" "NAME" "OBJECTS" ${ARGN})
  set(objects)
  foreach(object IN LISTS arg_OBJECTS)
    if(TARGET ${object})
      list(APPEND objects $<TARGET_OBJECTS:${object}>)
    endif()
  endforeach()
  if(NOT objects)
    message(STATUS "opyard: nothing to build ${arg_NAME} from yet")
    return()
  endif()
  foreach(kind SHARED STATIC)
    if(kind STREQUAL STATIC)
      set(suffix _static)
    else()
      set(suffix "")
    endif()
    set(library opyard_${target}${suffix})
    add_library(${library} ${kind} ${objects})
    add_library(opyard::${target}${suffix} ALIAS ${library})
    set_target_properties(${library} PROPERTIES
      OUTPUT_NAME ${arg_NAME} EXPORT_NAME ${target}${suffix} LINKER_LANGUAGE C
      ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_include_directories(${library} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${library} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  endforeach()
  set(shared opyard_${target})
  target_link_options(${shared} PRIVATE -Wl,--gc-sections -Wl,-Bsymbolic-functions)
  if(OY_SANITIZE)
    # The sanitizer's run time comes with the program, so symbols stay open here.
    target_link_options(${shared} PRIVATE -fsanitize=${OY_SANITIZE})
  elseif(NOT OY_FUZZ)
    target_link_options(${shared} PRIVATE -Wl,-z,defs -Wl,-z,now)
  endif()
  target_compile_definitions(opyard_${target}_static INTERFACE OY_STATIC=1)
endfunction()

# oy_program(TARGET FOLDER dir [NAME file-name] LINK libraries): does nothing while the
# folder has no sources.
function(oy_program target)
  cmake_parse_arguments(arg "" "FOLDER;NAME" "LINK" ${ARGN})
  oy_glob(files ${arg_FOLDER})
  foreach(library IN LISTS arg_LINK)
    if(NOT TARGET ${library})
      set(files)
    endif()
  endforeach()
  if(NOT files)
    message(STATUS "opyard: nothing in ${arg_FOLDER} yet")
    return()
  endif()
  if(NOT arg_NAME)
    set(arg_NAME ${target})
  endif()
  add_executable(${target} ${files})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/${arg_FOLDER})
  target_link_libraries(${target} PRIVATE oy_private ${arg_LINK})
  # -rdynamic is not wanted: a program exports nothing.
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${arg_NAME} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()
