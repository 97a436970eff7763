// Job traces in public formats.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "server/cluster/read.hpp"
#include "server/cluster/table.hpp"

namespace hone::cluster {
namespace {

// Days since 1970-01-01 of a date of the Gregorian calendar (Hinnant's algorithm).
double days_of(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int era = year / 400, of_era = year - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097.0 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

// "2017-10-03 11:34:53", or seconds.
std::optional<double> seconds_of(std::string_view text) {
  if (const auto seconds = number_of(text)) return seconds;
  constexpr std::string_view shape = "0000-00-00 00:00:00";
  if (text.size() < shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == '0' ? !is_digit(text[i]) : text[i] != shape[i] && text[i] != 'T')
      return std::nullopt;
  const auto part = [&](std::size_t at, std::size_t count) {
    return static_cast<int>(*number_of(text.substr(at, count)));
  };
  return days_of(part(0, 4), std::clamp(part(5, 2), 1, 12), part(8, 2)) * 86'400 +
         part(11, 2) * 3'600 + part(14, 2) * 60 + part(17, 2);
}

// Collects the jobs of a trace, its types by name.
class TraceMaker {
 public:
  // Refuses (false) what cannot be a job.
  bool add(const std::string& type, double arrival_s, double length_s, double gpus) {
    constexpr double arrival_max_s = 1e12;  // larger ones would lose seconds
    if (!(length_s > 0) || !(gpus >= 1) || gpus > tasks_max || length_s > 1e9 ||
        !(std::abs(arrival_s) <= arrival_max_s)) {
      ++trace_.skipped;
      return false;
    }
    const auto [found, fresh] = types_.try_emplace(type, static_cast<int>(trace_.types.size()));
    if (fresh && trace_.types.size() == types_max) {
      types_.erase(found);
      ++trace_.skipped;
      return false;
    }
    if (fresh) {
      trace_.types.emplace_back();
      trace_.types.back().name = type;
    }
    Job job;
    job.type = found->second;
    job.wanted.workers = static_cast<int>(gpus);
    job.arrival_s = arrival_s;
    job.work = length_s;
    trace_.jobs.push_back(job);
    return true;
  }
  // What is known of the job that was added last.
  void measured_as(const std::shared_ptr<const Profile>& profile, int samples) {
    trace_.jobs.back().samples = samples;
    trace_.types[static_cast<std::size_t>(trace_.jobs.back().type)].profile = profile;
  }
  void skip() { ++trace_.skipped; }
  [[nodiscard]] std::size_t size() const { return trace_.jobs.size(); }

  // By arrival, the first at 0.
  Result<Trace> finish() {
    if (trace_.jobs.empty())
      return refuse(Code::invalid, "the trace has no job that can be simulated (" +
                                       counted(trace_.skipped, "row") + " skipped)");
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const Job& a, const Job& b) { return a.arrival_s < b.arrival_s; });
    const double first = trace_.jobs.front().arrival_s;
    for (Job& job : trace_.jobs) job.arrival_s -= first;
    return std::move(trace_);
  }

 private:
  Trace trace_;
  std::map<std::string, int> types_;
};

// Steps a second of a job type on that many GPUs; 0 if the table has none.
double throughput_of(const Json& table, std::string_view gpu, std::string_view type, int gpus) {
  const auto kind = table.find(gpu);
  if (kind == table.end() || !kind->is_object()) return 0;
  const std::string key = "('" + std::string(type) + "', " + std::to_string(gpus) + ")";
  const auto row = kind->find(key);
  if (row == kind->end() || !row->is_object()) return 0;
  const auto alone = row->find("null");
  return alone != row->end() && alone->is_number() ? alone->get<double>() : 0;
}

}  // namespace

Result<Trace> read_gavel_trace(std::string_view rows, const Json& throughputs, std::string_view gpu,
                               int most) {
  if (rows.size() > trace_bytes_max) return refuse(Code::too_large, "the trace is too large");
  if (!throughputs.is_object() || !throughputs.contains(gpu))
    return refuse(Code::invalid, "the table of throughputs has no GPU '" + std::string(gpu) + "'");
  constexpr std::size_t columns_min = 7;
  TraceMaker maker;
  for_each_line(rows, [&](std::string_view line) {
    const auto cells = split(line, '\t');
    const auto steps = cells.size() >= columns_min ? number_of(cells[4]) : std::nullopt;
    const auto arrival = cells.size() >= columns_min ? number_of(cells[5]) : std::nullopt;
    const auto gpus = cells.size() >= columns_min ? number_of(cells[6]) : std::nullopt;
    if (!steps || !arrival || !gpus || *gpus < 1 || *gpus > tasks_max) {
      maker.skip();
      return true;
    }
    const double speed = throughput_of(throughputs, gpu, cells[0], static_cast<int>(*gpus));
    maker.add(std::string(cells[0]), *arrival, speed > 0 ? *steps / speed : 0, *gpus);
    return maker.size() < static_cast<std::size_t>(std::min(most, jobs_max));
  });
  return maker.finish();
}

Result<Trace> read_philly_trace(std::string_view rows, int most) {
  if (rows.size() > trace_bytes_max) return refuse(Code::too_large, "the trace is too large");
  TraceMaker maker;
  auto read = for_each_row(rows, {"timestamp", "duration", "num_gpu"}, [&](const auto& cells) {
    const auto arrival = seconds_of(cells[0]);
    const auto duration = number_of(cells[1]), count = number_of(cells[2]);
    if (arrival && duration && count)
      maker.add("job", *arrival, *duration, *count);
    else
      maker.skip();
    return maker.size() < static_cast<std::size_t>(std::min(most, jobs_max));
  });
  if (!read) return refuse(Code::invalid, "the trace " + read.error().detail);
  return maker.finish();
}

Result<Trace> read_pollux_trace(std::string_view rows, const Profiles& profiles, int most) {
  if (rows.size() > trace_bytes_max) return refuse(Code::too_large, "the trace is too large");
  TraceMaker maker;
  auto read = for_each_row(
      rows, {"time", "application", "num_replicas", "batch_size"}, [&](const auto& cells) {
        const auto arrival = number_of(cells[0]);
        const auto workers = number_of(cells[2]), samples = number_of(cells[3]);
        const auto profile = profiles.find(cells[1]);
        const bool known = profile != profiles.end() && arrival && workers && samples &&
                           *samples >= profile->second->samples_min() &&
                           *samples <= profile->second->samples_max();
        if (!known)
          maker.skip();
        else if (const auto count = static_cast<int>(*samples);
                 maker.add(profile->first, *arrival, profile->second->iterations(count), *workers))
          maker.measured_as(profile->second, count);
        return maker.size() < static_cast<std::size_t>(std::min(most, jobs_max));
      });
  if (!read) return refuse(Code::invalid, "the trace " + read.error().detail);
  return maker.finish();
}

}  // namespace hone::cluster
