#include "server/cluster/profile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "server/cluster/setup.hpp"
#include "server/cluster/table.hpp"

namespace hone::cluster {
namespace {

constexpr double samples_bound = 1e9;
constexpr std::size_t rows_max = 100'000;  // of a file

// The number of `text`, if it is whole and in these bounds.
std::optional<int> whole(std::string_view text, double low, double high) {
  const auto value = number_of(text);
  if (!value || *value < low || *value > high || *value != std::floor(*value)) return std::nullopt;
  return static_cast<int>(*value);
}

// Digits, each the GPUs of a server, as "244".
std::optional<std::vector<int>> placement_of(std::string_view text) {
  std::vector<int> placement;
  for (const char digit : text) {
    if (digit < '1' || digit > '9') return std::nullopt;
    placement.push_back(digit - '0');
  }
  if (placement.empty() || placement.size() > static_cast<std::size_t>(tasks_max))
    return std::nullopt;
  return placement;
}

// Rings of servers have no first one.
std::vector<int> smallest_rotation(std::vector<int> placement) {
  std::vector<int> least = placement;
  for (std::size_t i = 1; i < placement.size(); ++i) {
    std::rotate(placement.begin(), placement.begin() + 1, placement.end());
    least = std::min(least, placement);
  }
  return least;
}

// The value of a curve at `at`, linear between its points and constant outside of them.
template <class Map, class Mix>
auto interpolated(const Map& map, double at, const Mix& mix) {
  const auto above = map.lower_bound(static_cast<int>(std::ceil(at)));
  if (above == map.end()) return std::prev(above)->second;
  if (above == map.begin() || above->first == at) return above->second;
  const auto below = std::prev(above);
  return mix(below->second, above->second, (at - below->first) / (above->first - below->first));
}

Status refuse_row(std::string_view file, std::size_t row) {
  return refuse(Code::invalid, std::string(file) + ": row " + std::to_string(row) +
                                   " has no positive numbers where they are needed");
}

}  // namespace

Status Profile::read_placements(std::string_view text) {
  std::size_t row = 0;
  Status status = Done{};
  std::map<int, std::map<int, std::map<int, std::pair<Seconds, int>>>> sums;
  auto read = for_each_row(
      text, {"placement", "local_bsz", "step_time", "sync_time"}, [&](const auto& cells) {
        const auto placement = placement_of(cells[0]);
        const auto samples = whole(cells[1], 1, samples_bound);
        const auto step = number_of(cells[2]), sync = number_of(cells[3]);
        if (++row > rows_max || !placement || !samples || !step || !sync || *step <= 0 ||
            *sync < 0 || *sync > *step) {
          status = refuse_row("placements.csv", row);
          return false;
        }
        placements_[smallest_rotation(*placement)][*samples] = {*step, *sync};
        auto& [sum, count] = sums[static_cast<int>(placement->size())][std::accumulate(
            placement->begin(), placement->end(), 0)][*samples];
        sum.step += *step;
        sum.sync += *sync;
        ++count;
        return true;
      });
  if (!read) return refuse(Code::invalid, "placements.csv " + read.error().detail);
  if (!status) return status;
  if (placements_.empty()) return refuse(Code::invalid, "placements.csv has no rows");
  for (const auto& [servers, by_workers] : sums)
    for (const auto& [workers, by_samples] : by_workers)
      for (const auto& [samples, sum] : by_samples)
        sizes_[servers][workers][samples] = {sum.first.step / sum.second,
                                             sum.first.sync / sum.second};
  least_ = placements_.begin()->second.begin()->first;
  for (const auto& [ignored, curve] : placements_) {
    least_ = std::min(least_, curve.begin()->first);
    most_ = std::max(most_, curve.rbegin()->first);
  }
  return Done{};
}

Status Profile::read_scalability(std::string_view text) {
  if (text.empty()) return Done{};
  std::size_t row = 0;
  Status status = Done{};
  auto read =
      for_each_row(text, {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time"},
                   [&](const auto& cells) {
                     const auto servers = whole(cells[0], 1, servers_max);
                     const auto workers = whole(cells[1], 1, samples_bound);
                     const auto samples = whole(cells[2], 1, samples_bound);
                     const auto step = number_of(cells[3]), sync = number_of(cells[4]);
                     if (++row > rows_max || !servers || !workers || !samples || !step || !sync ||
                         *step <= 0 || *sync < 0 || *sync > *step) {
                       status = refuse_row("scalability.csv", row);
                       return false;
                     }
                     sizes_[*servers][*workers][*samples] = {*step, *sync};
                     return true;
                   });
  if (!read) return refuse(Code::invalid, "scalability.csv " + read.error().detail);
  return status;
}

Status Profile::read_epochs(const std::map<int, std::string>& validations) {
  if (validations.empty()) return refuse(Code::invalid, "it has no validation-N.csv");
  for (const auto& [samples, text] : validations) {
    const std::string file = "validation-" + std::to_string(samples) + ".csv";
    if (samples < 1 || samples > samples_bound)
      return refuse(Code::invalid, file + ": an iteration has 1 to 1000000000 samples");
    std::vector<Epoch> epochs;
    Status status = Done{};
    auto read = for_each_row(text, {"progress", "grad_sqr", "grad_var"}, [&](const auto& cells) {
      const auto progress = number_of(cells[0]), gradient = number_of(cells[1]);
      const auto noise = number_of(cells[2]);
      const double before = epochs.empty() ? 0 : epochs.back().progress;
      if (epochs.size() == rows_max || !progress || !gradient || !noise || *progress < before ||
          *gradient < 0 || *noise < 0 || *gradient + *noise <= 0) {
        status = refuse_row(file, epochs.size() + 1);
        return false;
      }
      epochs.push_back({*progress, *gradient, *noise});
      return true;
    });
    if (!read) return refuse(Code::invalid, file + " " + read.error().detail);
    if (!status) return status;
    if (epochs.empty()) return refuse(Code::invalid, file + " has no rows");
    epochs_.emplace(samples, std::move(epochs));
  }
  return Done{};
}

Result<Profile> Profile::read(const ProfileFiles& files, const ProfileLimits& limits) {
  Profile profile;
  if (auto status = profile.read_placements(files.placements); !status) return status.error();
  if (auto status = profile.read_scalability(files.scalability); !status) return status.error();
  if (auto status = profile.read_epochs(files.validations); !status) return status.error();
  if (limits.samples_max > 0) profile.most_ = std::max(profile.least_, limits.samples_max);
  profile.workers_most_ = limits.workers_max > 0 ? limits.workers_max : tasks_max;
  return profile;
}

Profile::Seconds Profile::between_sizes(double servers, double workers, int samples) const {
  const auto mix = [](const Seconds& a, const Seconds& b, double part) {
    return Seconds{a.step + part * (b.step - a.step), a.sync + part * (b.sync - a.sync)};
  };
  // Each number of servers at as many workers for each server.
  std::map<int, Seconds> by_servers;
  for (const auto& [count, by_workers] : sizes_) {
    std::map<int, Seconds> curve;
    for (const auto& [measured, by_samples] : by_workers)
      curve[measured] = interpolated(by_samples, samples, mix);
    by_servers[count] = interpolated(curve, workers / servers * count, mix);
  }
  return interpolated(by_servers, servers, mix);
}

Profile::Seconds Profile::seconds_of(std::span<const int> placement, int samples) const {
  const auto measured = placements_.find(smallest_rotation({placement.begin(), placement.end()}));
  if (measured == placements_.end())
    return between_sizes(static_cast<double>(placement.size()),
                         std::accumulate(placement.begin(), placement.end(), 0), samples);
  return interpolated(measured->second, samples, [](const Seconds& a, const Seconds& b, double at) {
    return Seconds{a.step + at * (b.step - a.step), a.sync + at * (b.sync - a.sync)};
  });
}

double Profile::iteration_s(std::span<const int> placement, int samples) const {
  const int workers = std::accumulate(placement.begin(), placement.end(), 0);
  const auto up = [](int value, int by) { return (value + by - 1) / by; };
  const int of_worker = up(samples, workers);
  int passes = up(of_worker, most_);
  // One worker estimates the noise of its gradients from two passes.
  if (workers == 1 && samples > samples_min()) passes = std::max(passes, 2);
  const int of_pass = std::min(up(of_worker, passes), samples_max() / (workers * passes));
  const Seconds seconds = seconds_of(placement, std::max(of_pass, 1));
  return seconds.step + (passes - 1) * (seconds.step - seconds.sync);
}

double Profile::iterations(int samples) const {
  const double scale = static_cast<double>(samples) / samples_min();
  std::size_t epochs = epochs_.begin()->second.size();
  for (const auto& [ignored, rows] : epochs_) epochs = std::min(epochs, rows.size());
  const auto mix = [](const Epoch& a, const Epoch& b, double part) {
    return Epoch{0, a.gradient + part * (b.gradient - a.gradient),
                 a.noise + part * (b.noise - a.noise)};
  };
  double sum = 0, before = 0;
  for (std::size_t e = 0; e < epochs; ++e) {
    double until = epochs_.begin()->second[e].progress;
    std::map<int, Epoch> by_samples;
    for (const auto& [count, rows] : epochs_) {
      until = std::min(until, rows[e].progress);
      by_samples[count] = rows[e];
    }
    const Epoch at = interpolated(by_samples, samples, mix);
    sum += (until - before) * (at.noise / scale + at.gradient) / (at.noise + at.gradient);
    before = until;
  }
  return sum;
}

int Profile::workers_max(int samples) const {
  return std::clamp(samples / least_, 1, std::min(workers_most_, tasks_max));
}

}  // namespace hone::cluster
