#include "worker/train/app/measure_command.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/stop_signal.hpp"
#include "schemas/codec/json.hpp"
#include "worker/train/run/phases.hpp"

namespace hone::trainers {
namespace {

Json document_of(const Measurement& measured) {
  Json rows = Json::array();
  for (const auto& row : measured.placements)
    rows.push_back({{"placement", row.name},
                    {"real_ms", row.real_ms},
                    {"median_ms", row.median_ms},
                    {"most_ms", row.most_ms},
                    {"simulated_ms", row.simulated_ms},
                    {"profile_ms", row.profile_ms}});
  return {{"graph", measured.graph},
          {"devices", measured.devices},
          {"cores", measured.cores},
          {"scale", measured.scale},
          {"gflop_per_s", measured.gflop_per_s},
          {"gb_per_s", measured.gb_per_s},
          {"link_gb_per_s", measured.link_gb_per_s},
          {"latency_ms", measured.latency_ms},
          {"n", measured.placements.size()},
          {"spearman", measured.correlation},
          {"spearman_profile", measured.profile_correlation},
          {"left_out", measured.left_out},
          {"placements", std::move(rows)}};
}

// Names come last: a placement that several methods found has several.
void print_table(const Measurement& measured, const std::string& profile) {
  std::printf("%9s %9s %9s %12s %12s  %s\n", "real_ms", "median_ms", "most_ms", "simulated_ms",
              (profile + "_ms").c_str(), "placement");
  for (const auto& row : measured.placements)
    std::printf("%9.1f %9.1f %9.1f %12.1f %12.1f  %s\n", row.real_ms, row.median_ms, row.most_ms,
                row.simulated_ms, row.profile_ms, row.name.c_str());
  for (const auto& why : measured.left_out) std::printf("not run: %s\n", why.c_str());
}

void print_summary(const Measurement& measured, const std::string& profile) {
  std::string devices;
  for (const auto& device : measured.devices) devices += (devices.empty() ? "" : ", ") + device;
  std::printf(
      "\n%s at 1/%.3g of its size on %zu devices (%s): %.0f GFLOP/s, %.1f GB/s;"
      " between two %.1f GB/s, %.3f ms\n",
      measured.graph.c_str(), 1 / measured.scale, measured.devices.size(), devices.c_str(),
      measured.gflop_per_s, measured.gb_per_s, measured.link_gb_per_s, measured.latency_ms);
  int processors = 0;
  for (const auto& device : measured.devices) processors += device == "cpu" ? 1 : 0;
  if (processors > measured.cores)
    std::printf(
        "note: %d of the devices are threads that share %d cores, which the simulator does"
        " not model: use --devices %d\n",
        processors, measured.cores, measured.cores);
  std::printf(
      "Spearman's rank correlation of real and simulated step times over %zu placements:"
      " %.3f (%.3f with the constants of %s)\n",
      measured.placements.size(), measured.correlation, measured.profile_correlation,
      profile.c_str());
}

}  // namespace

Result<int> measure(const TrainerRow& row, const TrainCommand& command, MeasurePlan plan) {
  const StopSignal stop;
  auto settings = settings_of(*find_trainer(row.name), command);
  if (!settings) return std::move(settings).error();
  const std::string profile = settings->word("device");
  plan.job = {*std::move(settings), command.seed, command.budget};
  plan.out = command.out;
  const bool shown = isatty(STDERR_FILENO) != 0;
  const auto tell = [&](const std::string& what) {
    if (shown) std::fprintf(stderr, "\r\033[K%s", what.c_str());
  };
  const auto measured = measure_placements(plan, stop.token(), tell);
  if (shown) std::fprintf(stderr, "\r\033[K");
  if (stop.token().stop_requested()) return exit_terminated;
  if (!measured) return measured.error();
  if (command.json) {
    std::cout << to_text(document_of(*measured)) << "\n";
    return exit_done;
  }
  print_table(*measured, profile);
  print_summary(*measured, profile);
  return exit_done;
}

}  // namespace hone::trainers
