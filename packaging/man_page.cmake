# Writes the man page of one program from its --help: cmake -DPROGRAM= -DNAME= -DVERSION= -DOUTPUT= -P
# The page of hone has a section for the help of each command.

function(help_of result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help OUTPUT_VARIABLE text ERROR_VARIABLE fault RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN} --help: ${fault}")
  endif()
  string(REPLACE "${PROGRAM}" "${NAME}" text "${text}")  # not where it was built
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Escapes backslashes, and points and quotes at the beginning of a line, for roff.
function(verbatim result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} ".nf\n${text}\n.fi\n" PARENT_SCOPE)
endfunction()

help_of(overview)
set(summary "finds good hyperparameters for reinforcement\\-learning agents")
if(NAME STREQUAL "hone-server")
  set(summary "the coordinator of hone: stores sweeps and decides what is tried next")
elseif(NAME STREQUAL "hone-worker")
  set(summary "executes the runs of hone's sweeps on this machine")
elseif(NAME STREQUAL "hone-train")
  set(summary "the built\\-in trainers of hone, one process for each run")
elseif(NAME STREQUAL "hone-relay")
  set(summary "actors of one training of hone on several hosts")
elseif(NAME STREQUAL "hone-bench")
  set(summary "measures a hone server and the search methods")
endif()
string(REPLACE "-" "\\-" name "${NAME}")
string(TOUPPER "${NAME}" title)
verbatim(overview_text "${overview}")
set(page ".TH ${title} 1 \"\" \"hone
  ${VERSION}\" \"hone\"\n.SH NAME\n${name} \\- ${summary}\n.SH DESCRIPTION\n${overview_text}")

if(NAME STREQUAL "hone")
  string(REGEX MATCHALL "\n  [a-z]+ " rows "${overview}")
  foreach(row IN LISTS rows)
    string(STRIP "${row}" command)
    if(command MATCHES "^(server|worker|train|bench)$")  # have their own pages
      continue()
    endif()
    help_of(text ${command})
    verbatim(text "${text}")
    string(TOUPPER "${command}" heading)
    string(APPEND page ".SH HONE ${heading}\n${text}")
  endforeach()
  string(APPEND page
  ".SH SEE ALSO\n.BR hone\\-server (1),\n.BR hone\\-worker (1),\n.BR hone\\-train (1),\n.BR hone\\-bench (1)\n")
else()
  string(APPEND page ".SH SEE ALSO\n.BR hone (1)\n")
endif()
file(WRITE ${OUTPUT} "${page}")
