// version: prints the version. doctor --versions compares it with all that takes part.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

constexpr std::array programs{"hone-server", "hone-worker", "hone-train"};

Json row(const std::string& what, const std::string& version, const std::string& where) {
  return {{"what", what}, {"version", version}, {"where", where}};
}

// "0.1.0" of "hone-server 0.1.0".
std::string last_word(std::string line) {
  line = line.substr(0, line.find('\n'));
  return line.substr(line.rfind(' ') + 1);
}

std::vector<Json> local_programs() {
  std::vector<Json> rows{row("hone", HONE_VERSION, "this command")};
  for (const char* name : programs) {
    const auto path = find_program(name);
    const auto line = path ? output_of({*path, "--version"}) : std::nullopt;
    if (line) rows.push_back(row(name, last_word(*line), *path));
  }
  return rows;
}

// Nothing where no server answers.
void add_server(Session& session, std::vector<Json>& rows) {
  const auto server = session.get("/v1/version");
  if (!server)
    return session.note("no server answers at " + session.options().server + ": not compared");
  rows.push_back(row("server", text_at(*server, "/version"), session.options().server));
  const auto workers = session.list("/v1/workers");
  if (!workers) return session.note("the workers are not compared: " + workers.error().detail);
  for (const Json& worker : *workers)
    if (const std::string version = text_at(worker, "/hone_version"); !version.empty())
      rows.push_back(row("worker " + text_at(worker, "/id"), version, text_at(worker, "/host")));
}

Result<Exit> compare_versions(Session& session, const bool&) {
  std::vector<Json> rows = local_programs();
  add_server(session, rows);
  const Fields fields = {{"what", "/what"}, {"version", "/version"}, {"where", "/where"}};
  if (const auto printed = print_list(session, fields, rows, ""); !printed) return printed.error();
  const auto others = std::count_if(rows.begin(), rows.end(), [](const Json& one) {
    return text_at(one, "/version") != HONE_VERSION;
  });
  if (others == 0) return Exit::ok;
  session.note(std::to_string(others) +
               (others == 1 ? " has another version" : " have other versions") +
               " than this command. Upgrade all to one version, the server first: it upgrades its "
               "data folder, after a backup");
  return Exit::general;
}

Result<Exit> version(Session& session) {
  const Json json = {{"name", "hone"}, {"version", HONE_VERSION}};
  return print_object(session, json, "hone " HONE_VERSION "\n");
}

}  // namespace

CommandAction declare_versions(Flags& flags) {
  return with_options(compare_versions, [&](bool& check) {
    flags.flag("--check", check, "exit with status 1 if one differs; this is the default");
  });
}

CommandAction declare_version(Flags&) { return version; }

}  // namespace hone::cli
