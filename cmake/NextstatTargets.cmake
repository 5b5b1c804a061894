# Flags shared by every target, as an interface library (never global flags), and one-line test definitions.
add_library(nextstat_flags INTERFACE)
target_compile_options(nextstat_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
if(NEXTSTAT_WARNINGS_AS_ERRORS)
  target_compile_options(nextstat_flags INTERFACE -Werror)
endif()

# nextstat_quick(TARGET): code that nobody waits for, the command line and the tests. The quick build of the release compiles it with
# few optimizations, which is half of its compile time; library and kernels keep all of theirs.
function(nextstat_quick target)
  if(NEXTSTAT_QUICK_BUILD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# nextstat_test(unit/base/parallel_test): builds tests/unit/base/parallel_test.cpp as a GoogleTest program.
function(nextstat_test path)
  get_filename_component(name ${path} NAME)
  nextstat_test_program(${name} ${path}.cpp)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# nextstat_tests(unit/model compile_test rates_test ...): the tests of a room as one program, model_tests. The quick build compiles
# them as one file, so two of them cannot have a helper of the same name.
function(nextstat_tests room)
  get_filename_component(name ${room} NAME)
  nextstat_room_program(${room} ${ARGN})
  add_test(NAME ${name}_tests COMMAND ${name}_tests)
endfunction()

# The same for tests that take long: each file is a test of its own for ctest, by the suites in it.
function(nextstat_long_tests room)
  get_filename_component(name ${room} NAME)
  nextstat_room_program(${room} ${ARGN})
  foreach(test ${ARGN})
    file(STRINGS ${room}/${test}.cpp suites REGEX "^(TYPED_)?TEST(_P|_F)?\\([A-Za-z]+, ")
    list(TRANSFORM suites REPLACE "^[A-Z_]+\\(([A-Za-z]+), .*" "\\1.*:*/\\1.*")
    list(REMOVE_DUPLICATES suites)
    if(NOT suites)
      message(FATAL_ERROR "tests/${room}/${test}.cpp has no tests")
    endif()
    list(JOIN suites ":" filter)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${room}/${test}.cpp)
    add_test(NAME ${test} COMMAND ${name}_tests --gtest_filter=${filter})
  endforeach()
endfunction()

function(nextstat_room_program room)
  get_filename_component(name ${room} NAME)
  list(TRANSFORM ARGN REPLACE "(.+)" "${room}/\\1.cpp" OUTPUT_VARIABLE files)
  nextstat_test_program(${name}_tests ${files})
  nextstat_as_one_file(${name}_tests)
endfunction()

# nextstat_as_one_file(TARGET): for the compiler of the quick build.
function(nextstat_as_one_file target)
  if(NEXTSTAT_QUICK_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

function(nextstat_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE nextstat nextstat_flags nextstat_internal GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  nextstat_quick(${name})
  if(NEXTSTAT_QUICK_BUILD)
    target_precompile_headers(${name} REUSE_FROM nextstat_test_headers)
  endif()
endfunction()
