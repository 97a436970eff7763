#include "bench/load/target.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/process.hpp"
#include "schemas/codec/problem.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cli/local/programs.hpp"

namespace hone::load {
namespace {

namespace fs = std::filesystem;

// "hone-server listening on http://127.0.0.1:41234\n" -> the line; empty if the server ended first.
std::string first_line_of(int pipe) {
  std::string line;
  for (char c = 0; read(pipe, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

Result<HttpResponse> exchange(const Endpoint& endpoint, HttpRequest request) {
  Transport transport(endpoint);
  request.timeout = std::chrono::seconds(60);
  auto response = transport.call(request);
  if (!response || response->ok()) return response;
  return refuse(Code::internal, request.target + " answered " + std::to_string(response->status) +
                                    ": " + response->body);
}

}  // namespace

Result<Target> Target::start(const std::string& parent, const std::vector<std::string>& arguments) {
  const auto program = cli::find_program("hone-server");
  if (!program) return program.error();
  std::string folder = parent + "/hone-load-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return refuse(Code::invalid, "cannot make a folder in " + parent + ": " + std::strerror(errno));
  Target target;
  target.folder_ = folder;
  std::vector<std::string> argv = {*program,      "--data",      folder + "/data",
                                   "--listen",    "127.0.0.1:0", "--die-with-parent",
                                   "--log-level", "warn"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const std::string log = folder + "/server.log";
  const auto child = cli::start({"server", std::move(argv), log}, true);
  if (!child) return child.error();
  target.pid_ = child->pid;
  const std::string line = first_line_of(child->stdout_end.fd());
  const auto url = line.find("http://");
  if (url == std::string::npos)
    return refuse(Code::internal, "the server did not start: " + cli::last_sentence(log, 0));
  auto endpoint = parse_endpoint(line.substr(url));
  if (!endpoint) return endpoint.error();
  target.endpoint_ = *std::move(endpoint);
  return target;
}

Result<Target> Target::running(const std::string& url) {
  auto endpoint = parse_endpoint(url);
  if (!endpoint) return endpoint.error();
  Target target;
  target.endpoint_ = *std::move(endpoint);
  return target;
}

Target::Target(Target&& other) noexcept
    : endpoint_(std::move(other.endpoint_)),
      folder_(std::exchange(other.folder_, {})),
      pid_(std::exchange(other.pid_, 0)) {}

Target::~Target() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    wait_for(pid_);
  }
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<Json> Target::post(const std::string& path, const Json& body) const {
  HttpRequest request;
  request.method = "POST";
  request.target = path;
  request.body = body.dump();
  const auto response = exchange(endpoint_, request);
  if (!response) return response.error();
  return parse_json(response->body);
}

Result<Samples> Target::samples() const {
  HttpRequest request;
  request.method = "GET";
  request.target = "/metrics";
  const auto response = exchange(endpoint_, request);
  if (!response) return response.error();
  Samples samples;
  std::istringstream lines(response->body);
  for (std::string line; std::getline(lines, line);) {
    const auto blank = line.rfind(' ');
    if (line.starts_with('#') || blank == std::string::npos) continue;
    samples[line.substr(0, blank)] = std::strtod(line.c_str() + blank + 1, nullptr);
  }
  return samples;
}

}  // namespace hone::load
