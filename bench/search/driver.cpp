#include "bench/search/driver.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "bench/search/problems.hpp"
#include "bench/search/study.hpp"

namespace hone::bench {
namespace {

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double unix_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The largest this process ever was.
std::int64_t peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::int64_t kb = 0;
      status >> kb;
      return kb;
    }
  return 0;
}

// Reads the words of a task and keeps the first refusal.
class Reader {
 public:
  explicit Reader(const Arguments& words) : words_(words) {}

  std::string text(const std::string& key, const std::string& otherwise) {
    const auto found = words_.find(key);
    return found == words_.end() ? otherwise : found->second;
  }
  std::int64_t count(const std::string& key, std::int64_t otherwise) {
    const auto found = words_.find(key);
    return found == words_.end() ? otherwise : parse(key, found->second);
  }
  std::vector<std::int64_t> counts(const std::string& key, const std::string& otherwise) {
    std::vector<std::int64_t> out;
    std::string_view rest = otherwise;
    const auto found = words_.find(key);
    if (found != words_.end()) rest = found->second;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(','), rest.size());
      out.push_back(parse(key, rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
  }
  // "0-19" or "3,5"
  std::vector<std::int64_t> seeds(const std::string& key) {
    const std::string range = text(key, "0");
    const auto dash = range.find('-');
    if (dash == std::string::npos) return counts(key, "0");
    std::vector<std::int64_t> out;
    const std::int64_t last = parse(key, std::string_view(range).substr(dash + 1));
    for (auto one = parse(key, std::string_view(range).substr(0, dash)); one <= last; ++one)
      out.push_back(one);
    return out;
  }
  [[nodiscard]] Status status() const {
    if (refused_.empty()) return Done{};
    return refuse(Code::invalid, refused_);
  }

 private:
  std::int64_t parse(const std::string& key, std::string_view word) {
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, wrong] = std::from_chars(word.data(), end, value);
    const bool fits = wrong == std::errc{} && stop == end && value >= 0 && value <= 100'000'000;
    if (!fits && refused_.empty())
      refused_ = key + "=" + std::string(word) + ": that is no whole number from 0 to 100000000";
    return fits ? value : 0;
  }

  const Arguments& words_;
  std::string refused_;
};

Status version(const Arguments&, const Emit& emit) {
  emit({{"version", HONE_VERSION}});
  return Done{};
}

Status startup(const Arguments&, const Emit& emit) {
  const double before = wall_seconds();
  auto study = Study::make(latency_space(4), "tpe", 0);
  if (!study) return study.error();
  study->ask();
  emit({{"first_ask_wall_s", wall_seconds() - before}});
  return Done{};
}

