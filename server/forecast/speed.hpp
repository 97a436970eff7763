// How fast a training runs on a number of machines, from a few measurements.
//
// Parameter servers (Peng et al., "Optimus", EuroSys 2018, section 3.2): steps per second of w
// workers and p parameter servers,
//   async  f(p, w) = w / (t0 + t1 w/p + t2 w + t3 p)
//   sync   f(p, w) = 1 / (t0 M/w + t1 + t2 w/p + t3 w + t4 p), M the batch of all workers together.
// Both are linear after inversion; each row is divided by its left side, so that relative errors
// count the same.
//
// Any number of machines m (Venkataraman et al., "Ernest", NSDI 2016): seconds of an iteration,
//   f(m) = t0 + t1 size/m + t2 ln m + t3 m.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace hone::forecast {

enum class UpdateMode { sync, async };

struct SpeedSample {
  int servers = 1;         // parameter servers, p
  int workers = 1;         // w
  double steps_per_s = 0;  // > 0
};

struct SpeedModel {
  UpdateMode mode = UpdateMode::sync;
  double batch = 1;                 // M; sync only
  std::array<double, 5> seconds{};  // t0..t4, all >= 0; async has no t4
  double fit_error = 0;             // root mean square of the relative errors
  // Steps per second; precondition: servers >= 1, workers >= 1.
  [[nodiscard]] double steps_per_s(int servers, int workers) const;
};

// Leaves out samples that are not finite and positive; nullopt without at least two that remain, or
// if no coefficient is positive.
std::optional<SpeedModel> fit_speed(UpdateMode mode, double batch,
                                    std::span<const SpeedSample> samples);

struct ScaleSample {
  double machines = 1;
  double size = 1;     // of the data, in the owner's unit
  double seconds = 0;  // of an iteration; > 0
};

struct ScaleModel {
  std::array<double, 4> terms{};  // t0..t3
  double machines_max = 0;        // the most machines of a sample
  [[nodiscard]] double seconds(double machines, double size = 1) const;
  // Whether a forecast for that many machines is more than a guess: at most twice the most that
  // were measured.
  [[nodiscard]] bool covers(double machines) const { return machines <= 2 * machines_max; }
};

std::optional<ScaleModel> fit_scale(std::span<const ScaleSample> samples);

}  // namespace hone::forecast
