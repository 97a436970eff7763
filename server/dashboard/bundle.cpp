// hone-bundle FOLDER MODULE: prints a module of the folder and those that it imports as one script.
// A program of the build.
#include <cstdio>
#include <string>

#include "server/dashboard/folder.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: hone-bundle FOLDER MODULE\n", stderr);
    return 2;
  }
  const auto script = hone::dashboard::one_script(hone::dashboard::files_of(argv[1]), argv[2]);
  if (!script) {
    std::fprintf(stderr, "%s\n", script.error().detail.c_str());
    return 1;
  }
  return std::fwrite(script->data(), 1, script->size(), stdout) == script->size() ? 0 : 1;
}
