// The tables of `hone show`: the parts of a trial, a run or a model.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

std::string table_under(const std::string& heading, const Fields& fields, const Json& items,
                        const Shown& shown) {
  if (items.empty()) return {};
  Screen narrower = shown.screen;
  narrower.columns -= 2;
  const std::vector<Json> rows(items.begin(), items.end());
  return paint(shown.screen, Ink::bold, heading) + "\n" +
         indented(table_text(fields, rows, narrower));
}

}  // namespace

std::string runs_text(const Json& items, const Shown& shown) {
  Fields columns =
      select(run_columns(), {"id", "state", "reason", "value", "phases", "step", "detail"});
  columns.front().name = "run";
  return table_under("runs", columns, items, shown);
}

std::string attempts_text(const Json& items, const Shown& shown) {
  Fields columns =
      select(attempt_columns(), {"id", "step", "worker", "host", "started", "ended", "reason",
                                 "failure", "resumed", "code", "code_differs"});
  columns.front().name = "attempt";
  return table_under("attempts", columns, items, shown);
}

std::string artifacts_text(const Json& items, const Shown& shown) {
  return table_under("files (hone fetch RUN [FILE])", artifact_columns(), items, shown);
}

std::string evaluations_text(const Json& items, const Shown& shown) {
  return table_under("evaluations", find_columns("evaluation"), items, shown);
}

}  // namespace hone::cli
