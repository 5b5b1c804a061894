# Flags shared by every target, as an interface library (never global flags), and one-line test definitions.
add_library(nextstat_flags INTERFACE)
target_compile_options(nextstat_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
if(NEXTSTAT_WARNINGS_AS_ERRORS)
  target_compile_options(nextstat_flags INTERFACE -Werror)
endif()

# nextstat_test(unit/model/compile_test): builds tests/unit/model/compile_test.cpp as a GoogleTest program.
function(nextstat_test path)
  get_filename_component(name ${path} NAME)
  add_executable(${name} ${path}.cpp)
  target_link_libraries(${name} PRIVATE nextstat nextstat_flags nextstat_internal GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  if(NEXTSTAT_QUICK_BUILD)
    target_precompile_headers(${name} REUSE_FROM nextstat_test_headers)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
