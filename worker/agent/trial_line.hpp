// The words between a trial process and its worker: one JSON object a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/verdict.hpp"
#include "schemas/types/wire.hpp"

namespace hone::worker {

struct CheckpointLine {
  std::string path;  // below HONE_CHECKPOINT_DIR, or absolute inside it
  std::int64_t step = 0;
  std::optional<int> phase;  // absent: the phase that is reported next
};

struct ReportLine {
  std::optional<int> phase;  // absent: the next
  std::int64_t step = 0;
  Score score = Score::diverged();
  std::vector<Score> further{};        // of the sweep's further objectives
  std::optional<bool> seed_applied{};  // whether the process trains with the seed it was given
};

using TrialLine = std::variant<CheckpointLine, ReportLine, MetricPoint>;

// Where a line came from: a program without SDK prints `@hone {...}` and hears no answers.
enum class Origin { socket, output };

// Refuses with the sentence and the pointer that the trial process is told.
Result<TrialLine> parse_trial_line(std::string_view text);

// The same line again, without its end.
std::string trial_line_text(const TrialLine& line);

// The JSON of an `@hone {...}` line of output; nullopt for any other line.
std::optional<std::string_view> hone_line(std::string_view text);

struct Saved {
  std::string sha256;
};

// What the process is answered. Error stands for {"error": {...}}.
using TrialAnswer = std::variant<Saved, Verdict, Error>;

// One line, without its end.
std::string trial_answer_text(const TrialAnswer& answer);

}  // namespace hone::worker
