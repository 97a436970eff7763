# cpack -G DEB. dpkg-shlibdeps finds the dependencies of the programs.
set(deb ${CMAKE_CURRENT_SOURCE_DIR}/debian)
set(deb_built ${CMAKE_CURRENT_BINARY_DIR}/debian)
file(MAKE_DIRECTORY ${deb_built})  # not every generator does
set(packages programs:hone sdk:libhone-dev python:python3-hone)
if(TARGET hone_torch)  # its own package: libtorch is large, and only one backend needs it
  list(APPEND packages torch:hone-torch)
endif()

# Each package has a copyright file and a changelog, as Debian's policy requires; only cpack needs them.
add_custom_command(OUTPUT ${deb_built}/changelog.gz
  COMMAND ${CMAKE_COMMAND} -E copy ${deb}/changelog ${deb_built}/changelog
  COMMAND ${HONE_GZIP} -9nf ${deb_built}/changelog DEPENDS ${deb}/changelog VERBATIM)
add_custom_target(hone_changelog ALL DEPENDS ${deb_built}/changelog.gz)
set(CPACK_COMPONENTS_ALL "")
foreach(pair IN LISTS packages)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES ${deb}/copyright ${deb_built}/changelog.gz DESTINATION share/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The maintainers of hone <maintainers@hone.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)  # whatever the umask
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS python3-hone)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS hone-torch)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "hyperparameter search for reinforcement learning, and for any command
A coordinator keeps sweeps in one SQLite file, proposes parameter sets, stops
poor runs early and hands training runs to workers. Contains the command
hone, its server, its worker, the built-in trainers and hone-bench.")
set(CPACK_DEBIAN_SDK_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "nlohmann-json3-dev, libssl-dev")
set(CPACK_DEBIAN_SDK_DESCRIPTION "hone's SDK for C++
Header files and a static library, found by CMake's find_package(hone): for
programs that report to hone, and for clients of its server.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.7)")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "hone's SDK for Python
The module hone, which needs only the standard library: for programs that
report to hone, and for clients of its server. Its source is in
/usr/share/hone/python, for pip install into other Pythons.")
set(CPACK_DEBIAN_TORCH_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "hone (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TORCH_DESCRIPTION "hone's trainers on libtorch
A module that hone-train loads for backend=torch, backend=cuda and
placement --measure. Without it everything else works.")
include(CPack)
