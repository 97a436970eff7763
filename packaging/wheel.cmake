# The part of `pip install .` that scikit-build-core installs: the programs as scripts of the environment, and in its
# lib/hone (HONE_RPATH) the shared libraries that are not part of glibc.
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET libraries
  RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT wheel)
install(RUNTIME_DEPENDENCY_SET libraries
  PRE_EXCLUDE_REGEXES "^(ld-linux|lib(c|m|dl|rt|pthread|resolv|util)[.]so)"
  LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib/hone COMPONENT wheel)
