#include "worker/train/app/backends_command.hpp"

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::trainers {
namespace {

std::string on_libtorch(nn::Backend backend) {
  const auto maker = nn::network_maker(backend);
  return maker ? "yes" : "no: " + maker.error().detail;
}

}  // namespace

std::string backends_text() {
  return std::string("own\t") + dense::best_kernels().name +  //
         "\ntorch\t" + on_libtorch(nn::Backend::torch) +      //
         "\ncuda\t" + on_libtorch(nn::Backend::cuda) + "\n";
}

}  // namespace hone::trainers
