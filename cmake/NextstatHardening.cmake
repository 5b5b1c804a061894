# Hardening of what is installed (library, program, Python module), as an interface library: stack protector, checked C library
# calls, control-flow protection (CET), every symbol bound at start and its table read-only. -DNEXTSTAT_HARDENING=OFF builds without,
# for comparisons (bench/compare_builds.py). Sanitizers check more and replace the same functions, so builds with them go without.
#
# The kernels are compiled so too. The linker marks a file for CET only where every part of it has the marks; and of the kernels'
# functions the stack protector takes six, each called once per step of a row: 0.1% more instructions in a fit.
option(NEXTSTAT_HARDENING "Stack protector, fortified C library calls, CET, full RELRO" ON)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

# Targets are position independent; with this the linker makes a position-independent program of them.
check_pie_supported(LANGUAGES CXX)

add_library(nextstat_hardening INTERFACE)

# nextstat_hardening_level(LEVEL RESULT): whether compiler and C library together reach _FORTIFY_SOURCE=LEVEL.
function(nextstat_hardening_level level result)
  set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
  check_cxx_source_compiles("#include <cstdlib>\n#if !defined(__USE_FORTIFY_LEVEL) || __USE_FORTIFY_LEVEL < ${level}\n#error no\n#endif
    int main() {}" ${result})
endfunction()

if(NEXTSTAT_HARDENING AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  check_cxx_compiler_flag(-fstack-protector-strong NEXTSTAT_HAS_STACK_PROTECTOR)
  if(NEXTSTAT_HAS_STACK_PROTECTOR)
    target_compile_options(nextstat_hardening INTERFACE -fstack-protector-strong)
  endif()

  # The checks need the optimizer: not in Debug.
  nextstat_hardening_level(3 NEXTSTAT_HAS_FORTIFY_3)
  nextstat_hardening_level(2 NEXTSTAT_HAS_FORTIFY_2)
  if(NEXTSTAT_HAS_FORTIFY_3 OR NEXTSTAT_HAS_FORTIFY_2)
    set(level $<IF:$<BOOL:${NEXTSTAT_HAS_FORTIFY_3}>,3,2>)
    target_compile_options(nextstat_hardening INTERFACE
      "$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}>")
  endif()

  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64|i.86")
    check_cxx_compiler_flag(-fcf-protection=full NEXTSTAT_HAS_CET)
    if(NEXTSTAT_HAS_CET)
      target_compile_options(nextstat_hardening INTERFACE -fcf-protection=full)
    endif()
  endif()

  check_linker_flag(CXX "-Wl,-z,relro,-z,now,-z,noexecstack" NEXTSTAT_HAS_FULL_RELRO)
  if(NEXTSTAT_HAS_FULL_RELRO)
    target_link_options(nextstat_hardening INTERFACE "-Wl,-z,relro,-z,now,-z,noexecstack")
  endif()
endif()
