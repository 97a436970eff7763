// importance: which parameters of a sweep matter, and which of them together.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string sweep, objective;
};

Fields fields() {
  return {{"parameters", "/names", Manner::long_text, Where::everywhere, false, 24},
          {"share", "/share", Manner::number, Where::data_only},
          {"deviation", "/deviation", Manner::number, Where::data_only},
          {"share", "/shown", Manner::number, Where::table_only},
          {"of the variance", "/bar", Manner::text, Where::table_only}};
}

std::string percent(double share) {
  const double rounded = std::round(1000 * share) / 10;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", rounded == 0 ? 0 : rounded);
  return text;
}

// In eighths of a character.
std::string bar(double share, int columns, const Screen& screen) {
  const auto eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * columns * 8));
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += screen.unicode ? "█" : "#";
  constexpr const char* rest[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (screen.unicode) out += rest[eighths % 8];
  return out;
}

Json row_of(const Json& item, const Screen& screen) {
  Json row = item;
  std::string names;
  for (const auto& name : member(item, "/parameters"))
    names += (names.empty() ? "" : " with ") + name.get<std::string>();
  const double share = item["share"].get<double>();
  row["names"] = names;
  row["shown"] = percent(share) + " ± " + percent(item["deviation"].get<double>()) + " %";
  row["bar"] = bar(share, 30, screen);
  return row;
}

// Pairs that explain next to nothing are for the other formats.
bool worth_a_line(const Json& item) {
  constexpr double least = 0.005;
  return item["parameters"].size() == 1 || item["share"].get<double>() >= least;
}

std::string summary(const Json& reply) {
  const double explained = reply["explained"].get<double>();
  std::string out = "Of the variance of " + text_at(reply, "/objective/metric") +
                    " over the space, from " + std::to_string(int_at(reply, "/trials")) +
                    " completed trials (" + std::to_string(int_at(reply, "/trees")) +
                    " trees, seed " + std::to_string(reply["seed"].get<std::uint64_t>()) +
                    "; ± is the standard deviation among trees).\nOf trials that a tree has not "
                    "seen, the forest foretells " +
                    percent(std::max(0.0, explained)) + " % of the variance";
  if (explained < 0.3) return out + ": too little to trust these shares; run more trials.\n";
  return out + ".\n";
}

Result<Exit> show(Session& session, const Wish& wish) {
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  const std::string query =
      wish.objective.empty() ? "" : "?objective=" + escape_path(wish.objective);
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/importance" + query);
  if (!reply) return reply.error();
  if (session.options().format == Format::json) return print_object(session, *reply, "");
  const bool table = session.options().format == Format::table;
  const bool plain = session.options().format == Format::jsonl;
  std::vector<Json> rows;
  for (const auto& item : member(*reply, "/items"))
    if (!table || worth_a_line(item)) rows.push_back(plain ? item : row_of(item, session.screen()));
  auto printed = print_list(session, fields(), rows, "no parameter varies");
  if (printed && table) session.note(summary(*reply));
  return printed;
}

}  // namespace

Work declare_importance(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("SWEEP", wish->sweep,
                          "the sweep (or anything of it); default: the newest");
  flags.text("--objective METRIC", wish->objective, "of several, the one to explain");
  return [wish](Session& session) { return show(session, *wish); };
}

}  // namespace hone::cli
