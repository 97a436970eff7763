// The lines of the server's log.
#include "server/follow/log_lines.hpp"

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "db/queries/rows.hpp"

namespace hone {
namespace {

// What `log` writes to stderr.
template <class Log>
std::string logged(LogFormat format, Log log, const std::string& level = "info") {
  testing::internal::CaptureStderr();
  spdlog::drop("hone-server");
  start_logging(level, format);
  log();
  spdlog::default_logger()->flush();
  return testing::internal::GetCapturedStderr();
}

EventRow row(const std::string& kind, const std::string& body) {
  EventRow event;
  event.seq = 12;
  event.kind = kind;
  event.sweep = SweepId{7};
  event.body = body;
  return event;
}

TEST(LogLines, of_text_are_a_time_a_level_and_a_sentence) {
  const auto line = logged(LogFormat::text, [] { spdlog::info("hone {} serves", "0.1.0"); });
  ASSERT_GT(line.size(), 30U) << line;
  EXPECT_EQ(line[10], 'T');
  EXPECT_EQ(line.substr(26), "Z info hone 0.1.0 serves\n") << line;
}

TEST(LogLines, of_text_leave_the_facts_out) {
  const auto line = logged(LogFormat::text, [] { log_facts("a sentence", {{"key", "value"}}); });
  EXPECT_TRUE(line.ends_with(" info a sentence\n")) << line;
}

TEST(LogLines, of_json_are_objects_with_the_facts_as_members) {
  const auto text = logged(LogFormat::json, [] {
    log_facts("a sentence", {{"key", "value"}, {"count", 3}});
    spdlog::warn("a plain one");
  });
  const auto end = text.find('\n');
  const auto first = Json::parse(text.substr(0, end)), second = Json::parse(text.substr(end + 1));
  EXPECT_EQ(first["level"], "info");
  EXPECT_EQ(first["message"], "a sentence");
  EXPECT_EQ(first["key"], "value");
  EXPECT_EQ(first["count"], 3);
  EXPECT_TRUE(first["at"].get<std::string>().ends_with("Z"));
  EXPECT_EQ(second["level"], "warning");
  EXPECT_EQ(second["message"], "a plain one");
  EXPECT_EQ(second.size(), 3U);
}

TEST(LogLines, of_json_survive_what_a_client_sends) {
  const auto text = logged(LogFormat::json, [] {
    spdlog::info("{}", "quotes \" and\nlines and \xff bytes and \x1e separators");
  });
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  EXPECT_TRUE(Json::parse(text)["message"].get<std::string>().starts_with("quotes \" and\nlines"));
}

TEST(LogLines, below_the_level_are_left_out) {
  const auto log_both = [] {
    spdlog::info("quiet");
    spdlog::error("loud");
  };
  const auto text = logged(LogFormat::text, log_both, "error");
  EXPECT_EQ(text.find("quiet"), std::string::npos);
  EXPECT_NE(text.find("loud"), std::string::npos);
  EXPECT_EQ(logged(LogFormat::text, log_both, "off"), "");
}

TEST(LogLines, of_events_name_what_they_are_about) {
  const auto event =
      row("sweep_ended", R"({"state": "canceled", "reason": "user_cancel", "n": 3})");
  const auto line = logged(LogFormat::text, [&] { log_event(event); });
  EXPECT_TRUE(line.ends_with("sweep ended sw_7 state=canceled reason=user_cancel\n")) << line;
  const auto json = Json::parse(logged(LogFormat::json, [&] { log_event(event); }));
  EXPECT_EQ(json["event"], "sweep_ended");
  EXPECT_EQ(json["seq"], 12);
  EXPECT_EQ(json["sweep"], "sw_7");
  EXPECT_EQ(json["reason"], "user_cancel");
  EXPECT_FALSE(json.contains("n"));
}

TEST(LogLines, of_events_without_a_readable_body_are_written_all_the_same) {
  for (const char* body : {"", "[]", "not JSON", R"({"reason": ""})"}) {
    auto event = row("worker_joined", body);
    event.sweep.reset();
    const auto line = logged(LogFormat::text, [&] { log_event(event); });
    EXPECT_TRUE(line.ends_with(" info worker joined\n")) << line;
  }
}

}  // namespace
}  // namespace hone
