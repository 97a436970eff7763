#include "bench/search/spaces.hpp"

#include <initializer_list>

#include "bench/search/problems.hpp"

namespace hone::bench {
namespace {

Parameter real(std::string name, double min, double max, Scale scale = Scale::linear,
               std::string when = {}) {
  return {std::move(name), FloatDomain{min, max, scale, {}, {}}, std::move(when)};
}

Parameter whole(std::string name, std::int64_t min, std::int64_t max, Scale scale = Scale::linear,
                std::string when = {}) {
  return {std::move(name), IntDomain{min, max, scale, 1, {}}, std::move(when)};
}

Parameter choice(std::string name, std::initializer_list<const char*> words,
                 std::string when = {}) {
  ChoiceDomain domain;
  for (const char* word : words) domain.values.emplace_back(std::string(word));
  return {std::move(name), std::move(domain), std::move(when)};
}

Space box(int dimensions, double min, double max) {
  Space space;
  for (int i = 0; i < dimensions; ++i) space.push_back(real("x" + std::to_string(i), min, max));
  return space;
}

}  // namespace

Space branin_space() { return {real("x0", -5, 10), real("x1", 0, 15)}; }
Space hartmann3_space() { return box(3, 0, 1); }
Space hartmann6_space() { return box(6, 0, 1); }
Space ackley5_space() { return box(5, -32.768, 32.768); }
Space levy4_space() { return box(4, -10, 10); }
Space rosenbrock4_space() { return box(4, -5, 10); }

Space mixed6_space() {
  return {real("lr", 1e-5, 1, Scale::log),
          real("wd", 1e-6, 1e-1, Scale::log),
          whole("layers", 1, 10),
          whole("width", 8, 256),
          choice("opt", {"sgd", "adam", "rmsprop", "adagrad"}),
          choice("act", {"relu", "tanh", "gelu"})};
}

// A condition must also require that every parameter it reads is active.
Space cond_space() {
  return {choice("model", {"svm", "mlp", "forest"}),
          real("C", 1e-3, 1e3, Scale::log, "model == 'svm'"),
          choice("kernel", {"rbf", "linear"}, "model == 'svm'"),
          real("gamma", 1e-4, 10, Scale::log, "model == 'svm' and kernel == 'rbf'"),
          real("lr", 1e-5, 1, Scale::log, "model == 'mlp'"),
          whole("layers", 1, 3, Scale::linear, "model == 'mlp'"),
          whole("units0", 4, 128, Scale::log, "model == 'mlp' and layers >= 1"),
          whole("units1", 4, 128, Scale::log, "model == 'mlp' and layers >= 2"),
          whole("units2", 4, 128, Scale::log, "model == 'mlp' and layers >= 3"),
          whole("trees", 10, 500, Scale::linear, "model == 'forest'"),
          whole("depth", 1, 30, Scale::linear, "model == 'forest'")};
}

Space latency_space(int dimensions) {
  Space space;
  for (int i = 0; i < dimensions; ++i) {
    std::string name = (i < 10 ? "p0" : "p") + std::to_string(i);
    ChoiceDomain four;
    for (std::int64_t k = 0; k < 4; ++k) four.values.emplace_back(k);
    switch (i % 4) {
      case 0:
        space.push_back(real(std::move(name), 1e-5, 1, Scale::log));
        break;
      case 1:
        space.push_back(whole(std::move(name), 1, 64));
        break;
      case 2:
        space.push_back({std::move(name), std::move(four), {}});
        break;
      default:
        space.push_back(real(std::move(name), -1, 1));
    }
  }
  return space;
}

}  // namespace hone::bench
