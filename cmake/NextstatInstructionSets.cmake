# The kernels once per instruction set: object files from the same sources, chosen at run time (src/cpu/instruction_set.cpp,
# src/base/algebra/dense.cpp). Each source defines the symbol in its own namespace.
function(nextstat_instruction_set symbol name)
  set(target nextstat_isa_${symbol})
  add_library(${target} OBJECT ${CMAKE_SOURCE_DIR}/src/cpu/isa.cpp ${CMAKE_SOURCE_DIR}/src/base/algebra/dense_kernel.cpp)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(${target} PRIVATE NEXTSTAT_ISA_SYMBOL=${symbol} NEXTSTAT_ISA_NAME="${name}")
  target_compile_options(${target} PRIVATE -O3 -ffp-contract=off -Wno-psabi ${ARGN})
  target_link_libraries(${target} PRIVATE nextstat_flags nextstat_hardening)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_sources(nextstat PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# One number at a time: what lanes are measured against; runs everywhere, used where it is asked for.
nextstat_instruction_set(kKernelsScalar scalar -DNEXTSTAT_ONE_LANE -fno-tree-vectorize)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  nextstat_instruction_set(kKernelsV2 x86-64-v2 -march=x86-64-v2)
  nextstat_instruction_set(kKernelsV3 x86-64-v3 -march=x86-64-v3)
  nextstat_instruction_set(kKernelsV4 x86-64-v4 -march=x86-64-v4 -mprefer-vector-width=512)
else()
  nextstat_instruction_set(kKernelsBaseline ${CMAKE_SYSTEM_PROCESSOR})
endif()
