#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "worker/trainers/ga3c/network.hpp"

namespace hone::ga3c {
namespace {

constexpr const char* library_name = "libhone_torch.so";
using TorchMaker = Network* (*)(const NetShape& shape, int rows_max);

// Beside the program in a build folder, in lib/hone of an installation.
void* open_library() {
  std::error_code fault;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  for (const auto& path : {folder / library_name, folder / "../lib/hone" / library_name})
    if (::access(path.c_str(), R_OK) == 0) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
}

// Opened once and never closed: libtorch does not survive that.
TorchMaker torch_maker() {
  static const auto maker = [] {
    void* library = open_library();
    void* symbol = library == nullptr ? nullptr : dlsym(library, "hone_torch_mlp");
    return reinterpret_cast<TorchMaker>(symbol);  // POSIX guarantees this conversion
  }();
  return maker;
}

std::unique_ptr<Network> make_torch_mlp(const NetShape& shape, int rows_max) {
  return std::unique_ptr<Network>(torch_maker()(shape, rows_max));
}

}  // namespace

Result<NetworkMaker> network_maker(Backend backend) {
  switch (backend) {
    case Backend::own:
      return NetworkMaker{make_own_network};
    case Backend::torch:
      break;
  }
  if (torch_maker() != nullptr) return NetworkMaker{make_torch_mlp};
  const char* reason = dlerror();
  return refuse(Code::invalid,
                "backend torch needs " + std::string(library_name) + " beside hone-train: " +
                    (reason == nullptr ? "build hone with -DHONE_TORCH=ON" : reason),
                "/backend");
}

}  // namespace hone::ga3c
