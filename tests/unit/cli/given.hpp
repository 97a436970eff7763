// `hone` commands in this process, against the real API on a loopback port.
#pragma once

#include <gtest/gtest.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sdk/cli/app/command_line.hpp"
#include "sdk/cli/session/run_command.hpp"
#include "tests/unit/api/given.hpp"
#include "tests/unit/sdk/given.hpp"

namespace hone::cli {

// A screen without colors and Unicode, as if stdout were a file.
inline Screen plain_screen(int columns = 80) { return {columns, false, false, false}; }

// The result of one command line.
struct Outcome {
  Exit exit = Exit::general;
  std::string out;       // stdout
  std::string messages;  // stderr, with the error
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline Outcome run_line(std::vector<std::string> words, Screen screen = plain_screen()) {
  const auto call = split(std::move(words));
  if (!call) return {exit_for(call.error().code), "", call.error().detail};
  auto parsed = parse_command(*call->command, call->arguments);
  if (!parsed) return {exit_for(parsed.error().code), "", parsed.error().detail};
  if (const auto* help = std::get_if<HelpRequested>(&*parsed)) return {Exit::ok, help->text, ""};
  auto& command = std::get<ParsedCommand>(*parsed);
  std::ostringstream out, messages;
  Session session(std::move(command.options), screen, out, messages);
  const auto exit = command.action(session);
  if (exit) return {*exit, out.str(), messages.str()};
  return {exit_for(exit.error().code), out.str(), messages.str() + exit.error().detail};
}

// Serves `api` to the commands that the test runs, one connection at a time.
class ServedApi {
 public:
  Outcome run(std::vector<std::string> words, Screen screen = plain_screen()) {
    words.push_back("--server");
    words.push_back("http://127.0.0.1:" + listener_.endpoint.port);
    return run_line(std::move(words), screen);
  }
  std::string out(std::vector<std::string> words) {
    const Outcome outcome = run(std::move(words));
    EXPECT_EQ(outcome.exit, Exit::ok) << outcome.messages;
    return outcome.out;
  }
  Json json(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", "json"});
    return Json::parse(out(std::move(words)));
  }

  // Only between commands: they run in the test's own thread.
  TestApi api;

 private:
  void serve(Peer& peer) {
    for (std::string request = peer.request(); !request.empty(); request = peer.request()) {
      const auto verb_end = request.find(' ');
      const auto target_end = request.find(' ', verb_end + 1);
      const std::scoped_lock lock(mutex_);
      const auto response = api.ask(request.substr(0, verb_end),
                                    request.substr(verb_end + 1, target_end - verb_end - 1),
                                    request.substr(request.find("\r\n\r\n") + 4));
      peer.answer(response.body, std::to_string(response.status) + " Status");
    }
  }

  std::mutex mutex_;
  Listener listener_{std::vector<Listener::Script>(200, [this](Peer& peer) { serve(peer); })};
};

// A finished sweep sw_1 of two trials with two phases; the second trial is the better one.
inline void finish_sweep(TestApi& api) {
  Json spec = small_spec("none", 2);
  spec["budget"]["phases"] = 2;
  api.submit(spec);
  const std::string worker = api.join();
  for (const double value : {1.5, 20.25}) {
    const Json grant = api.acquire(worker);
    for (int phase = 0; phase < 2; ++phase) api.report(grant, phase, value + phase);
    api.end(grant, {{"reason", "budget_reached"}});
  }
}

}  // namespace hone::cli
