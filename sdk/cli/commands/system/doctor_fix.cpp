#include "sdk/cli/commands/system/doctor_fix.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "server/upkeep/upkeep.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

Status make_private(const fs::path& folder) {
  std::error_code trouble;
  fs::permissions(folder, fs::perms::owner_all, trouble);
  if (trouble)
    return refuse(Code::internal, "cannot change " + folder.string() + ": " + trouble.message());
  return Done{};
}

// The ledger holds commands, hosts, patches and logs. A folder of a group is left to its owner.
std::vector<Finding> check_private(const fs::path& data) {
  struct stat about {};
  if (::stat(data.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return {};
  constexpr mode_t others = S_IRWXG | S_IRWXO;
  if (about.st_uid != geteuid() || (about.st_mode & others) == 0) return {};
  return {{Health::warn, "access",
           data.string() + " may be read by other users of this machine: chmod 700",
           Fix{"let only you read " + data.string() + "?", "only you can read " + data.string(),
               [data] { return make_private(data); }}}};
}

Status upgrade_folder(const fs::path& data) {
  const auto done = upkeep::upgrade(data);
  if (!done) return done.error();
  return Done{};
}

std::vector<Finding> check_schema(const fs::path& data) {
  if (!upkeep::is_older(data)) return {};
  return {{Health::warn, "schema",
           "an older hone wrote " + data.string() + ": hone db upgrade, or the next start",
           Fix{"upgrade " + data.string() + ", after a copy of its database?",
               "upgraded; the copy is next to it", [data] { return upgrade_folder(data); }}}};
}

Status end_quarantine(Session& session, const std::string& worker) {
  const auto reply = session.post("/v1/workers/" + worker + "/allow", Json::object());
  if (!reply) return reply.error();
  return Done{};
}

}  // namespace

std::string_view status_text(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::fail:
      return "fail";
  }
  unreachable();
}

std::vector<Finding> check_own_folder(const fs::path& data) {
  std::vector<Finding> findings = check_private(data);
  std::ranges::move(check_schema(data), std::back_inserter(findings));
  return findings;
}

std::vector<Finding> check_quarantine(Session& session) {
  const auto workers = session.list("/v1/workers");
  std::vector<Finding> findings;
  if (!workers) return findings;
  for (const Json& worker : *workers) {
    if (text_at(worker, "/aside_until").empty()) continue;
    const std::string id = text_at(worker, "/id");
    findings.push_back({Health::warn, "quarantine",
                        id + " on " + text_at(worker, "/host") + " gets no runs until " +
                            text_at(worker, "/aside_until") + ": " + text_at(worker, "/aside_why") +
                            "; hone workers allow " + id,
                        Fix{"end the quarantine of " + id + "?", id + " gets runs again",
                            [&session, id] { return end_quarantine(session, id); }}});
  }
  return findings;
}

Status apply_fixes(Session& session, std::vector<Finding>& findings, bool asks) {
  if (asks && !can_ask())
    return refuse(Code::invalid,
                  "--fix asks before each change, and this is no terminal: add --yes");
  const auto fixable = [](const Finding& one) { return one.fix.has_value(); };
  if (std::ranges::none_of(findings, fixable))
    session.note("nothing here is for hone doctor to fix");
  for (Finding& one : findings) {
    if (!one.fix || (asks && !is_agreed(one.fix->question))) continue;
    const Status done = one.fix->apply();
    one = done ? Finding{Health::ok, one.what, one.fix->done, {}}
               : Finding{Health::fail, one.what, done.error().detail, {}};
  }
  return Done{};
}

}  // namespace hone::cli
