// importance: ranks the parameters of a sweep, and their pairs, by how much they matter.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct ImportanceOptions {
  std::string sweep, objective, where;
};

std::string share_text(double share) {
  const double rounded = std::round(1000 * share) / 10;
  std::array<char, 400> text{};  // of any finite number
  std::snprintf(text.data(), text.size(), "%.1f", rounded == 0 ? 0 : rounded);
  return text.data();
}

// In eighths of a character.
std::string share_bar(double share, int columns, const Screen& screen) {
  const auto eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += screen.unicode ? "█" : "#";
  constexpr const char* rest[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (screen.unicode) out += rest[eighths % 8];
  return out;
}

Json with_bar(const Json& item, const Screen& screen) {
  Json row = item;
  std::string names;
  for (const auto& name : member(item, "/parameters"))
    names += (names.empty() ? "" : " with ") + value_text(name);
  const double share = number_at(item, "/share");
  row["names"] = names;
  row["shown"] = share_text(share) + " ± " + share_text(number_at(item, "/deviation")) + " %";
  row["bar"] = share_bar(share, 30, screen);
  return row;
}

// Pairs with a tiny share are left out of the table.
bool worth_a_line(const Json& item) {
  constexpr double least = 0.005;
  return member(item, "/parameters").size() == 1 || number_at(item, "/share") >= least;
}

std::string trials_text(const Json& reply) {
  const Json& phase = member(reply, "/phase");
  if (phase.is_null()) return " completed trials";
  return " trials as they were after phase " + std::to_string(int_at(reply, "/phase") + 1) +
         ", which half of them reached";
}

std::string importance_summary(const Json& reply) {
  const double explained = number_at(reply, "/explained");
  std::string out = "Of the variance of " + text_at(reply, "/objective/metric") +
                    " over the space, from " + std::to_string(int_at(reply, "/trials")) +
                    trials_text(reply) + " (" + std::to_string(int_at(reply, "/trees")) +
                    " trees, seed " + value_text(member(reply, "/seed")) +
                    "; ± is the standard deviation among trees).\nOf trials that a tree has not "
                    "seen, the forest predicts " +
                    share_text(std::max(0.0, explained)) + " % of the variance";
  if (explained < 0.3) return out + ": too little to trust these shares; run more trials.\n";
  return out + ".\n";
}

Result<Exit> importance(Session& session, const ImportanceOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  std::string query;
  const auto add = [&query](const std::string& name, const std::string& value) {
    if (!value.empty()) query += (query.empty() ? "?" : "&") + name + "=" + escape_path(value);
  };
  add("objective", options.objective);
  add("where", options.where);
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/importance" + query);
  if (!reply) return reply.error();
  if (session.options().format == Format::json) return print_object(session, *reply, "");
  const bool table = session.options().format == Format::table;
  const bool plain = session.options().format == Format::jsonl;
  std::vector<Json> rows;
  for (const auto& item : member(*reply, "/items"))
    if (!table || worth_a_line(item))
      rows.push_back(plain ? item : with_bar(item, session.screen()));
  auto printed = print_list(session, importance_columns(), rows, "no parameter varies");
  if (printed && table) session.note(importance_summary(*reply));
  return printed;
}

}  // namespace

CommandAction declare_importance(Flags& flags) {
  return with_options(importance, [&](ImportanceOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.text("--objective METRIC", options.objective,
               "the objective to explain, if there are several");
    flags.text("--where FILTER", options.where, "only the trials that match");
  });
}

}  // namespace hone::cli
