# Installation: library, headers, CMake package (find_package(nextstat), target nextstat::nextstat) and pkg-config file.
# The program installs itself in cli/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nextstat)

install(TARGETS nextstat EXPORT nextstatTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nextstat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT nextstatTargets NAMESPACE nextstat:: DESTINATION ${package_dir})

# A static library leaves its private dependencies to whoever links the program; a shared one has them inside.
get_target_property(library_type nextstat TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(NEXTSTAT_FIND_DEPENDENCIES
    "find_dependency(Threads)\nfind_dependency(fmt)\nfind_dependency(OpenSSL COMPONENTS Crypto)")
  set(NEXTSTAT_PC_REQUIRES_PRIVATE "fmt libcrypto")
  set(NEXTSTAT_PC_LIBS_PRIVATE "-lstdc++ -lm ${CMAKE_THREAD_LIBS_INIT}")
  foreach(library ${CMAKE_DL_LIBS})
    string(APPEND NEXTSTAT_PC_LIBS_PRIVATE " -l${library}")
  endforeach()
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/nextstatConfig.cmake.in ${PROJECT_BINARY_DIR}/nextstatConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nextstatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nextstatConfig.cmake ${PROJECT_BINARY_DIR}/nextstatConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix in the .pc file follows from where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH NEXTSTAT_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(${CMAKE_CURRENT_LIST_DIR}/nextstat.pc.in ${PROJECT_BINARY_DIR}/nextstat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nextstat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
