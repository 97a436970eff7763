# Part of `cmake --install`: SOURCE, EXAMPLES and PYTHON_SDK are set; the prefix may come from --prefix.
set(target "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${EXAMPLES}")
file(GLOB files RELATIVE ${SOURCE} ${SOURCE}/*.yaml ${SOURCE}/*.py ${SOURCE}/*.sh ${SOURCE}/*.cpp)
foreach(name IN LISTS files)
  message(STATUS "Installing: ${target}/${name}")
  configure_file(${SOURCE}/${name} ${target}/${name} COPYONLY)  # keeps the permissions
  file(READ ${SOURCE}/${name} text)
  string(REPLACE "\${hone.work}/sdk/python" "${CMAKE_INSTALL_PREFIX}/${PYTHON_SDK}" text "${text}")
  string(REPLACE "sdk/python" "${CMAKE_INSTALL_PREFIX}/${PYTHON_SDK}" text "${text}")
  string(REPLACE "sdk/examples/" "" text "${text}")
  file(WRITE ${target}/${name} "${text}")
endforeach()
