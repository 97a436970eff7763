// The protocol between a trial process and its worker: one JSON object per line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/verdict.hpp"
#include "schemas/types/wire.hpp"

namespace hone::worker {

struct CheckpointLine {
  std::string path;  // relative to HONE_CHECKPOINT_DIR, or absolute inside it
  std::int64_t step = 0;
  std::optional<int> phase;  // absent: the phase of the next report
};

struct ReportLine {
  std::optional<int> phase;  // absent: the next
  std::int64_t step = 0;
  Score score = Score::diverged();
  std::vector<Score> further{};        // values of the sweep's further objectives
  std::optional<bool> seed_applied{};  // whether the process uses the seed that it got
  // Of the attempt until this line, where the objective counts it: set by the worker alone
  std::optional<double> seconds{}, cpu_seconds{};
};

using TrialLine = std::variant<CheckpointLine, ReportLine, MetricPoint>;

// Where a line came from. A program without SDK prints `@hone {...}` and gets no answers.
enum class Origin { socket, output };

// The number that a program wrote into JSON, also as a text or as the only element of a list;
// nullopt if it is none.
std::optional<double> number_in(const Json& value);

// Returns the error that is sent to the trial process: a sentence and a JSON pointer.
Result<TrialLine> parse_trial_line(std::string_view text);

// Metrics whose names begin so are hone's own, which the worker measures (use_meter.hpp).
inline constexpr std::string_view own_metric_prefix = "hone.";
// The same for a line of a program, which may log no metric under such a name.
Result<TrialLine> parse_program_line(std::string_view text);

// The line as JSON, without the line end.
std::string trial_line_text(const TrialLine& line);

// The JSON of an `@hone {...}` line of output; nullopt for any other line.
std::optional<std::string_view> hone_line(std::string_view text);

struct Saved {
  std::string sha256;
};

// The answer to a report or a checkpoint. Error is written as {"error": {...}}.
using TrialAnswer = std::variant<Saved, Verdict, Error>;

// The answer as JSON, without the line end.
std::string trial_answer_text(const TrialAnswer& answer);

}  // namespace hone::worker
