#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/expect.hpp"
#include "base/shell.hpp"
#include "server/engines/engine.hpp"
#include "server/engines/program.hpp"

namespace hone::engines {
namespace {

constexpr Duration a_second{1'050'000};  // and a little: at most one command in each

constexpr std::array table{
    EngineInfo{"local", make_local, seconds(1), seconds(2), {}},
    EngineInfo{"slurm", make_slurm, seconds(10), seconds(60), a_second},
    EngineInfo{"ssh", make_ssh, seconds(10), seconds(60), {}},
    EngineInfo{"command", make_command, seconds(10), seconds(60), a_second},
};
static_assert(table.size() == engine_names.size());
static_assert(std::ranges::equal(table, engine_names, {}, &EngineInfo::name));

// The addresses of a server that listens on all those of its machine, and what reaches it there.
constexpr std::array everywhere{std::pair{"//0.0.0.0:", "//127.0.0.1:"},
                                std::pair{"//[::]:", "//[::1]:"}};

std::string url_here(std::string url) {
  for (const auto& [all, here] : everywhere)
    if (const auto at = url.find(all); at != std::string::npos)
      url.replace(at, std::strlen(all), here);
  return url;
}

std::string seconds_word(Duration time) { return std::to_string(time.us / 1'000'000) + "s"; }

}  // namespace

std::span<const EngineInfo> engine_table() { return table; }

const EngineInfo& engine_info(std::string_view name) {
  const auto found = std::ranges::find(table, name, &EngineInfo::name);
  expect(found != table.end(), "the engine of a fleet was checked");
  return *found;
}

std::vector<std::string> pilot_argv(const FleetSpec& spec, const Site& site,
                                    const PilotOrder& pilot, const std::string& data) {
  std::vector<std::string> argv{spec.program.empty() ? site.program : spec.program,
                                "--server",
                                spec.url.empty() ? url_here(site.url) : spec.url,
                                "--pilot",
                                pilot.token,
                                "--slots",
                                std::to_string(spec.slots),
                                "--gpus",
                                std::to_string(spec.gpus),
                                "--ends-in",
                                seconds_word(spec.wall),
                                "--drain",
                                seconds_word(spec.drain),
                                "--data",
                                data};
  const auto& token_file = spec.token_file.empty() ? site.token_file : spec.token_file;
  if (!token_file.empty()) argv.insert(argv.end(), {"--token-file", token_file});
  if (!spec.tls_ca.empty()) argv.insert(argv.end(), {"--tls-ca", spec.tls_ca});
  if (spec.memory > 0) argv.insert(argv.end(), {"--memory", std::to_string(spec.memory)});
  if (spec.gpu_memory > 0)
    argv.insert(argv.end(), {"--gpu-memory", std::to_string(spec.gpu_memory)});
  for (const std::string& label : spec.labels) argv.insert(argv.end(), {"--label", label});
  if (!pilot.stays) argv.insert(argv.end(), {"--idle", seconds_word(spec.idle)});
  return argv;
}

std::string unreachable_server(const FleetSpec& spec, const Site& site) {
  if (spec.engine == "local" || !spec.url.empty() || url_here(site.url) == site.url) return {};
  return "the server listens on all addresses of its machine; name one that the pilots reach: "
         "hone fleet set " +
         spec.name + " url=https://HOST:PORT";
}

std::string pilot_script(const FleetSpec& spec, const Site& site, const PilotOrder& pilot) {
  const std::string folder = spec.folder.empty() ? "/tmp" : spec.folder;
  return "#!/bin/sh\nexec " +
         shell_words(pilot_argv(spec, site, pilot, folder + "/" + pilot.token)) + "\n";
}

std::filesystem::path log_file_of(const Site& site, const PilotOrder& pilot) {
  return site.folder / "logs" / (text(pilot.pilot) + ".log");
}

std::string log_tail_of(const Site& site, PilotId id) {
  constexpr std::streamoff bytes_max = 400;
  std::ifstream file(log_file_of(site, {.pilot = id}), std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - bytes_max));
  std::string text(static_cast<std::size_t>(std::min(size, bytes_max)), ' ');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void add_row(Listing& listing, const std::string& mark, const std::string& token, ListedPilot row) {
  const auto parsed = parse_pilot_token(token);
  if (!parsed || parsed->mark != mark) return;
  row.pilot = parsed->pilot;
  // A job and its ended predecessor of the same name: the live one counts.
  for (ListedPilot& known : listing.pilots) {
    if (known.pilot != row.pilot) continue;
    if (known.state == PilotState::ended) known = std::move(row);
    return;
  }
  listing.pilots.push_back(std::move(row));
}

}  // namespace hone::engines
