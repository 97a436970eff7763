#include "bench/fill/bench_lineage.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sdk/cli/local/child.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/temporary_folder.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/pace.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class BenchServer {
 public:
  static Result<std::unique_ptr<BenchServer>> start(const std::filesystem::path& data) {
    const auto program = find_program("hone-server");
    if (!program) return program.error();
    auto server = std::make_unique<BenchServer>();
    const auto began = Clock::now();
    const auto child = cli::start({"server",
                                   {*program, "--data", data.string(), "--listen", "127.0.0.1:0"},
                                   (data / "server.log").string()},
                                  true);
    if (!child) return child.error();
    server->pid_ = child->pid;
    std::string line;
    for (char c = 0; read(child->stdout_end.fd(), &c, 1) == 1 && c != '\n';) line += c;
    const auto address = line.find("http://");
    if (address == std::string::npos)
      return refuse(Code::internal, "hone-server did not start: " +
                                        last_sentence((data / "server.log").string(), 0));
    server->url_ = line.substr(address);
    server->boot_ms_ = milliseconds_since(began);
    return server;
  }
  BenchServer() = default;
  ~BenchServer() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  BenchServer(const BenchServer&) = delete;
  BenchServer& operator=(const BenchServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] double boot_ms() const { return boot_ms_; }
  [[nodiscard]] std::int64_t resident_bytes() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6)) * 1024;
    return 0;
  }

 private:
  pid_t pid_ = 0;
  std::string url_;
  double boot_ms_ = 0;
};

struct Question {
  const char* name;
  std::string path;
  double bar_ms;
};

std::string find_path(const std::string& filter) {
  return "/v1/find?limit=100&where=" + escape_path(filter);
}

std::vector<Question> questions(const LineageOptions& options) {
  const auto sweep = std::to_string(std::max<std::int64_t>(1, options.fill.sweeps / 2));
  const auto trial = std::to_string(std::max<std::int64_t>(1, options.fill.trials / 2));
  constexpr double bar = 50;
  return {
      {"find, few match",
       find_path("model where metric.return > 499.9 and params.gamma >= 0.99 and workflow.commit "
                 "= 3*"),
       bar},
      {"find, many match", find_path("model where metric.return > 450 and params.gamma >= 0.99"),
       bar},
      {"find, none match", find_path("trial where metric.return > 600"), bar},
      {"find by telemetry", find_path("run where metric.loss > 0.9999"), bar},
      {"find by sweep", find_path("trial where sweep.name = bench-7 and params.optimizer = adam"),
       bar},
      {"find by text", find_path("run where detail ~ nothing-like-it"), 0},
      {"best", "/v1/sweeps/sw_" + sweep + "/best?limit=10", bar},
      {"best --where",
       "/v1/sweeps/sw_" + sweep + "/best?limit=10&where=" + escape_path("params.gamma >= 0.99"),
       bar},
      {"trials, a page", "/v1/sweeps/sw_" + sweep + "/trials?limit=100", bar},
      {"lineage of a model, up", "/v1/lineage/md_" + trial + "?direction=up", bar},
      {"lineage of a point, up", "/v1/lineage/rn_" + trial + ".0%2Floss%401000?direction=up", bar},
      {"lineage of a sweep, down", "/v1/lineage/sw_" + sweep + "?direction=down", bar},
      {"sweeps, a page", "/v1/sweeps?limit=100", bar},
  };
}

Json timing_json(const std::string& name, std::vector<double> times, double bar_ms) {
  std::ranges::sort(times);
  Json json;
  json["what"] = name;
  json["median_ms"] = times[times.size() / 2];
  json["worst_ms"] = times.back();
  json["bar_ms"] = bar_ms > 0 ? Json(bar_ms) : Json(nullptr);
  return json;
}

// Measured over HTTP on this machine.
Result<Json> ask(Client& client, const Question& question, int repetitions) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto began = Clock::now();
    if (const auto reply = client.get_text(question.path); !reply) return reply.error();
    times.push_back(milliseconds_since(began));
  }
  return timing_json(question.name, std::move(times), question.bar_ms);
}

