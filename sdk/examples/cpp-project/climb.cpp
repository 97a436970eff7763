// A program that hone tunes through the C++ SDK. Without a sweep it lists the sweeps of a server.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <hone/hone.hpp>
#include <nlohmann/json.hpp>

namespace {

int show_sweeps() {
  const auto endpoint = hone::endpoint_of_environment();
  if (!endpoint) return std::fprintf(stderr, "climb: %s\n", endpoint.error().detail.c_str()), 1;
  const auto sweeps = hone::Client(*endpoint).get_json("/v1/sweeps");
  if (!sweeps) return std::fprintf(stderr, "climb: %s\n", sweeps.error().detail.c_str()), 1;
  std::puts(hone::to_text(*sweeps).c_str());
  return 0;
}

int train(hone::CurrentRun& run) {
  const double rate = run.real("learning_rate", 0.1);
  const double decay = run.real("decay", 0.9);
  double distance = 10.0;
  if (run.file().resume) std::ifstream(run.file().resume->path) >> distance;
  for (int phase = run.first_phase(); phase < run.phases(); ++phase) {
    for (int step = 0; step < 10; ++step)
      distance = std::abs(distance - rate * distance) * (1.0 - 0.01 * decay);
    if (const auto told = run.metric("distance", run.phase_end(phase), distance); !told) return 1;
    const auto file = run.checkpoint_dir() / "distance.txt";
    std::ofstream(file) << distance << "\n";
    if (const auto saved = run.checkpoint(file, phase); !saved) return 1;
    const auto verdict = run.report(phase, -distance);
    if (!verdict) return std::fprintf(stderr, "climb: %s\n", verdict.error().detail.c_str()), 1;
    if (verdict->action != hone::TrialVerdict::Action::go_on) break;
  }
  return 0;
}

}  // namespace

int main() {
  auto run = hone::CurrentRun::open();
  if (run) return train(*run);
  if (run.error().code == hone::Code::not_found) return show_sweeps();
  return std::fprintf(stderr, "climb: %s\n", run.error().detail.c_str()), 1;
}