Status memory(const Arguments& words, const Emit& emit) {
  Reader read(words);
  const auto trials = read.count("n", 10'000);
  const auto dimensions = read.count("d", 10);
  if (auto fits = read.status(); !fits) return fits.error();
  auto study = Study::make(latency_space(static_cast<int>(dimensions)), "random", 0);
  if (!study) return study.error();
  const double before = cpu_seconds();
  for (std::int64_t i = 0; i < trials; ++i) {
    const Asked asked = study->ask();
    study->tell(asked.run, latency_loss(asked.params));
  }
  const double fill = cpu_seconds() - before;
  const std::int64_t filled = peak_kb();
  if (auto done = study->change("tpe"); !done) return done.error();
  study->ask();
  emit({{"fill_cpu_s", fill}, {"rss_fill_kb", filled}, {"rss_kb", peak_kb()}});
  return Done{};
}

// Asks and tells, one by one. The first is not counted: it finds the caches cold.
Json time_asks(Study& study, std::int64_t repetitions) {
  Json asks = Json::array(), tells = Json::array(), walls = Json::array();
  for (std::int64_t i = 0; i <= repetitions; ++i) {
    const double wall = wall_seconds(), before = cpu_seconds();
    const Asked asked = study.ask();
    const double after = cpu_seconds(), waited = wall_seconds() - wall;
    const double loss = latency_loss(asked.params);
    const double telling = cpu_seconds();
    study.tell(asked.run, loss);
    const double told = cpu_seconds();
    if (i == 0) continue;
    asks.push_back((after - before) * 1e3);
    tells.push_back((told - telling) * 1e3);
    walls.push_back(waited * 1e3);
  }
  return {{"ask_ms", asks}, {"tell_ms", tells}, {"ask_wall_ms", walls}};
}

Status latency(const Arguments& words, const Emit& emit) {
  Reader read(words);
  const auto dimensions = read.count("d", 10);
  const auto sizes = read.counts("ns", "10,100,1000,10000");
  const auto repetitions = read.counts("reps", "31,31,15,9");
  if (auto fits = read.status(); !fits) return fits.error();
  if (sizes.size() != repetitions.size())
    return refuse(Code::invalid, "reps needs a number for each of ns");
  const double before = cpu_seconds();
  auto study = Study::make(latency_space(static_cast<int>(dimensions)),
                           "tpe-" + read.text("mode", "multi"), 0);
  if (!study) return study.error();
  Rng rng(1, Purpose::simulation, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    while (static_cast<std::int64_t>(study->trials()) < sizes[i]) study->add(rng, latency_loss);
    Json line = time_asks(*study, repetitions[i]);
    line["n"] = sizes[i];
    emit(line);
  }
  emit({{"total_cpu_s", cpu_seconds() - before}, {"version", HONE_VERSION}});
  return Done{};
}

// Best so far, by its improvements: [[trial from 1, loss], ...], in the seven digits that other
// drivers print.
class Trace {
 public:
  void add(double loss) {
    ++count_;
    if (loss >= best_) return;
    best_ = loss;
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.7g", loss);
    steps_.push_back({count_, std::strtod(digits.data(), nullptr)});
  }
  [[nodiscard]] const Json& steps() const { return steps_; }

 private:
  Json steps_ = Json::array();
  std::int64_t count_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

// `workers` trials pending at any time; the oldest reports first.
Trace search(Study& study, const Problem& problem, std::int64_t trials, std::size_t workers) {
  struct Running {
    std::size_t run;
    double loss;
  };
  Trace trace;
  std::deque<Running> running;
  const auto report_oldest = [&] {
    study.tell(running.front().run, running.front().loss);
    trace.add(running.front().loss);
    running.pop_front();
  };
  for (std::int64_t i = 0; i < trials; ++i) {
    if (running.size() >= workers) report_oldest();
    const Asked asked = study.ask();
    running.push_back({asked.run, problem.loss(asked.params)});
  }
  while (!running.empty()) report_oldest();
  return trace;
}

Status quality(const Arguments& words, const Emit& emit) {
  Reader read(words);
  const std::string name = read.text("problem", "");
  const auto trials = read.count("n", 200);
  const auto workers = std::max<std::int64_t>(1, read.count("workers", 1));
  const auto seeds = read.seeds("seeds");
  if (auto fits = read.status(); !fits) return fits.error();
  const Problem* problem = find_problem(name);
  if (problem == nullptr) {
    std::string known;
    for (const Problem& one : problems()) known.append(" ").append(one.name);
    return refuse(Code::invalid, "there is no problem '" + name + "'; there are" + known);
  }
  for (const std::int64_t seed : seeds) {
    const double before = cpu_seconds();
    auto study =
        Study::make(problem->space(), read.text("algo", "tpe"), static_cast<std::uint64_t>(seed));
    if (!study) return study.error();
    const Trace trace = search(*study, *problem, trials, static_cast<std::size_t>(workers));
    emit({{"seed", seed}, {"trace", trace.steps()}, {"cpu_s", cpu_seconds() - before}});
  }
  return Done{};
}

Status only_memory(const Arguments& words) {
  const std::string backend = Reader(words).text("backend", "memory");
  if (backend == "memory") return Done{};
  return refuse(Code::invalid, "this driver keeps studies in memory only, not in '" + backend +
                                   "': what hone stores goes through its server, which "
                                   "tests/bench/engine_bench.cpp measures");
}

Status storage_create(const Arguments& words, const Emit& emit) {
  if (auto fits = only_memory(words); !fits) return fits.error();
  emit({{"ok", 1}});
  return Done{};
}

// One trial of a client: ask, intermediate reports, tell; its milliseconds.
double client_trial(Study& study, int reports) {
  const double before = wall_seconds();
  const Asked asked = study.ask();
  const double loss = latency_loss(asked.params);
  for (int phase = 0; phase < reports; ++phase)
    study.report(asked.run, phase, loss + 1.0 / (phase + 1));
  study.finish(asked.run, reports, loss);
  return (wall_seconds() - before) * 1e3;
}

Status storage_client(const Arguments& words, const Emit& emit) {
  if (auto fits = only_memory(words); !fits) return fits.error();
  Reader read(words);
  const auto trials = read.count("trials", 1000);
  const int reports = static_cast<int>(read.count("reports", 5));
  const auto seed = static_cast<std::uint64_t>(read.count("seed", 0));
  const double start_at = std::strtod(read.text("start_at", "0").c_str(), nullptr);
  if (auto fits = read.status(); !fits) return fits.error();
  auto study = Study::make(latency_space(4), "random", seed);
  if (!study) return study.error();
  if (const double wait = start_at - unix_seconds(); wait > 0 && wait < 60)
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
  std::vector<double> milliseconds;
  const double began = unix_seconds(), before = cpu_seconds();
  for (std::int64_t i = 0; i < trials; ++i) milliseconds.push_back(client_trial(*study, reports));
  const double ended = unix_seconds(), used = cpu_seconds() - before;
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](std::size_t percent) {
    return milliseconds.empty() ? Json() : Json(milliseconds[milliseconds.size() * percent / 100]);
  };
  emit({{"done", trials},
        {"t0", began},
        {"t1", ended},
        {"cpu_s", used},
        {"errors", Json::object()},
        {"p50_ms", at(50)},
        {"p99_ms", at(99)}});
  return Done{};
}

struct Task {
  std::string_view name;
  Status (*run)(const Arguments& words, const Emit& emit);
};

constexpr std::array tasks{
    Task{"version", version},
    Task{"startup", startup},
    Task{"memory", memory},
    Task{"latency", latency},
    Task{"quality", quality},
    Task{"storage-create", storage_create},
    Task{"storage-client", storage_client},
};

}  // namespace

Status run_task(const std::string& task, const Arguments& words, const Emit& emit) {
  std::string known;
  for (const Task& one : tasks) {
    if (one.name == task) return one.run(words, emit);
    known.append(" ").append(one.name);
  }
  return refuse(Code::invalid, "there is no task '" + task + "'; there are" + known);
}

}  // namespace hone::bench
