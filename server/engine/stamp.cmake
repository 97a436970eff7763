# cmake -DFILES=a;b -DCOMPILER=... -DOUTPUT=file -P stamp.cmake: one digest over files and compiler, as a C++ string
# literal.
set(all "${COMPILER}\n")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} digest)
  string(APPEND all "${digest}\n")
endforeach()
string(SHA256 stamp "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${stamp}\"\n" @ONLY)
