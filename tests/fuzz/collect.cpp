// The output of a program and its collector. The first line is a command, the second a regular
// expression, the third how to read the rest.
#include <tuple>

#include "schemas/types/command_words.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "worker/agent/collector.hpp"
#include "worker/agent/glob.hpp"

namespace hone::fuzz {
namespace {

void check_words(std::string_view line) {
  const auto words = split_command(line);
  if (!words) return expect(!words.error().detail.empty(), "a refusal says why");
  for (const auto& word : *words) {
    const auto pieces = pieces_of(word);
    if (!pieces) expect(!pieces.error().detail.empty(), "a refusal says why");
  }
}

CollectSpec spec_of(std::string_view pattern, std::string_view manner) {
  const auto choice = [&](std::size_t i) { return i < manner.size() ? manner[i] - '0' : 0; };
  CollectSpec spec;
  spec.objectives = {"score"};
  if (choice(1) == 1) spec.step = "step";
  spec.step_sum = choice(2) == 1;
  spec.window = choice(3) & 7;
  spec.metrics = {"loss"};
  if (choice(0) == 1) spec.format = CollectFormat::jsonl;
  if (choice(0) == 2) spec.format = CollectFormat::regex;
  if (choice(0) == 3) spec.columns = {"step", "score", "loss"};
  if (LinePattern::make(pattern)) spec.patterns = {std::string(pattern)};
  return spec;
}

void check_said(const std::vector<worker::TrialLine>& said, int phases) {
  int next = 0;
  for (const auto& line : said) {
    const auto* report = std::get_if<worker::ReportLine>(&line);
    if (report == nullptr) continue;
    expect(report->phase == next++, "phases are reported once each, in order");
    expect(report->step >= 0 && next <= phases, "a report is of a phase that there is");
  }
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  constexpr int phases = 7;
  auto [command, rest] = first_line(text_of(data, size));
  check_words(command);
  std::string_view pattern;
  std::string_view manner;
  std::tie(pattern, rest) = first_line(rest);
  std::tie(manner, rest) = first_line(rest);
  // The time grows with the pattern and the line; both are limited in the product, too.
  pattern = pattern.substr(0, 60);
  static_cast<void>(worker::matches_glob(pattern, command.substr(0, 200)));
  worker::Collector collector(spec_of(pattern, manner), {"steps", 1000, phases}, {});
  std::vector<worker::TrialLine> said;
  for (int lines = 0; !rest.empty() && lines < 200; ++lines) {
    std::string_view line;
    std::tie(line, rest) = first_line(rest);
    collector.take(line.substr(0, 300), said);
    static_cast<void>(collector.take_complaint());
  }
  collector.finish(said);
  check_said(said, phases);
}

}  // namespace hone::fuzz
