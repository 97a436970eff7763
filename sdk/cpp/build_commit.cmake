# cmake -DSOURCE=folder -DOUTPUT=file -P build_commit.cmake: the commit of the sources as a C++ string literal, with
# '+' if files have changed since. Empty outside of a repository. Writes only if it differs, so that nothing is
# compiled again.
set(commit "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --verify --quiet HEAD OUTPUT_VARIABLE commit ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  set(commit "")
else()
  execute_process(COMMAND git -C ${SOURCE} --no-optional-locks diff --quiet HEAD ERROR_QUIET RESULT_VARIABLE changed)
  if(changed)
    string(APPEND commit "+")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${commit}\"\n" @ONLY)
