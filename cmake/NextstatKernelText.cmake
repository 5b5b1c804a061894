# nextstat_kernel_text(entry.cl source.cpp name::space::kSource): a C++ file with the text of a kernel file in which every
# include of src/kernels is replaced by that header's text. Run as a script (-P) it writes the file.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${ENTRY} text)
  file(STRINGS ${ENTRY} lines REGEX "^#include \"kernels/")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"(.*)\"$" "\\1" header "${line}")
    file(READ ${FOLDER}/${header} content)
    string(REPLACE "${line}\n" "${content}" text "${text}")
  endforeach()
  string(REGEX REPLACE "::[^:]*$" "" space "${NAME}")
  string(REGEX REPLACE "^.*::" "" symbol "${NAME}")
  # Pieces: compilers need not take a literal of any length.
  string(LENGTH "${text}" length)
  set(literals "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND literals "R\"NextstatKernel(${piece})NextstatKernel\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  file(WRITE ${OUTPUT} "namespace ${space} {\nextern const char* const ${symbol};\nconst char* const ${symbol} =\n${literals};\n}\n")
  return()
endif()

set(NEXTSTAT_KERNEL_TEXT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(nextstat_kernel_text entry output name)
  file(STRINGS ${entry} lines REGEX "^#include \"kernels/")
  list(TRANSFORM lines REPLACE "^#include \"(.*)\"$" "${CMAKE_SOURCE_DIR}/src/\\1" OUTPUT_VARIABLE headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${entry})
  add_custom_command(OUTPUT ${output} DEPENDS ${entry} ${headers} ${NEXTSTAT_KERNEL_TEXT_SCRIPT}
    COMMAND ${CMAKE_COMMAND} -DENTRY=${entry} -DFOLDER=${CMAKE_SOURCE_DIR}/src -DOUTPUT=${output} -DNAME=${name}
      -P ${NEXTSTAT_KERNEL_TEXT_SCRIPT} VERBATIM)
endfunction()
