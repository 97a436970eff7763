// An engine runs pilots: workers in jobs, remote or local processes. Its calls block, may be slow
// and may be wrong; one thread makes them (fleet_thread.hpp). table.cpp has the rows.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "server/fleet/fleet.hpp"

namespace hone::engines {

// What pilots need to know of this server.
struct Site {
  std::filesystem::path folder;  // for logs and data of pilots; private, absolute
  std::string program;           // hone-worker, absolute
  std::string url;               // as the server listens
  std::string token_file;        // of a worker token; empty: no tokens are required
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual SubmitResult submit(const PilotOrder& pilot) = 0;
  // Lists all pilots of this fleet, those of earlier servers included. Refuses if the engine cannot
  // be asked: then nothing is known.
  virtual Result<Listing> list() = 0;
  // Asks the engine to end them: TERM, so that their runs are returned.
  virtual Status cancel(const std::vector<PilotOrder>& pilots) = 0;
};

struct EngineInfo {
  std::string_view name;
  std::unique_ptr<Engine> (*make)(const FleetOrder& fleet, const Site& site);
  Duration period{};   // between two lists
  Duration confirm{};  // a pilot is gone if two lists so far apart do not name it
  Duration gap{};      // between two commands: a scheduler serves a whole cluster
};

std::span<const EngineInfo> engine_table();
const EngineInfo& engine_info(std::string_view name);  // precondition: a row has the name

std::unique_ptr<Engine> make_local(const FleetOrder& fleet, const Site& site);
std::unique_ptr<Engine> make_slurm(const FleetOrder& fleet, const Site& site);
std::unique_ptr<Engine> make_ssh(const FleetOrder& fleet, const Site& site);
std::unique_ptr<Engine> make_command(const FleetOrder& fleet, const Site& site);

// Parts that engines share.

// The command line of a pilot. No secret is in it: the token is read from its file.
std::vector<std::string> pilot_argv(const FleetSpec& spec, const Site& site,
                                    const PilotOrder& pilot, const std::string& data);
// Why no pilot of the fleet could reach the server; empty: nothing is known against it.
std::string unreachable_server(const FleetSpec& spec, const Site& site);
// A script of a batch system: replaces its shell by the pilot, so that signals reach it.
std::string pilot_script(const FleetSpec& spec, const Site& site, const PilotOrder& pilot);
std::filesystem::path log_file_of(const Site& site, const PilotOrder& pilot);
// The last lines of the pilot's log, if this machine has it.
std::string log_tail_of(const Site& site, PilotId pilot);

// The row of a list if the token is of this fleet. `state`: a word of the engine.
void add_row(Listing& listing, const std::string& mark, const std::string& token, ListedPilot row);

}  // namespace hone::engines
