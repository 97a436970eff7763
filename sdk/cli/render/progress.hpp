// Renders the progress of a sweep in one line or in several.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/render/pace.hpp"
#include "sdk/cli/render/screen.hpp"

namespace hone::cli {

struct SweepProgress {
  Json sweep;        // of GET /v1/sweeps/{sw}
  Json best_params;  // of the best trial, or null
  Pace pace;
  Instant at;
  std::string shortage{};       // why no worker can train it, or ""
  std::vector<Json> leaders{};  // the first trials of the leaderboard, if they are shown
  std::vector<Json> running{};  // some of the runs that train now
  std::string failure{};        // the newest failed run and the last line of its log
};

// "1m40s-3m05s" of a sweep's `eta`, and "2m08s (1m40s-3m05s)"; empty without one.
std::string time_left_range(const Json& eta);
std::string time_left_text(const Json& eta);

// For how long runs of a sweep trained; nullopt if the server does not tell.
std::optional<Duration> busy_time(const Json& sweep);

// "51s of work in 18m49s" of a sweep that has ended, or one of both where they are the same.
std::string work_text(const Json& sweep);

// The server's remarks on how runs ended, from the reply of a sweep or of its leaderboard.
std::vector<std::string> remarks_of(const Json& reply);

// Adds to a row of the leaderboard, where a model expects its value, that value's spread as text.
void add_spread(Json& item);
// How much of the differences between values is noise, where trials rank by what a model expects:
// "noise is 23 % of the differences between values"; empty elsewhere.
std::string noise_text(const Json& sweep);
// ", expected 214 (noise is ...)": of its first trial; empty elsewhere.
std::string expected_text(const Json& sweep);

// Why the place of a trial on the leaderboard is not that of a complete trial with its value.
struct Marks {
  bool ended_early = false;
  bool not_comparable = false;

  void add(const Marks& other) {
    ended_early = ended_early || other.ended_early;
    not_comparable = not_comparable || other.not_comparable;
  }
};
// Adds the signs of its marks to the rank of a row, for people.
Marks mark_rank(Json& item);
// Explains the signs; empty without marks.
std::string marks_text(const Marks& marks);

// 0..100; 100 only for a sweep in state completed.
int percent(const Json& sweep);

// "██████▒▒▒▒▒▒" ("######......" without unicode).
std::string bar(int percent, int columns, bool unicode);

// "sw_7  running  48%  154/320 phases  4 running  best 471.5 (tr_12)  1.3/s  ETA 2m08s", without
// colours.
std::string progress_line(const SweepProgress& progress);

// The same in several lines, none wider than the screen, with the leaders and the running runs.
std::string progress_block(const SweepProgress& progress, const Screen& screen);

}  // namespace hone::cli
