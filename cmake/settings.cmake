# Compiler settings that every target of ours uses.
add_library(catena_settings INTERFACE)
target_compile_options(catena_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12 inside its own strings and fmt, once optimised.
  target_compile_options(catena_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
    -Wno-maybe-uninitialized)
endif()
if(CATENA_LEVEL)
  # What computes nothing is the same for all kinds of processors: see catena_compile_small.
  target_compile_options(catena_settings INTERFACE
    -march=$<IF:$<BOOL:$<TARGET_PROPERTY:CATENA_SMALL>>,${CATENA_LEAST_LEVEL},${CATENA_LEVEL}> -ffunction-sections -fdata-sections
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
elseif(CATENA_NATIVE)
  target_compile_options(catena_settings INTERFACE -march=native)
  # GCC 12 turns some constants into a wrong AVX-512 broadcast: std::vector<double>{1, 1, 0, 0, 0, 0, 0, 0} comes out
  # as eight ones. docs/decisions/0003-no-avx512-with-gcc-12.md
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
     AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(catena_settings INTERFACE -mno-avx512f)
  endif()
endif()
if(EMSCRIPTEN)
  target_compile_options(catena_settings INTERFACE -msimd128 -fexceptions)
  target_link_options(catena_settings INTERFACE -fexceptions)
endif()
if(CATENA_PORTABLE)  # what nobody calls is left out, and the C library alone has to be there
  target_link_options(catena_settings INTERFACE -static-libstdc++ -static-libgcc LINKER:--gc-sections
    LINKER:--exclude-libs,ALL LINKER:--build-id=none)
endif()
if(CATENA_SANITIZE)
  target_compile_options(catena_settings INTERFACE
    -fsanitize=${CATENA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(catena_settings INTERFACE -fsanitize=${CATENA_SANITIZE})
endif()

# Headers of other libraries are read once and kept (precompiled): every second source spent half of its time on them. No source
# relies on that, each includes what it uses: presets dev, sanitize and wasm compile without.
option(CATENA_PRECOMPILED "Keep the headers of other libraries precompiled (GCC)" ON)
if(CMAKE_CROSSCOMPILING OR CATENA_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CATENA_PRECOMPILED OFF)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  if(CATENA_PRECOMPILED)  # it keeps what was made with precompiled headers, and looks at these large files once
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=true
      ${CCACHE})
  endif()
endif()

# catena_keep_headers(NAME LIBRARIES .. HEADERS .. [OPTIONS ..]): keeps them for the targets of catena_use_headers(TARGET NAME).
# SMALL: for targets of catena_compile_small.
function(catena_keep_headers name)
  if(CATENA_PRECOMPILED)
    cmake_parse_arguments(of "SMALL" "" "LIBRARIES;HEADERS;OPTIONS" ${ARGN})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${name} PRIVATE catena_settings ${of_LIBRARIES})
    target_compile_options(${name} PRIVATE ${of_OPTIONS})
    if(of_SMALL)
      catena_compile_small(${name})
    endif()
    target_precompile_headers(${name} PRIVATE ${of_HEADERS})
  endif()
endfunction()
function(catena_use_headers target name)
  get_target_property(small ${target} CATENA_SMALL)
  if(small)
    set(name catena_headers_small)
  endif()
  if(CATENA_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")  # compiled as libraries are: what is kept serves both
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endif()
endfunction()

# Sources compiled several at a time, since most of the time goes to headers and to what their templates become. Those with options
# of their own are compiled alone all the same.
option(CATENA_JOINED "Compile sources that are not to be fast several at a time" ON)
function(catena_compile_joined target)
  if(CATENA_JOINED)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# What reads, writes, draws and asks, and computes nothing that counts: packages have it small, and compiled for the oldest processors, so
# that the engines for all kinds have the same code there (docs/decisions/0205-what-an-engine-weighs.md).
function(catena_compile_small target)
  if(CATENA_LEVEL AND CATENA_PORTABLE)
    set_target_properties(${target} PROPERTIES CATENA_SMALL ON)
    target_compile_options(${target} PRIVATE -Os)
  endif()
endfunction()

# What runs once in a command (reading, printing).
function(catena_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  catena_compile_joined(${target})
endfunction()
