// db: the data folder looked through, copied, brought to the newest schema.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/data_folder.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "server/upkeep/upkeep.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string what, to, data = default_data_folder();
  bool no_blobs = false;
};

// A ticker for each unit that the work counts.
class Stages {
 public:
  explicit Stages(const Session& session) : session_(session) {}
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
  const Session& session_;
  std::string unit_;
  std::optional<Ticker> ticker_;
};

std::string_view word(upkeep::Health health) {
  switch (health) {
    case upkeep::Health::ok:
      return "ok";
    case upkeep::Health::warn:
      return "warn";
    case upkeep::Health::fail:
      return "fail";
  }
  return "";
}

Result<Exit> check(Session& session, const Wish& wish) {
  Stages stages(session);
  const auto findings = upkeep::check(wish.data, std::ref(stages));
  if (!findings) return findings.error();
  Exit exit = Exit::ok;
  std::vector<Json> items;
  for (const auto& one : *findings) {
    if (one.health == upkeep::Health::fail) exit = Exit::general;
    items.push_back({{"what", one.what}, {"health", word(one.health)}, {"detail", one.detail}});
  }
  const Fields fields = {
      {"health", "/health"}, {"what", "/what"}, {"detail", "/detail", Manner::long_text}};
  if (const auto printed = print_list(session, fields, items, ""); !printed) return printed;
  return exit;
}

Result<Exit> back_up(Session& session, const Wish& wish) {
  if (wish.to.empty()) return refuse(Code::invalid, "say where to: hone db backup FOLDER");
  Stages stages(session);
  const auto done = upkeep::back_up(wish.data, wish.to, !wish.no_blobs, std::ref(stages));
  if (!done) return done.error();
  const Json object = {{"folder", done->folder.string()},
                       {"events", done->events},
                       {"blobs", done->blobs},
                       {"bytes", done->bytes}};
  return print_object(session, object,
                      record_text({{"folder", done->folder.string()},
                                   {"events", count_text(done->events)},
                                   {"blobs", wish.no_blobs ? "left out" : count_text(done->blobs)},
                                   {"size", bytes_text(done->bytes)},
                                   {"restore", "hone up --data " + done->folder.string()}},
                                  session.screen()));
}

Result<Exit> upgrade(Session& session, const Wish& wish) {
  const auto done = upkeep::upgrade(wish.data);
  if (!done) return done.error();
  const bool newest = done->from == 0;
  const Json object = {{"upgraded", !newest},
                       {"from", newest ? Json(nullptr) : Json(done->from)},
                       {"to", newest ? Json(nullptr) : Json(done->to)},
                       {"backup", newest ? Json(nullptr) : Json(done->backup)}};
  const std::string text = newest ? "nothing to do: this data folder has the newest schema\n"
                                  : "schema " + std::to_string(done->from) + " became " +
                                        std::to_string(done->to) +
                                        "; as it was before: " + done->backup + "\n";
  return print_object(session, object, text);
}

Result<Exit> run(Session& session, const Wish& wish) {
  if (wish.what != "backup" && !wish.to.empty())
    return refuse(Code::invalid,
                  "only backup has a second argument; name the data folder with "
                  "--data " +
                      wish.to);
  if (wish.what == "check") return check(session, wish);
  if (wish.what == "backup") return back_up(session, wish);
  if (wish.what == "upgrade") return upgrade(session, wish);
  return refuse(Code::invalid, "hone db knows check, backup and upgrade, not '" + wish.what + "'");
}

}  // namespace

Work declare_db(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("WHAT", wish->what, "check, backup or upgrade");
  flags.optional_argument("TO", wish->to, "backup: a folder that is not there yet");
  flags.text("--data DIR", wish->data, "the data folder (HONE_DATA, or ~/.hone)");
  flags.flag("--no-blobs", wish->no_blobs, "backup: leave the checkpoints out");
  return [wish](Session& session) { return run(session, *wish); };
}

}  // namespace hone::cli
