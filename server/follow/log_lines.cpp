#include "server/follow/log_lines.hpp"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/shown.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/body.hpp"

namespace hone {
namespace {

constexpr char facts_follow = '\x1e';  // separates the sentence of a message from its facts

std::string_view view(const spdlog::string_view_t& text) { return {text.data(), text.size()}; }

class TextLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    auto shown = message;
    const auto sentence = view(message.payload);
    const std::string text = shown_text(sentence.substr(0, sentence.find(facts_follow)));
    shown.payload = text;
    pattern_.format(shown, line);
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextLines>();
  }

 private:
  spdlog::pattern_formatter pattern_{"%Y-%m-%dT%H:%M:%S.%fZ %l %v", spdlog::pattern_time_type::utc};
};

class JsonLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    const auto payload = view(message.payload);
    const auto end = std::min(payload.find(facts_follow), payload.size());
    const auto since_1970 = message.time.time_since_epoch();
    Json json;
    json["at"] =
        rfc3339({std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count()});
    json["level"] = view(spdlog::level::to_string_view(message.level));
    json["message"] = payload.substr(0, end);
    if (end < payload.size())
      if (const auto facts = Json::parse(payload.substr(end + 1), nullptr, false);
          facts.is_object())
        for (const auto& [name, value] : facts.items()) json[name] = value;
    // A message may quote what a client sent.
    const auto text = shown_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonLines>();
  }
};

// "sweep_ended" -> "sweep ended".
std::string in_words(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind;
}

}  // namespace

void start_logging(const std::string& level, LogFormat format) {
  auto logger = spdlog::stderr_color_mt("hone-server");
  if (format == LogFormat::json)
    logger->set_formatter(std::make_unique<JsonLines>());
  else
    logger->set_formatter(std::make_unique<TextLines>());
  spdlog::set_default_logger(std::move(logger));
  spdlog::set_level(spdlog::level::from_str(level));
}

void log_facts(const std::string& sentence, const Json& facts) {
  spdlog::info("{}{}{}", sentence, facts_follow, facts.dump());
}

std::vector<std::string> logged_kinds() {
  return {"sweep_submitted", "sweep_steered", "sweep_ended", "worker_joined", "run_returned"};
}

void log_event(const EventRow& event) {
  auto body = Json::parse(event.body, nullptr, false);
  Json facts = {{"event", event.kind}, {"seq", event.seq}};
  std::string sentence = in_words(event.kind);
  if (event.sweep) facts["sweep"] = text(*event.sweep);
  if (event.sweep) sentence += " " + text(*event.sweep);
  for (const char* name : {"run", "worker", "lease", "verb", "state", "reason", "detail", "host"}) {
    if (!body.is_object() || !body.contains(name) || !body[name].is_string()) continue;
    facts[name] = body[name];
    if (const auto word = body[name].get<std::string>(); !word.empty())
      sentence.append(" ").append(name).append("=").append(word);
  }
  log_facts(sentence, facts);
}

}  // namespace hone
