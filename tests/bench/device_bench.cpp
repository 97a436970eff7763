// What each choice of DeviceChoices gains: predictions and gradients a second of GA3C's published
// network for screens of 84 x 84 x 4 bytes, with one to four networks on a GPU.
//
//   device_bench         the GPU that CUDA_VISIBLE_DEVICES shows first; exits with 2 without one
//   device_bench --cpu   libtorch on the processor, to see what the program itself does
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "worker/train/nn/device_choices.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/nn/torch_module.hpp"

namespace hone::nn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto window = std::chrono::milliseconds(250);
constexpr int versions = 4;           // of the weights, in turn
constexpr int batches_a_version = 8;  // GA3C predicts about this often between two updates

NetShape published() {
  const envs::Planes planes{84, 84, 4};
  NetShape shape{.inputs = planes.size(), .hidden = 256, .actions = 6};
  shape.activation = Activation::relu;
  shape.kind = NetKind::conv;
  shape.planes = planes;
  shape.storage = envs::Storage::bytes;
  return shape;
}

struct Variant {
  const char* name;
  DeviceChoices choices;
};
constexpr Variant variants[] = {
    {"none", {.streams = false, .graphs = false, .pinned = false}},
    {"+ pinned", {.streams = false, .graphs = false}},
    {"+ streams", {.graphs = false}},
    {"+ graphs", {}},
    {"+ TF32", {.tf32 = true}},
    {"all but pinned", {.pinned = false}},
};

template <class Function>
Function* function(const char* name) {
  const auto found = trainers::torch_function(name, "device_bench needs");
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().detail.c_str());
    std::exit(2);
  }
  return reinterpret_cast<Function*>(*found);
}

std::vector<dense::Floats> all_weights(const NetShape& shape) {
  std::vector<dense::Floats> all;
  for (std::uint64_t seed = 1; seed <= versions; ++seed)
    all.push_back(pack(shape, first_weights(shape, WeightStart::scaled, seed)));
  return all;
}

struct Load {
  int threads = 1;
  int rows = 1;
  bool trains = false;
};

// Rows a second of all threads.
double rate(const NetworkMaker& maker, const Load& load) {
  const auto shape = published();
  const auto weights = all_weights(shape);
  std::atomic<bool> runs = false;
  std::atomic<Clock::time_point> end = Clock::time_point{};
  std::atomic<std::int64_t> batches = 0;
  std::atomic<int> ready = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < load.threads; ++i)
    threads.emplace_back([&] {
      const auto network = maker.make(shape, load.rows);
      const std::vector<float> slopes(dense::padded(static_cast<std::size_t>(load.rows)) *
                                          static_cast<std::size_t>(shape.outputs()),
                                      1e-3F);
      auto* bytes = reinterpret_cast<std::uint8_t*>(network->input());
      for (int k = 0; k < load.rows * shape.inputs; ++k)
        bytes[k] = static_cast<std::uint8_t>(k * 2654435761U >> 24U);
      const auto batch = [&] {
        const auto version =
            static_cast<std::uint64_t>(batches++ / (load.trains ? 1 : batches_a_version));
        const auto& now = weights[version % versions];
        network->forward({now, version + 1}, network->input(), load.rows);
        if (load.trains) network->backward(now, slopes.data());
      };
      for (int k = 0; k < 3; ++k) batch();
      ++ready;
      ready.notify_all();
      runs.wait(false);
      while (Clock::now() < end.load()) batch();
    });
  for (int now = 0; (now = ready) < load.threads;) ready.wait(now);
  const auto start = Clock::now();
  const auto before = batches.load();
  end = start + window;
  runs = true;
  runs.notify_all();
  threads.clear();
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  return static_cast<double>((batches.load() - before) * load.rows) / elapsed.count();
}

constexpr Load loads[] = {{1, 16},  {1, 128},       {1, 512},       {4, 16},       {4, 128},
                          {4, 512}, {1, 128, true}, {1, 512, true}, {4, 512, true}};

void print_row(const char* name, const NetworkMaker& maker) {
  std::printf("%-16s", name);
  for (const auto& load : loads) {
    std::printf(" %8.1f ", rate(maker, load) / 1000);
    std::fflush(stdout);
  }
  std::printf("\n");
}

int measure(bool cpu) {
  if (!cpu && !function<bool()>("hone_torch_has_cuda")()) {
    std::fprintf(stderr, "no GPU, or a libtorch without CUDA: hone backends tells which\n");
    return 2;
  }
  std::printf("screens a second, in thousands; networks x rows\n%-16s", "");
  for (const auto& load : loads)
    std::printf(" %2d x %3d%s", load.threads, load.rows, load.trains ? "t" : " ");
  std::printf("   (t: with gradients)\n");
  if (cpu) {
    const std::unique_ptr<NetworkMaker> maker(
        function<NetworkMaker*(bool)>("hone_torch_maker")(false));
    print_row("cpu", *maker);
    return 0;
  }
  const auto make = function<NetworkMaker*(const DeviceChoices&)>("hone_torch_cuda_maker");
  for (const auto& variant : variants) {
    const std::unique_ptr<NetworkMaker> maker(make(variant.choices));
    print_row(variant.name, *maker);
  }
  return 0;
}

}  // namespace
}  // namespace hone::nn

int main(int argc, char** argv) {
  return hone::nn::measure(argc > 1 && std::strcmp(argv[1], "--cpu") == 0);
}
