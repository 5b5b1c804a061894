# Flags shared by every target, as an interface library (never global flags), and one-line test definitions.
add_library(nextstat_flags INTERFACE)
target_compile_options(nextstat_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
if(NEXTSTAT_WARNINGS_AS_ERRORS)
  target_compile_options(nextstat_flags INTERFACE -Werror)
endif()

# nextstat_quick(TARGET): code that nobody waits for, the command line and the tests. The quick build compiles it with few
# optimizations, which is half of its compile time; library and kernels keep all of theirs.
function(nextstat_quick target)
  if(NEXTSTAT_QUICK_BUILD)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# nextstat_test(unit/model/compile_test): builds tests/unit/model/compile_test.cpp as a GoogleTest program.
function(nextstat_test path)
  get_filename_component(name ${path} NAME)
  add_executable(${name} ${path}.cpp)
  target_link_libraries(${name} PRIVATE nextstat nextstat_flags nextstat_internal GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  nextstat_quick(${name})
  if(NEXTSTAT_QUICK_BUILD)
    target_precompile_headers(${name} REUSE_FROM nextstat_test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
