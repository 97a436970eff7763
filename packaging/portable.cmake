# Links the programs for Linux distributions with an older glibc than this machine's (HONE_OLD_GLIBC, made by
# tools/old_glibc): against that glibc, with Debian's static libraries. What is compiled is the same.
# Debian has METIS as a shared library alone, which needs glibc 2.29: the baseline metis is left out. tools/wheel brings
# Box2D's along.
set(OPENSSL_USE_STATIC_LIBS ON)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(HONE_METIS_LIBRARY OFF)

# hone_link_with(target file): the imported target is this file.
function(hone_link_with target file)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${file} IMPORTED_LOCATION_NONE ${file})
endfunction()

# hone_link_to_old_glibc(target): libraries that only libraries of this machine need are not searched for their symbols.
function(hone_link_to_old_glibc target)
  target_link_options(${target} PRIVATE -static-libstdc++ -B${HONE_OLD_GLIBC}/ -L${HONE_OLD_GLIBC}
                                        -Wl,--allow-shlib-undefined -Wl,--gc-sections)
  target_link_libraries(${target} PRIVATE -lpthread -ldl -lrt)
endfunction()

function(hone_make_portable)
  find_library(HONE_YAML_ARCHIVE yaml-cpp REQUIRED)
  hone_link_with(yaml-cpp ${HONE_YAML_ARCHIVE})
  add_library(hone_logging STATIC ${CMAKE_SOURCE_DIR}/packaging/portable/logging.cpp)
  target_compile_definitions(hone_logging PRIVATE
    $<TARGET_PROPERTY:spdlog::spdlog,INTERFACE_COMPILE_DEFINITIONS>)
  hone_link_with(spdlog::spdlog ${CMAKE_BINARY_DIR}/libhone_logging.a)
  hone_link_with(fmt::fmt ${CMAKE_BINARY_DIR}/libhone_logging.a)
  add_dependencies(spdlog::spdlog hone_logging)
  add_library(hone_old_glibc OBJECT ${CMAKE_SOURCE_DIR}/packaging/portable/glibc.cpp)
  set_target_properties(hone_old_glibc PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # One copy of OpenSSL for all programs: a quarter of their size.
  add_library(hone_tls SHARED $<TARGET_OBJECTS:hone_old_glibc>)
  target_link_libraries(hone_tls PRIVATE -Wl,--whole-archive ${OPENSSL_SSL_LIBRARY} ${OPENSSL_CRYPTO_LIBRARY}
                                         -Wl,--no-whole-archive)
  hone_link_to_old_glibc(hone_tls)
  set(tls ${CMAKE_BINARY_DIR}/lib/hone/libhone_tls.so)
  set_target_properties(hone_tls PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/hone LINKER_LANGUAGE CXX)
  hone_link_with(OpenSSL::SSL ${tls})
  hone_link_with(OpenSSL::Crypto ${tls})
  add_dependencies(OpenSSL::Crypto hone_tls)
endfunction()

function(hone_link_portably program)
  target_sources(${program} PRIVATE $<TARGET_OBJECTS:hone_old_glibc>)
  hone_link_to_old_glibc(${program})
endfunction()
