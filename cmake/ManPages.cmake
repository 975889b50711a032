# SPDX-License-Identifier: Apache-2.0
# Man pages are one per noun; every other name in a page's NAME section gets a one-line page that
# points to it, so `man tide_arena_close` works.

file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/man[0-9]/*.[0-9])
set(link_dir ${PROJECT_BINARY_DIR}/man)
file(REMOVE_RECURSE ${link_dir})

foreach(page IN LISTS pages)
  cmake_path(GET page FILENAME file)
  string(REGEX REPLACE ".*\\." "" section ${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})

  file(STRINGS ${page} lines)
  set(in_names FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^\\.Sh NAME")
      set(in_names TRUE)
    elseif(line MATCHES "^\\.(Sh|Nd)")
      set(in_names FALSE)
    elseif(in_names AND line MATCHES "^\\.Nm +([A-Za-z0-9_-]+)")
      set(name ${CMAKE_MATCH_1})
      if(NOT EXISTS ${PROJECT_SOURCE_DIR}/docs/man/man${section}/${name}.${section})
        file(WRITE ${link_dir}/man${section}/${name}.${section} ".so man${section}/${file}\n")
      endif()
    endif()
  endforeach()
endforeach()

if(EXISTS ${link_dir})
  install(DIRECTORY ${link_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
