// forecast: the end values of runs, from their reports.
#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/text.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/results/forecast_rows.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "server/forecast/end.hpp"

namespace hone::cli {
namespace {

struct ForecastOptions {
  std::string id;
  double at = 0.5, share = 0.8;
  std::int64_t seed = 1;
};

Fields forecast_columns() {
  return {{"run", "/run"},
          {"state", "/state", CellType::state},
          {"reports", "/reports", CellType::count},
          {"of", "/of", CellType::count},
          {"family", "/family"},
          {"forecast", "/forecast", CellType::number},
          {"low", "/low", CellType::number},
          {"high", "/high", CellType::number},
          {"value", "/value", CellType::number},
          {"error", "/error", CellType::number},
          {"inside", "/inside"}};
}

std::string percent(double share) { return number_text(std::round(100 * share)) + " %"; }

// How good the forecasts of complete runs were.
std::string score_text(const ForecastRows& rows, const ForecastOptions& options) {
  if (rows.scored == 0) return "";
  return counted(rows.scored, "complete run") + ", forecast from the first " + percent(options.at) +
         " of the reports, at least " + std::to_string(forecast::end_points_min) + ": mean error " +
         percent(rows.mean_error) + " of a run's range, " +
         percent(static_cast<double>(rows.inside) / rows.scored) + " within the " +
         percent(options.share) + " interval";
}

Result<Exit> forecast_runs(Session& session, const ForecastOptions& options) {
  const auto sweep = resolve_sweep(session, options.id);
  if (!sweep) return sweep.error();
  const auto document = session.get("/v1/sweeps/" + text(*sweep));
  if (!document) return document.error();
  auto runs = session.list("/v1/sweeps/" + text(*sweep) + "/curves?limit=1000");
  if (!runs) return runs.error();
  const auto object = options.id.empty() ? Result<ObjectId>(*sweep) : parse_object(options.id);
  const bool single = object && std::holds_alternative<RunId>(*object);
  if (single)
    std::erase_if(*runs, [&](const Json& run) { return text_at(run, "/run") != options.id; });
  const ForecastPlan plan{static_cast<int>(int_at(*document, "/spec/budget/phases")), options.at,
                          options.share, static_cast<std::uint64_t>(options.seed)};
  const ForecastRows rows = forecast_rows(*runs, plan);
  const std::string least = std::to_string(forecast::end_points_min);
  if (single && rows.rows.empty())
    return refuse(Code::invalid, options.id + " has fewer than " + least +
                                     " reports to forecast from (a complete run: one more, to "
                                     "compare with), or has diverged; raise budget.phases");
  if (rows.too_few > 0)
    session.note(counted(rows.too_few, "run") + " without a forecast: fewer than " + least +
                 " reports to forecast from (a complete run: one more, to compare with)");
  if (const auto score = score_text(rows, options); !score.empty()) session.note(score);
  return print_list(session, forecast_columns(), rows.rows,
                    "no run has " + least + " reports yet; a run reports at the end of each phase");
}

}  // namespace

CommandAction declare_forecast(Flags& flags) {
  return with_options(forecast_runs, [&](ForecastOptions& options) {
    flags.optional_argument("ID", options.id, "id of a run, or of a sweep (the newest)");
    flags.real(
        "--at SHARE", options.at, {0.05, 0.95},
        "of a complete run: forecast from this share of its reports, at least 8, and compare");
    flags.real("--interval SHARE", options.share, {0.5, 0.99},
               "probability that the interval contains the value");
    flags.integer("--seed N", options.seed, {0, 1e15}, "seed of the interval's bootstrap");
  });
}

}  // namespace hone::cli