// Measures a process from its start to its end.
Json run(const std::string& name, const std::vector<std::string>& argv, int repetitions,
         double bar_ms) {
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto began = Clock::now();
    output_of(argv);
    times.push_back(milliseconds_since(began));
  }
  return timing_json(name, std::move(times), bar_ms);
}

Status fill_folder(const LineageOptions& options, const std::filesystem::path& data,
                   const std::function<void(const std::string&)>& show_progress) {
  Pace pace;
  return upkeep::fill(data, options.fill, [&](std::int64_t done, std::int64_t total) {
    pace.observe(now(), done);
    const auto left = pace.left(total);
    show_progress("making " + count_text(done) + "/" + count_text(total) + " trials" +
                  (left ? "  ETA " + duration_text(*left) : ""));
  });
}

std::int64_t bytes_of(const std::filesystem::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.is_regular_file()) bytes += static_cast<std::int64_t>(file.file_size());
  return bytes;
}

}  // namespace

Result<Json> bench_lineage(const LineageOptions& options,
                           const std::function<void(const std::string&)>& show_progress) {
  const auto made = TemporaryFolder::make("hone-bench", options.folder);
  if (!made) return made.error();
  const std::filesystem::path folder = made->path();
  const auto began = Clock::now();
  if (auto filled = fill_folder(options, folder, show_progress); !filled) return filled.error();
  Json result;
  result["sweeps"] = options.fill.sweeps;
  result["trials"] = options.fill.trials;
  result["running"] = options.fill.running;
  result["points"] = options.fill.points;
  result["made_in_s"] = milliseconds_since(began) / 1000;
  result["database_bytes"] = bytes_of(folder);
  show_progress("starting the server");
  auto server = BenchServer::start(folder);
  if (!server) return server.error();
  auto endpoint = parse_endpoint((*server)->url());
  if (!endpoint) return endpoint.error();
  Client client(*endpoint);
  result["boot_ms"] = (*server)->boot_ms();
  result["boot_resident_bytes"] = (*server)->resident_bytes();
  result["questions"] = Json::array();
  for (const Question& question : questions(options)) {
    show_progress(std::string("asking: ") + question.name);
    auto asked = ask(client, question, options.repetitions);
    if (!asked) return asked.error();
    result["questions"].push_back(*std::move(asked));
  }
  const auto own = find_program("hone");
  if (!own) return own.error();
  result["questions"].push_back(run(
      "hone ls, a process", {*own, "ls", "--server", (*server)->url()}, options.repetitions, 100));
  result["questions"].push_back(run("hone version, a process", {*own, "version"}, 51, 15));
  result["server_resident_bytes"] = (*server)->resident_bytes();
  return result;
}

std::string bench_lineage_text(const Json& result, const Screen& screen) {
  std::vector<RecordLine> lines{
      {"made", count_text(int_at(result, "/sweeps")) + " sweeps, " +
                   count_text(int_at(result, "/trials")) + " trials, " +
                   count_text(int_at(result, "/points")) + " metric points in " +
                   number_text(result.at("made_in_s").get<double>()) + " s"},
      {"on the disk", bytes_text(int_at(result, "/database_bytes"))},
      {"server", "up after " + number_text(result.at("boot_ms").get<double>()) + " ms with " +
                     bytes_text(int_at(result, "/boot_resident_bytes")) + " resident, " +
                     bytes_text(int_at(result, "/server_resident_bytes")) + " after the queries"}};
  for (const Json& one : result.at("questions")) {
    const double median = one.at("median_ms").get<double>();
    const Json& bar = one.at("bar_ms");
    lines.push_back({text_at(one, "/what"),
                     number_text(median) + " ms (worst " +
                         number_text(one.at("worst_ms").get<double>()) + ")" +
                         (bar.is_number() ? ", bar " + number_text(bar.get<double>()) : ""),
                     bar.is_number() && median > bar.get<double>() ? Ink::bad : Ink::plain});
  }
  return record_text(lines, screen);
}

}  // namespace hone::cli
