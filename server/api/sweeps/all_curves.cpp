// The learning curves of all runs of a sweep: as one matrix, and summarized by phase.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/sweeps/column_text.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

Status check_scan(SQLite::Database& db, const SweepRow& sweep) {
  if (sweep.trials_proposed <= limits::columns_rows_max &&
      count_reports(db, sweep) <= limits::scanned_reports_max)
    return Done{};
  return refuse(Code::too_large,
                "the sweep has too many reports to show at once; use `hone export`");
}

struct Matrix {
  std::int64_t phases = 0;
  std::int64_t points = 0;  // columns: several phases share one if there are more phases
  std::vector<RunMark> runs;
  std::vector<float> cells;
  std::vector<std::int64_t> steps;  // the highest step of each column
};

Matrix empty_matrix(const SweepRow& sweep, std::int64_t points) {
  Matrix matrix;
  const auto rows = sweep.runs.all();
  matrix.phases = sweep.phases_per_run;
  matrix.points = std::clamp<std::int64_t>(
      std::min({points, matrix.phases, limits::matrix_cells_max / std::max<std::int64_t>(1, rows)}),
      1, limits::history_points_max);
  const auto width = static_cast<std::size_t>(matrix.points);
  matrix.runs.reserve(static_cast<std::size_t>(rows));
  matrix.cells.reserve(static_cast<std::size_t>(rows) * width);
  matrix.steps.assign(width, 0);
  return matrix;
}

// A diverged report is +infinity, no report NaN.
void add_row(Matrix& matrix, const RunMark& mark, std::span<const PackedPoint> points) {
  const std::size_t row = matrix.cells.size();
  matrix.runs.push_back(mark);
  matrix.cells.resize(row + matrix.steps.size(), std::numeric_limits<float>::quiet_NaN());
  for (const PackedPoint& point : points) {
    if (point.phase >= matrix.phases) break;
    const auto column = static_cast<std::size_t>(point.phase * matrix.points / matrix.phases);
    matrix.cells[row + column] = point.value;
    matrix.steps[column] = std::max(matrix.steps[column], point.step);
  }
}

// The columns of the header are those of /columns.
std::string header_of(const Matrix& matrix, const Json& frame) {
  std::array<std::pair<std::string_view, ColumnText>, 5> columns{
      {{"trial", {}}, {"replicate", {}}, {"number", {}}, {"state", {}}, {"reason", {}}}};
  auto& [trials, replicates, numbers, states, reasons] = columns;
  for (const auto& mark : matrix.runs) {
    trials.second.add_integer(mark.run.trial.value);
    replicates.second.add_integer(mark.run.replicate);
    numbers.second.add_integer(mark.number);
    states.second.add_plain_word(word(mark.state));
    reasons.second.add_plain_word(word(mark.reason));
  }
  std::string text = to_text(frame);
  text.pop_back();  // the closing brace
  for (auto& [name, column] : columns) {
    column.finish(matrix.runs.size());
    text.append(",\"").append(name).append("\":");
    column.append_to(text);
  }
  return text += '}';
}

// u32 length of the header, the header padded with blanks to a multiple of 8 in all, the cells as
// little-endian f32, row after row.
std::string packed(std::string head, const std::vector<float>& cells) {
  static_assert(std::endian::native == std::endian::little);
  head.append((8 - (head.size() + 4) % 8) % 8, ' ');
  const auto length = static_cast<std::uint32_t>(head.size());
  std::string body(4 + head.size() + cells.size() * sizeof(float), '\0');
  std::memcpy(body.data(), &length, 4);
  std::memcpy(body.data() + 4, head.data(), head.size());
  if (!cells.empty())
    std::memcpy(body.data() + 4 + head.size(), cells.data(), cells.size() * sizeof(float));
  return body;
}

}  // namespace

// GET /v1/sweeps/{sweep}/curves/matrix
ReadResult curves_matrix(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto points = integer_query(request, Query::points, 500, 1, limits::history_points_max);
  if (!points) return points.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  if (auto fits = check_scan(db, *sweep); !fits) return fits.error();
  Matrix matrix = empty_matrix(*sweep, *points);
  each_curve(db, *id, [&](const RunMark& mark, std::span<const PackedPoint> curve) {
    add_row(matrix, mark, curve);
  });
  const Json frame{{"phases", matrix.phases},    {"points", matrix.points},
                   {"rows", matrix.runs.size()}, {"steps", matrix.steps},
                   {"seq", last_seq(db)},        {"sweep", text(*id)}};
  Response response;
  response.content_type = "application/vnd.hone.matrix";
  response.body = packed(header_of(matrix, frame), matrix.cells);
  return response;
}

