#include "worker/train/nn/torch_module.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace hone::trainers {
namespace {

constexpr const char* library_name = "libhone_torch.so";

// The module is next to the program in a build folder, in lib/hone of an installation.
void* open_library() {
  std::error_code fault;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  for (const auto& path : {folder / library_name, folder / "../lib/hone" / library_name})
    if (::access(path.c_str(), R_OK) == 0) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<void*> torch_function(const char* name, const char* who) {
  static void* const library = open_library();  // never closed: libtorch crashes if it is
  void* function = library == nullptr ? nullptr : dlsym(library, name);
  if (function != nullptr) return function;
  const char* reason = dlerror();
  return refuse(Code::unavailable,
                std::string(who) + " " + library_name +
                    " (the package hone-torch, or build hone with -DHONE_TORCH=ON): " +
                    (reason == nullptr ? "it has no such function" : reason));
}

}  // namespace hone::trainers
