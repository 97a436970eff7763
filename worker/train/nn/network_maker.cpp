#include "worker/train/nn/network.hpp"
#include "worker/train/nn/torch_module.hpp"

namespace hone::ga3c {
namespace {

using TorchMaker = Network* (*)(const NetShape& shape, int rows_max, bool cuda);

// The functions of the module; null if it could not be opened.
struct Torch {
  TorchMaker make = nullptr;
  bool (*has_cuda)() = nullptr;
  std::optional<Error> fault;
};

const Torch& torch() {
  static const auto opened = []() -> Torch {
    constexpr const char* who = "backends torch and cuda need";
    auto make = trainers::torch_function("hone_torch_network", who);
    auto has_cuda = trainers::torch_function("hone_torch_has_cuda", who);
    if (!make || !has_cuda) return {nullptr, nullptr, make ? has_cuda.error() : make.error()};
    // POSIX guarantees these conversions.
    return {reinterpret_cast<TorchMaker>(*make), reinterpret_cast<bool (*)()>(*has_cuda), {}};
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
  if (torch().fault) return refuse(Code::unavailable, torch().fault->detail, "/backend");
  if (backend == Backend::torch) return NetworkMaker{make_on_torch};
  if (torch().has_cuda()) return NetworkMaker{make_on_cuda};
  return refuse(Code::unavailable,
                "backend cuda needs a GPU and a libtorch with CUDA, and this one finds none: point "
                "CMAKE_PREFIX_PATH at such a libtorch when hone is built (tests/gpu/run does), or "
                "take backend own",
                "/backend");
}

}  // namespace hone::ga3c
