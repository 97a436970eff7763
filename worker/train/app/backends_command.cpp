#include "worker/train/app/backends_command.hpp"

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::trainers {
namespace {

std::string on_libtorch(ga3c::Backend backend) {
  const auto maker = ga3c::network_maker(backend);
  return maker ? "yes" : "no: " + maker.error().detail;
}

}  // namespace

std::string backends_text() {
  return std::string("own\t") + dense::best_kernels().name +  //
         "\ntorch\t" + on_libtorch(ga3c::Backend::torch) +    //
         "\ncuda\t" + on_libtorch(ga3c::Backend::cuda) + "\n";
}

}  // namespace hone::trainers
