# Writes OUT/assets.cpp, which embeds the files of ROOT plain and compressed: each script and style
# sheet with those that it imports:
#   cmake -DROOT=dashboard -DOUT=build/... -DBUNDLE=build/.../hone-bundle -DEMULATOR= -DBUDGET=150000 -P embed.cmake
# EMULATOR runs BUNDLE where it is for another processor.
# Fails when the compressed files exceed BUDGET bytes together.
cmake_policy(SET CMP0057 NEW)  # if(... IN_LIST ...)
set(roots app.js lib/live_worker.js lib/raster_worker.js style.css)
set(alone old.js start.js)
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.html ${ROOT}/*.css ${ROOT}/*.js ${ROOT}/*.svg ${ROOT}/*.json)
list(SORT files)
file(GLOB stale ${OUT}/*.plain ${OUT}/*.gzip)
file(REMOVE_RECURSE ${OUT}/lean ${stale})
set(digests "")
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} digest)
  string(APPEND digests "${file} ${digest}\n")
  # Indentation and comment lines are for the source. No text of these files spans lines.
  get_filename_component(folder ${OUT}/lean/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND sed -E -e "s/^ +//" -e "\\;^//;d" ${ROOT}/${file} OUTPUT_FILE ${OUT}/lean/${file}
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
string(SHA256 version "${digests}")
string(SUBSTRING ${version} 0 16 VERSION)
set(blocks "")
set(rows "")
set(number 0)
set(total 0)
foreach(file IN LISTS files)
  set(plain ${OUT}/${number}.plain)
  if(file STREQUAL "index.html")
    configure_file(${ROOT}/${file} ${plain} @ONLY)
  elseif(file IN_LIST roots)
    execute_process(COMMAND ${EMULATOR} ${BUNDLE} ${OUT}/lean ${file} OUTPUT_FILE ${plain} COMMAND_ERROR_IS_FATAL ANY)
  elseif(file MATCHES "[.](js|css)$" AND NOT file IN_LIST alone)
    continue()
  else()
    configure_file(${OUT}/lean/${file} ${plain} COPYONLY)
  endif()
  execute_process(COMMAND gzip -9nc ${plain} OUTPUT_FILE ${OUT}/${number}.gzip COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${OUT}/${number}.gzip bytes)
  math(EXPR total "${total} + ${bytes}")
  file(SHA256 ${plain} digest)
  foreach(form plain gzip)
    set(name hone_asset_${number}_${form})
    string(APPEND blocks "asm(\".section .rodata\\n${name}:\\n.incbin \\\"${OUT}/${number}.${form}\\\"\\n\"\n"
      "    \"${name}_end:\\n.byte 0\\n.global ${name}\\n.global ${name}_end\\n.previous\");\n"
      "extern \"C\" const char ${name}[], ${name}_end[];\n")
  endforeach()
  set(one hone_asset_${number})
  string(APPEND rows "      {\"${file}\", {${one}_plain, ${one}_plain_end}, {${one}_gzip, ${one}_gzip_end},\n"
    "       \"${digest}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(total GREATER BUDGET)
  message(FATAL_ERROR "the files of ${ROOT} take ${total} bytes compressed; the budget is ${BUDGET}")
endif()
file(WRITE ${OUT}/assets.cpp.new "// Made by server/dashboard/embed.cmake: ${total} bytes compressed.\n"
  "#include \"server/dashboard/pages.hpp\"\n\n${blocks}\nnamespace hone::dashboard {\n\n"
  "std::span<const Asset> assets() {\n  static const Asset all[] = {\n${rows}  };\n  return all;\n}\n\n"
  "std::string_view version() { return \"${VERSION}\"; }\n\n}  // namespace hone::dashboard\n")
file(RENAME ${OUT}/assets.cpp.new ${OUT}/assets.cpp)
