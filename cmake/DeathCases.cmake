# SPDX-License-Identifier: Apache-2.0
# Run after a death program is built: writes the file that makes each of its cases a ctest test.
execute_process(COMMAND ${PROGRAM} --list OUTPUT_VARIABLE names RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR names STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} --list: ${result}, '${names}'")
endif()
string(REGEX REPLACE "\n+$" "" names "${names}")
string(REPLACE "\n" ";" names "${names}")
set(script "")
foreach(name IN LISTS names)
  string(REPLACE "_" "-" case ${name})
  string(APPEND script "add_test(${TEST}-${case} \"${PROGRAM}\" ${name})\n")
endforeach()
file(WRITE ${CASES} "${script}")
