# SPDX-License-Identifier: Apache-2.0
# How everything here is compiled: one standard, one set of warnings, on every compiler.

set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD 17)
foreach(language C CXX)
  set(CMAKE_${language}_STANDARD_REQUIRED ON)
  set(CMAKE_${language}_EXTENSIONS OFF)
endforeach()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR)
    set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
  endif()
  add_compile_options(-Wall -Wextra -Wconversion -Wshadow)
  # gcc's analysis sees less than half when it optimises less or instruments, and then reports what
  # it could not follow. The release build keeps the warning.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
  # The valgrind of Debian 12 gives up on what clang writes as DWARF 5.
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    add_compile_options(-fdebug-default-version=4)
  endif()
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()

# What a program needs besides the warnings to be linked with a library of this build: the tests
# that compile programs themselves pass it on.
set(TIDEPOOL_INSTRUMENT "")
if(TIDEPOOL_SANITIZE STREQUAL "address" OR TIDEPOOL_SANITIZE STREQUAL "undefined"
   OR TIDEPOOL_SANITIZE STREQUAL "thread")
  set(TIDEPOOL_INSTRUMENT -fsanitize=${TIDEPOOL_SANITIZE} -fno-sanitize-recover=all
                          -fno-omit-frame-pointer)
elseif(NOT TIDEPOOL_SANITIZE STREQUAL "")
  message(FATAL_ERROR "TIDEPOOL_SANITIZE is '${TIDEPOOL_SANITIZE}'; "
                      "it can be address, undefined, thread or empty")
endif()
if(TIDEPOOL_COVERAGE)
  list(APPEND TIDEPOOL_INSTRUMENT --coverage -fprofile-update=atomic)
endif()
if(NOT TIDEPOOL_COVERAGE) # only the library's lines are counted: see Library.cmake
  add_compile_options(${TIDEPOOL_INSTRUMENT})
endif()
add_link_options(${TIDEPOOL_INSTRUMENT})

if(TIDEPOOL_DEBUG)
  add_compile_definitions(TIDE_DEBUG)
endif()
