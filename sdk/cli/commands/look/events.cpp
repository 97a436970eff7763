// events: the ledger, event by event.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/pages.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

struct EventsOptions {
  std::string sweep;
  std::int64_t after = 0;
  bool all = false;
  bool follow = false;
  bool head = false;
};

bool is_empty(const Json& value) {
  return value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
}

// All members but those that every line shows, and logs.
std::string rest_text(const Json& event) {
  Json rest = Json::object();
  for (const auto& [name, value] : event.items())
    if (name != "seq" && name != "at" && name != "kind" && name != "log_tail" && name != "sweep" &&
        !is_empty(value))
      rest[name] = value;
  return params_text(rest);
}

std::string event_line(const Json& event, const Screen& screen) {
  std::string at = text_at(event, "/at");
  if (at.size() >= 19) at = at.substr(0, 10) + " " + at.substr(11, 8);
  std::string line = padded_left(std::to_string(int_at(event, "/seq")), 6) + "  " + at + "  " +
                     padded_right(text_at(event, "/kind"), 18) + "  " +
                     padded_right(text_at(event, "/sweep"), 6) + "  " + rest_text(event);
  if (screen.is_terminal) line = truncated(line, screen.columns, screen.unicode);
  return line + "\n";
}

Result<Exit> list_events(Session& session, const std::optional<SweepId>& sweep,
                         std::int64_t after) {
  // The cursor of this list is the sequence number, so the first page is requested like the next.
  std::string path = "/v1/events?";
  if (sweep) path += "sweep=" + text(*sweep) + "&";
  std::vector<Json> events;
  Pages pages(std::to_string(after));
  for (bool more = true; more;) {
    const auto page = session.get(path + "after=" + pages.cursor());
    if (!page) return page.error();
    for (const auto& event : member(*page, "/items")) events.push_back(event);
    const auto followed = pages.follow(*page);
    if (!followed) return followed.error();
    more = *followed;
  }
  if (session.options().format != Format::table || !session.options().columns.empty())
    return print_list(session, event_columns(), events, "no events");
  for (const auto& event : events) session.print(event_line(event, session.screen()));
  if (events.empty()) session.note("no events yet");
  return Exit::ok;
}

Result<Exit> follow_events(Session& session, const std::optional<SweepId>& sweep,
                           std::int64_t after) {
  auto client = session.client();
  if (!client) return client.error();
  const bool as_table = session.options().format == Format::table;
  const auto show = [&](const Json& event) {
    if (as_table)
      session.print(event_line(event, session.screen()));
    else
      session.print_json(to_text(event) + "\n");
    return !(sweep && text_at(event, "/kind") == "sweep_ended");
  };
  const auto status = (*client)->follow(after, sweep, show);
  return status ? Result<Exit>(Exit::ok) : Result<Exit>(status.error());
}

// The newest event and its link, in the form that `hone db check --link` takes.
Result<Exit> print_head(Session& session) {
  const auto ledger = session.get("/v1/ledger");
  if (!ledger) return ledger.error();
  const std::string link = text_at(*ledger, "/link");
  const std::string seq = std::to_string(int_at(*ledger, "/seq"));
  if (link.empty())
    return print_object(session, *ledger,
                        "event " + seq +
                            " has no link: no event was added since "
                            "this hone has a hash chain\n");
  return print_object(session, *ledger, seq + ":" + link + "\n");
}

Result<Exit> events(Session& session, const EventsOptions& options) {
  if (options.head) return print_head(session);
  std::optional<SweepId> sweep;
  if (!options.all) {
    const auto found = resolve_sweep(session, options.sweep);
    if (!found) return found.error();
    sweep = *found;
  }
  return options.follow ? follow_events(session, sweep, options.after)
                        : list_events(session, sweep, options.after);
}

}  // namespace

CommandAction declare_events(Flags& flags) {
  return with_options(events, [&](EventsOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "id of the sweep (the newest)");
    flags.flag("--all", options.all, "list the events of all sweeps and of the server");
    flags.integer("--after SEQ", options.after, {0, 9e18}, "start after this sequence number");
    flags.flag("-F,--follow", options.follow, "print new events until the sweep ends");
    flags.flag("--head", options.head,
               "print the newest event's number and link only: keep it, and hone db check --link "
               "tells later whether an event up to it was changed");
  });
}

}  // namespace hone::cli
