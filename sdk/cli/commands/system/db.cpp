// db: checks, backs up, repairs, upgrades and prunes a data folder.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/expect.hpp"
#include "base/sha256.hpp"
#include "schemas/codec/fields.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/data_folder.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/client.hpp"
#include "server/upkeep/upkeep.hpp"

namespace hone::cli {
namespace {

struct DbOptions {
  std::string what, to, data = default_data_folder();
  std::vector<std::string> targets;
  bool yes = false;
  std::string link;
  std::string older = "30d";
  std::int64_t keep = 100;
  bool no_blobs = false;
  bool force = false;
};

// Shows a ticker for each unit of work.
class Stages {
 public:
  explicit Stages(Session& session) : session_(session) {}
  ~Stages() { end(); }

  void operator()(std::string_view unit, std::int64_t done, std::int64_t total) {
    if (unit != unit_) {
      end();
      unit_ = unit;
      ticker_.emplace(session_, total, unit_);
    }
    ticker_->reach(done);
  }

 private:
  void end() {
    if (ticker_) ticker_->done();
  }
  Session& session_;
  std::string unit_;
  std::optional<Ticker> ticker_;
};

std::string_view health_text(upkeep::Health health) {
  switch (health) {
    case upkeep::Health::ok:
      return "ok";
    case upkeep::Health::warn:
      return "warn";
    case upkeep::Health::fail:
      return "fail";
  }
  unreachable();
}

// The link that an exported sweep names.
Result<std::string> link_in(const std::string& file) {
  const auto content = read_file(file);
  if (!content) return content.error();
  const auto document = parse_json(*content);
  if (!document) return refuse(Code::invalid, file + ": " + document.error().detail);
  std::string link = text_at(*document, "/ledger");
  if (link.empty())
    return refuse(Code::invalid, file +
                                     " names no event of a ledger: it is no export of a sweep, "
                                     "or an earlier hone wrote it");
  return link;
}

// "1234:9f86d0..." as `hone events --head` prints it, or the file of an exported sweep.
Result<std::optional<upkeep::KeptLink>> kept_link(const std::string& given) {
  if (given.empty()) return std::optional<upkeep::KeptLink>();
  std::string text = given;
  if (std::error_code ignored; std::filesystem::is_regular_file(given, ignored)) {
    auto named = link_in(given);
    if (!named) return named.error();
    text = *std::move(named);
  }
  const auto colon = std::min(text.find(':'), text.size());
  upkeep::KeptLink kept{0, text.substr(std::min(colon + 1, text.size()))};
  const auto parsed = std::from_chars(text.data(), text.data() + colon, kept.seq);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + colon || !is_sha256_hex(kept.link))
    return refuse(Code::invalid, "--link " + text +
                                     ": write it as hone events --head printed it, EVENT:DIGITS, "
                                     "or name the file of an exported sweep");
  return std::optional(kept);
}

Result<Exit> check_folder(Session& session, const DbOptions& options) {
  const auto kept = kept_link(options.link);
  if (!kept) return kept.error();
  Stages stages(session);
  const auto findings = upkeep::check(options.data, *kept, std::ref(stages));
  if (!findings) return findings.error();
  Exit exit = Exit::ok;
  std::vector<Json> items;
  for (const auto& one : *findings) {
    if (one.health == upkeep::Health::fail) exit = Exit::general;
    items.push_back(
        {{"what", one.what}, {"health", health_text(one.health)}, {"detail", one.detail}});
  }
  const Fields fields = {
      {"health", "/health"}, {"what", "/what"}, {"detail", "/detail", CellType::long_text}};
  if (const auto printed = print_list(session, fields, items, ""); !printed) return printed;
  return exit;
}

Result<Exit> back_up(Session& session, const DbOptions& options) {
  if (options.to.empty())
    return refuse(Code::invalid, "no target given; write: hone db backup FOLDER");
  Stages stages(session);
  const auto done = upkeep::back_up(options.data, options.to, !options.no_blobs, std::ref(stages));
  if (!done) return done.error();
  Json quarantined = Json::array();
  std::string warning;
  for (const auto& [sweep, one] : done->quarantined) {
    quarantined.push_back(text(sweep));
    warning += "warning: " + text(sweep) + " cannot be served, since " + one.why +
               "; run hone db repair on the copy or on the folder\n";
  }
  const Json object = {{"folder", done->folder.string()},
                       {"events", done->events},
                       {"blobs", done->blobs},
                       {"bytes", done->bytes},
                       {"link", done->head.empty() ? Json(nullptr) : Json(done->head)},
                       {"quarantined", quarantined}};
  return print_object(
      session, object,
      record_text({{"folder", done->folder.string()},
                   {"events", count_text(done->events)},
                   {"blobs", options.no_blobs ? "left out" : count_text(done->blobs)},
                   {"size", bytes_text(done->bytes)},
                   {"link", done->head.empty() ? "none" : done->head},
                   {"restore", "hone up --data " + done->folder.string()}},
                  session.screen()) +
          warning);
}

Result<Exit> repair(Session& session, const DbOptions& options) {
  Stages stages(session);
  const auto done = upkeep::repair(options.data, std::ref(stages));
  if (!done) return done.error();
  Json sweeps = Json::array();
  std::string lines;
  for (const upkeep::RepairedSweep& one : done->sweeps) {
    sweeps.push_back({{"sweep", text(one.sweep)},
                      {"first_event", one.first},
                      {"events", one.events},
                      {"why", one.why}});
    lines += text(one.sweep) + ": " + counted(one.events, "event") + " left out, from event " +
             std::to_string(one.first) + " on, which " + one.why + "\n";
  }
  const Json object = {{"events", done->events},
                       {"removed", done->removed},
                       {"sweeps", sweeps},
                       {"backup", done->backup.empty() ? Json(nullptr) : Json(done->backup)}};
  if (done->removed == 0)
    return print_object(
        session, object,
        "nothing to repair: all " + counted(done->events, "event") + " can be read\n");
  return print_object(session, object,
                      lines + "copy of the database before: " + done->backup +
                          "\nstandbys of this server must be made again, and links of events kept "
                          "elsewhere no longer hold\n");
}

Result<std::vector<SweepId>> named_sweeps(const DbOptions& options) {
  std::vector<SweepId> sweeps;
  for (const std::string& word : options.targets) {
    const auto sweep = parse_id<SweepId>(word);
    if (!sweep) return refuse(Code::invalid, "'" + word + "' is no id of a sweep, as sw_7");
    if (std::ranges::find(sweeps, *sweep) == sweeps.end()) sweeps.push_back(*sweep);
  }
  if (sweeps.empty()) return refuse(Code::invalid, "no sweep given; write: hone db rm sw_7");
  return sweeps;
}

// Lists what would go, and what rests on it.
std::string plan_text(const upkeep::RemovalPlan& plan) {
  std::string lines, all;
  for (const upkeep::RemovedSweep& one : plan.sweeps) {
    lines += text(one.sweep) + " (" + one.name + "): " + counted(one.trials, "trial") + ", " +
             counted(one.events, "event") + "\n";
    all += " " + text(one.sweep);
  }
  for (const upkeep::Dependent& one : plan.dependents) {
    lines += text(one.sweep) + " " + one.how + ": " + text(one.on) + "\n";
    all += " " + text(one.sweep);
  }
  if (plan.dependents.empty()) return lines;
  return lines + "to remove all of them: hone db rm" + all + "\n";
}

Result<Exit> remove(Session& session, const DbOptions& options) {
  const auto sweeps = named_sweeps(options);
  if (!sweeps) return sweeps.error();
  const auto plan = upkeep::plan_removal(options.data, *sweeps);
  if (!plan) return plan.error();
  session.note(plan_text(*plan));
  if (!plan->dependents.empty())
    return refuse(Code::conflict, "nothing was removed, because of " +
                                      counted(plan->dependents.size(), "other sweep"));
  if (!options.yes && !can_ask())
    return refuse(Code::invalid, "nothing was removed: add --yes to remove for good");
  if (!options.yes && !is_agreed("remove for good?")) {
    session.note("nothing was removed");
    return Exit::ok;
  }
  const auto done = upkeep::remove_sweeps(options.data, *sweeps);
  if (!done) return done.error();
  return print_object(
      session,
      {{"events", done->events},
       {"removed", done->removed},
       {"files", done->files},
       {"bytes", done->bytes},
       {"backup", done->backup}},
      counted(done->removed, "event") + " of " + std::to_string(done->events) + " and " +
          counted(done->files, "file") + " (" + bytes_text(done->bytes) +
          ") removed\ncopy of the database before, to delete once you need it no more: " +
          done->backup +
          "\nstandbys of this server must be made again, and links of events kept elsewhere no "
          "longer hold\n");
}

Result<Exit> upgrade(Session& session, const DbOptions& options) {
  const auto done = upkeep::upgrade(options.data);
  if (!done) return done.error();
  const bool newest = done->from == 0;
  const Json object = {{"upgraded", !newest},
                       {"from", newest ? Json(nullptr) : Json(done->from)},
                       {"to", newest ? Json(nullptr) : Json(done->to)},
                       {"backup", newest ? Json(nullptr) : Json(done->backup)}};
  const std::string text = newest ? "nothing to do: the data folder has the newest schema\n"
                                  : "schema " + std::to_string(done->from) + " upgraded to " +
                                        std::to_string(done->to) +
                                        "; backup of the old schema: " + done->backup + "\n";
  return print_object(session, object, text);
}

Result<Exit> prune(Session& session, const DbOptions& options) {
  const bool archiving = options.what == "archive";
  if (archiving && options.to.empty())
    return refuse(Code::invalid, "no target given; write: hone db archive FILE");
  const auto older = codec::parse_duration(options.older);
  if (!older)
    return refuse(Code::invalid, "--older " + options.older + ": write it as 30d, 12h or 90m");
  Stages stages(session);
  const auto done =
      upkeep::prune(options.data, {*older, options.keep, options.to}, std::ref(stages));
  if (!done) return done.error();
  const Json object = {{"sweeps", done->sweeps},
                       {"points", done->points},
                       {"archive", archiving ? Json(options.to) : Json(nullptr)},
                       {"bytes_before", done->bytes_before},
                       {"bytes_after", done->bytes_after}};
  return print_object(
      session, object,
      record_text(
          {{"sweeps", count_text(done->sweeps)},
           {archiving ? "points moved" : "points deleted", count_text(done->points)},
           {"database", bytes_text(done->bytes_before) + ", now " + bytes_text(done->bytes_after)}},
          session.screen()));
}

// Whether the server that a standby followed still answers as a primary. Two of them would each
// accept writes that the other one loses.
bool still_serves(Session& session, const std::string& url) {
  auto endpoint = parse_endpoint(url);
  if (!endpoint || !equip(*endpoint, session.options().credentials)) return false;
  endpoint->token.clear();  // the route needs none
  const auto health = Client(*endpoint, seconds(2)).get_json("/healthz");
  return health && text_at(*health, "/role") != "follower";
}

Result<Exit> promote(Session& session, const DbOptions& options) {
  const auto followed = upkeep::followed_by(options.data);
  if (!followed) return followed.error();
  if (!options.force && still_serves(session, *followed))
    return refuse(Code::conflict, "the server at " + *followed +
                                      " still answers as the primary: stop it first, or pass "
                                      "--force (what it accepts from then on is lost)");
  const auto done = upkeep::promote(options.data, options.force);
  if (!done) return done.error();
  const Json object = {{"term", done->term},
                       {"events", done->events},
                       {"link", done->head.empty() ? Json(nullptr) : Json(done->head)},
                       {"followed", done->followed},
                       {"running", done->running}};
  return print_object(
      session, object,
      record_text({{"folder", options.data},
                   {"replaces", done->followed},
                   {"term", std::to_string(done->term)},
                   {"events", count_text(done->events)},
                   {"link", done->head.empty() ? "none" : done->head},
                   {"next", done->running ? "it serves: send clients there"
                                          : "start hone-server --data " + options.data}},
                  session.screen()));
}

Result<Exit> manage_folder(Session& session, const DbOptions& given) {
  if (given.what == "rm") return remove(session, given);
  DbOptions options = given;
  if (options.targets.size() > 1)
    return refuse(Code::invalid, "only rm takes several names: " + options.targets[1]);
  if (!options.targets.empty()) options.to = options.targets.front();
  const bool takes_target = options.what == "backup" || options.what == "archive";
  if (!takes_target && !options.to.empty())
    return refuse(Code::invalid,
                  "only backup and archive have a second argument; name the data folder with "
                  "--data " +
                      options.to);
  if (options.what == "check") return check_folder(session, options);
  if (options.what == "backup") return back_up(session, options);
  if (options.what == "repair") return repair(session, options);
  if (options.what == "upgrade") return upgrade(session, options);
  if (options.what == "promote") return promote(session, options);
  if (options.what == "prune" || options.what == "archive") return prune(session, options);
  return refuse(
      Code::invalid,
      "unknown action '" + options.what +
          "'; the actions are check, backup, repair, upgrade, promote, prune, archive and rm");
}

}  // namespace

CommandAction declare_db(Flags& flags) {
  return with_options(manage_folder, [&](DbOptions& options) {
    flags.argument("WHAT", options.what,
                   "check, backup, repair, upgrade, promote, prune, archive or rm");
    flags.arguments("TO", options.targets,
                    "of backup: a new folder; of archive: a file; of rm: ended sweeps");
    flags.text("--data DIR", options.data, "the data folder (HONE_DATA, or ~/.hone)");
    flags.flag("--yes", options.yes, "of rm: ask no question");
    flags.flag("--no-blobs", options.no_blobs, "of backup: leave out the checkpoints");
    flags.flag(
        "--force", options.force,
        "of promote: although the server that it follows answers, or was never copied to the end");
    flags.text("--link EVENT:DIGITS", options.link,
               "of check: a link that hone events --head or hone confirm printed once, or the file "
               "of an exported sweep");
    flags.text("--older TIME", options.older,
               "of prune and archive: only sweeps that ended so long ago, as 30d or 12h");
    flags.integer("--keep N", options.keep, {2, 1e9},
                  "of prune and archive: points that stay of each metric of a run");
  });
}

}  // namespace hone::cli
