#include "worker/train/nn/network.hpp"
#include "worker/train/nn/torch_module.hpp"

namespace hone::nn {
namespace {

using TorchMaker = NetworkMaker* (*)(bool cuda);

// The functions of the module; null if it could not be opened.
struct Torch {
  TorchMaker make = nullptr;
  bool (*has_cuda)() = nullptr;
  std::optional<Error> fault;
};

const Torch& torch() {
  static const auto opened = []() -> Torch {
    constexpr const char* who = "backends torch and cuda need";
    auto make = trainers::torch_function("hone_torch_maker", who);
    auto has_cuda = trainers::torch_function("hone_torch_has_cuda", who);
    if (!make || !has_cuda) return {nullptr, nullptr, make ? has_cuda.error() : make.error()};
    // POSIX guarantees these conversions.
    return {reinterpret_cast<TorchMaker>(*make), reinterpret_cast<bool (*)()>(*has_cuda), {}};
  }();
  return opened;
}

NetworkMaker on_torch(bool cuda) {
  return std::move(*std::unique_ptr<NetworkMaker>(torch().make(cuda)));
}

}  // namespace

NetworkMaker own_maker() {
  return {[](const NetShape& shape, int rows_max) { return make_own_network(shape, rows_max); }};
}

Result<NetworkMaker> network_maker(Backend backend) {
  if (backend == Backend::own) return own_maker();
  if (torch().fault) return refuse(Code::unavailable, torch().fault->detail, "/backend");
  if (backend == Backend::torch) return on_torch(false);
  if (torch().has_cuda()) return on_torch(true);
  return refuse(Code::unavailable,
                "backend cuda needs a GPU and a libtorch with CUDA, and this one finds none: point "
                "CMAKE_PREFIX_PATH at such a libtorch when hone is built (tests/gpu/run does), or "
                "take backend own",
                "/backend");
}

}  // namespace hone::nn
