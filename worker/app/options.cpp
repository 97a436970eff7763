#include "worker/app/options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <thread>

namespace hone::worker {
namespace {

constexpr int exit_usage = 2;
constexpr int slots_max = 1024;

struct Words {  // as they were typed
  std::string server;
  std::string slots = "auto";
  std::string data = "hone-worker-data";
  std::string work_folder = ".";
  Credentials shown;
};

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

Result<Endpoint> endpoint_of(const Words& words) {
  auto endpoint = words.server.empty() ? endpoint_of_environment() : parse_endpoint(words.server);
  if (!endpoint) return endpoint;
  if (const auto equipped = equip(*endpoint, words.shown); !equipped) return equipped.error();
  return endpoint;
}

Result<int> slots_of(const std::string& words) {
  if (words == "auto") return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const bool digits =
      !words.empty() && words.size() <= 4 &&
      std::all_of(words.begin(), words.end(), [](char c) { return c >= '0' && c <= '9'; });
  const int slots = digits ? std::stoi(words) : 0;
  if (slots < 1 || slots > slots_max)
    return refuse(Code::invalid,
                  "--slots must be 'auto' or a number from 1 to 1024, not '" + words + "'");
  return slots;
}

void declare(CLI::App& app, Options& options, Words& words) {
  app.set_version_flag("--version", "hone-worker " HONE_VERSION);
  app.add_option("--server", words.server,
                 "URL of the hone server (default: HONE_SERVER, or http://127.0.0.1:7777)");
  app.add_option("--token-file", words.shown.token_file,
                 "file with the token to show (or HONE_TOKEN_FILE)");
  app.add_option("--token", words.shown.token, "the token itself (better: HONE_TOKEN)");
  app.add_option("--tls-ca", words.shown.tls_ca,
                 "certificates to trust with https (or HONE_TLS_CA; default: the system's)");
  app.add_option("--tls-cert", words.shown.tls_cert, "our own certificate (or HONE_TLS_CERT)");
  app.add_option("--tls-key", words.shown.tls_key, "its key (or HONE_TLS_KEY)");
  app.add_option("--slots", words.slots,
                 "runs of one cpu to execute at a time, or 'auto': the processors")
      ->capture_default_str();
  app.add_option("--gpus", options.gpus, "GPUs to hand out to runs that ask for some")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  app.add_option("--data", words.data,
                 "folder for logs, checkpoints and run files; one worker each")
      ->capture_default_str();
  app.add_option("--workdir", words.work_folder, "working folder of command trainers")
      ->capture_default_str();
  app.add_option("--name", options.name,
                 "how the server lists this worker (default: the host's name)");
  app.add_flag("--die-with-parent", options.die_with_parent,
               "end when the process that started this one ends");
  app.add_flag("--until-idle", options.until_idle, "leave when the server has no work");
  app.add_flag("--verbose", options.verbose, "log more");
}

Status settle(Options& options, const Words& words) {
  auto endpoint = endpoint_of(words);
  if (!endpoint) return endpoint.error();
  const auto slots = slots_of(words.slots);
  if (!slots) return slots.error();
  options.endpoint = std::move(*endpoint);
  options.cpus = *slots;
  options.data = std::filesystem::absolute(words.data);
  options.work_folder = std::filesystem::absolute(words.work_folder);
  if (!std::filesystem::is_directory(options.work_folder))
    return refuse(Code::invalid, "--workdir " + options.work_folder + " is no folder");
  if (options.name.empty()) options.name = host_name();
  return Done{};
}

}  // namespace

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
  CLI::App app{"hone-worker leases runs from a hone server and executes them on this machine."};
  Options options;
  Words words;
  declare(app, options, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : exit_usage;
    return std::nullopt;
  }
  hide_tokens(argc, argv);
  if (const Status settled = settle(options, words); !settled) {
    std::cerr << "hone-worker: " << settled.error().detail << '\n';
    exit_code = exit_usage;
    return std::nullopt;
  }
  return options;
}

}  // namespace hone::worker
