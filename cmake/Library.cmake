# SPDX-License-Identifier: Apache-2.0
# The library: each source compiled once, position-independent, for libtidepool.so and .a.

find_package(Threads REQUIRED)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
set(symbol_map ${PROJECT_SOURCE_DIR}/src/tidepool.map)

add_library(tidepool_objects OBJECT ${sources})
target_include_directories(tidepool_objects PUBLIC ${PROJECT_SOURCE_DIR}/include
                                            PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(tidepool_objects PRIVATE -fno-semantic-interposition)
if(TIDEPOOL_COVERAGE)
  target_compile_options(tidepool_objects PRIVATE ${TIDEPOOL_INSTRUMENT})
endif()
set_target_properties(tidepool_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                  C_VISIBILITY_PRESET hidden)

add_library(tidepool SHARED)
add_library(tidepool_static STATIC)
add_library(tidepool::tidepool ALIAS tidepool)
add_library(tidepool::static ALIAS tidepool_static)
set_target_properties(tidepool_static PROPERTIES OUTPUT_NAME tidepool EXPORT_NAME static)
# Before 1.0 a minor release may change the interface; a program must not get another one then.
set(soversion ${PROJECT_VERSION_MAJOR})
if(soversion EQUAL 0)
  string(APPEND soversion .${PROJECT_VERSION_MINOR})
endif()
set_target_properties(tidepool PROPERTIES VERSION ${PROJECT_VERSION}
                                          SOVERSION ${soversion}
                                          LINK_DEPENDS ${symbol_map})

foreach(library tidepool tidepool_static)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:tidepool_objects>)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
  target_link_libraries(${library} PRIVATE Threads::Threads)
  target_include_directories(
    ${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# nodelete: threads that have a block run the library's code when they end.
target_link_options(tidepool PRIVATE -Wl,--version-script=${symbol_map} -Wl,-z,nodelete)
if(NOT TIDEPOOL_INSTRUMENT)
  # An instrumented one finds the rest in the program.
  target_link_options(tidepool PRIVATE -Wl,-z,defs)
endif()
