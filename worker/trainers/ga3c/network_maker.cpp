#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "worker/trainers/ga3c/network.hpp"

namespace hone::ga3c {
namespace {

constexpr const char* library_name = "libhone_torch.so";
using TorchMaker = Network* (*)(const NetShape& shape, int rows_max, bool cuda);

// What the library offers; nulls where it could not be opened.
struct Torch {
  TorchMaker make = nullptr;
  bool (*has_cuda)() = nullptr;
};

// Beside the program in a build folder, in lib/hone of an installation.
void* open_library() {
  std::error_code fault;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  for (const auto& path : {folder / library_name, folder / "../lib/hone" / library_name})
    if (::access(path.c_str(), R_OK) == 0) return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
}

// Opened once and never closed: libtorch does not survive that.
const Torch& torch() {
  static const auto opened = []() -> Torch {
    void* library = open_library();
    if (library == nullptr) return {};
    // POSIX guarantees these conversions.
    return {reinterpret_cast<TorchMaker>(dlsym(library, "hone_torch_network")),
            reinterpret_cast<bool (*)()>(dlsym(library, "hone_torch_has_cuda"))};
  }();
  return opened;
}

std::unique_ptr<Network> make_on_torch(const NetShape& shape, int rows_max) {
  return std::unique_ptr<Network>(torch().make(shape, rows_max, false));
}

std::unique_ptr<Network> make_on_cuda(const NetShape& shape, int rows_max) {
  return std::unique_ptr<Network>(torch().make(shape, rows_max, true));
}

}  // namespace

Result<NetworkMaker> network_maker(Backend backend) {
  if (backend == Backend::own) return NetworkMaker{make_own_network};
  if (torch().make == nullptr) {
    const char* reason = dlerror();
    return refuse(Code::invalid,
                  "backends torch and cuda need " + std::string(library_name) +
                      " beside hone-train: " +
                      (reason == nullptr ? "build hone with -DHONE_TORCH=ON" : reason),
                  "/backend");
  }
  if (backend == Backend::torch) return NetworkMaker{make_on_torch};
  if (torch().has_cuda()) return NetworkMaker{make_on_cuda};
  return refuse(Code::invalid,
                "backend cuda needs a GPU and a libtorch with CUDA, and this one finds none: point "
                "CMAKE_PREFIX_PATH at such a libtorch when hone is built (tests/gpu/run does), or "
                "take backend own",
                "/backend");
}

}  // namespace hone::ga3c
