# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down. Every path in it is relative to where the file itself lies, so
# an installation can be moved, and --prefix chosen as late as at the installation.

include(CMakePackageConfigHelpers)

install(TARGETS tidepool tidepool_static EXPORT tidepoolTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tidepool
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tidepool)
install(EXPORT tidepoolTargets NAMESPACE tidepool:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tidepoolConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/tidepoolConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/tidepoolConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/tidepoolConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/tidepoolConfigVersion.cmake
        DESTINATION ${package_dir})

set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(part LIBDIR INCLUDEDIR)
  file(RELATIVE_PATH pc_${part} /prefix/${pc_dir} /prefix/${CMAKE_INSTALL_${part}})
endforeach()
file(RELATIVE_PATH pc_PREFIX /prefix/${pc_dir} /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/tidepool.pc.in ${PROJECT_BINARY_DIR}/tidepool.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tidepool.pc DESTINATION ${pc_dir})

# For installed programs: where they find the library.
file(RELATIVE_PATH TIDEPOOL_BIN_TO_LIB /prefix/${CMAKE_INSTALL_BINDIR}
     /prefix/${CMAKE_INSTALL_LIBDIR})
set(TIDEPOOL_LIBEXECDIR ${CMAKE_INSTALL_LIBEXECDIR}/tidepool)
file(RELATIVE_PATH TIDEPOOL_LIBEXEC_TO_LIB /prefix/${TIDEPOOL_LIBEXECDIR}
     /prefix/${CMAKE_INSTALL_LIBDIR})
