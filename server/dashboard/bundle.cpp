// hone-bundle FOLDER FILE: prints a module or a style sheet of the folder with those that it
// imports, as one. A program of the build.
#include <cstdio>
#include <string>

#include "server/dashboard/folder.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: hone-bundle FOLDER FILE\n", stderr);
    return 2;
  }
  const auto files = hone::dashboard::files_of(argv[1]);
  const std::string path = argv[2];
  const auto text = path.ends_with(".css") ? hone::dashboard::one_sheet(files, path)
                                           : hone::dashboard::one_script(files, path);
  if (!text) {
    std::fprintf(stderr, "%s\n", text.error().detail.c_str());
    return 1;
  }
  return std::fwrite(text->data(), 1, text->size(), stdout) == text->size() ? 0 : 1;
}
