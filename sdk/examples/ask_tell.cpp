// Minimizes Branin's function with the C++ SDK: hone proposes, this program evaluates, without a
// worker.
//   sweep=$(hone submit sdk/examples/ask-tell.yaml -q)
//   hone-example-ask-tell http://127.0.0.1:7777 $sweep
#include <cmath>
#include <iostream>
#include <numbers>

#include "schemas/types/value.hpp"
#include "sdk/cpp/client.hpp"

namespace {

double branin(double x, double y) {
  constexpr double pi = std::numbers::pi;
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

double number(const hone::Params& params, const char* name) {
  const hone::Value* value = hone::find(params, name);
  return value == nullptr ? 0 : std::get<double>(*value);
}

}  // namespace

int main(int argc, char** argv) {
  const auto endpoint = hone::parse_endpoint(argc > 1 ? argv[1] : "http://127.0.0.1:7777");
  const auto sweep = hone::parse_id<hone::SweepId>(argc > 2 ? argv[2] : "");
  if (!endpoint || !sweep) {
    std::cerr << "usage: " << argv[0] << " SERVER SWEEP\n";
    return 2;
  }
  hone::Client client(*endpoint);
  double best = HUGE_VAL;
  while (true) {
    // The same name gets the same trial until it reports the result: a crash here costs nothing.
    const auto trial = client.ask(*sweep, {"ask_tell.cpp"});
    if (!trial) {
      std::cout << trial.error().detail << "\nbest " << best << std::endl;
      return trial.error().code == hone::Code::conflict ? 0 : 1;
    }
    const double loss = branin(number(trial->params, "x"), number(trial->params, "y"));
    best = std::min(best, loss);
    hone::TellRequest result;
    result.score = hone::Score::of(loss);
    if (const auto told = client.tell(trial->trial, result); !told) {
      std::cerr << told.error().detail << std::endl;
      return 1;
    }
  }
}