namespace {

struct PhaseSums {
  std::int64_t reports = 0, continued = 0, paused = 0, stopped = 0, completed = 0, diverged = 0;
  std::int64_t step = 0;
  std::vector<double> values;
  std::optional<double> best_stopped, worst_continued;  // as merits
};

double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// Whether a verdict's JSON begins with these words (schemas/codec: encode(Verdict)).
bool is_verdict(std::string_view verdict, std::string_view action, std::string_view reason = {}) {
  const auto take = [&verdict](std::string_view part) {
    if (!verdict.starts_with(part)) return false;
    verdict.remove_prefix(part.size());
    return true;
  };
  return take("{\"verdict\":\"") && take(action) && take("\",\"reason\":\"") &&
         (reason.empty() || (take(reason) && verdict.starts_with('"')));
}

void add_report(PhaseSums& sums, const VerdictView& report, Goal goal) {
  ++sums.reports;
  sums.step = std::max(sums.step, report.step);
  const Score score = report.value ? Score::of(*report.value) : Score::diverged();
  if (score.is_diverged()) ++sums.diverged;
  if (!score.is_diverged()) sums.values.push_back(score.value());
  const double merit = score.merit(goal);
  if (is_verdict(report.verdict, "continue")) {
    ++sums.continued;
    if (!score.is_diverged())
      sums.worst_continued = std::min(sums.worst_continued.value_or(merit), merit);
  } else if (is_verdict(report.verdict, "pause")) {
    ++sums.paused;
  } else if (is_verdict(report.verdict, "stop", "last_phase")) {
    ++sums.completed;
  } else if (is_verdict(report.verdict, "stop")) {
    ++sums.stopped;
    if (!score.is_diverged())
      sums.best_stopped = std::max(sums.best_stopped.value_or(merit), merit);
  }
}

Json value_of_merit(std::optional<double> merit, Goal goal) {
  if (!merit) return nullptr;
  return goal == Goal::maximize ? *merit : 0.0 - *merit;
}

Json render_phase(std::int64_t phase, PhaseSums& sums, Goal goal) {
  Json json;
  json["phase"] = phase;
  json["step"] = sums.step;
  json["reports"] = sums.reports;
  json["continued"] = sums.continued;
  json["paused"] = sums.paused;
  json["stopped"] = sums.stopped;
  json["completed"] = sums.completed;
  json["diverged"] = sums.diverged;
  json["quartiles"] = nullptr;
  if (!sums.values.empty()) {
    json["quartiles"] = Json::array();
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
      json["quartiles"].push_back(quantile(sums.values, share));
  }
  json["best_stopped"] = value_of_merit(sums.best_stopped, goal);
  json["worst_continued"] = value_of_merit(sums.worst_continued, goal);
  return json;
}

}  // namespace

// GET /v1/sweeps/{sweep}/phases
ReadResult phases(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  if (auto fits = check_scan(db, *sweep); !fits) return fits.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto goal = metric_goal(spec->objective);
  std::vector<PhaseSums> sums;
  each_verdict(db, *id, [&](const VerdictView& report) {
    const auto phase = static_cast<std::size_t>(std::max(0, report.phase));
    if (std::cmp_greater_equal(phase, sweep->phases_per_run)) return;
    if (sums.size() <= phase) sums.resize(phase + 1);
    add_report(sums[phase], report, goal);
  });
  Json json;
  json["seq"] = last_seq(db);
  json["sweep"] = text(*id);
  json["phases"] = sweep->phases_per_run;
  json["items"] = Json::array();
  const std::size_t stride = sums.size() / 500 + 1;  // more than a screen can show
  for (std::size_t phase = 0; phase < sums.size(); phase += stride)
    json["items"].push_back(render_phase(static_cast<std::int64_t>(phase), sums[phase], goal));
  json["next"] = nullptr;
  return json_response(json);
}

}  // namespace hone::api
