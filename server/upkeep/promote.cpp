#include <signal.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <thread>

#include "db/file/database.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/standby/state.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

namespace fs = std::filesystem;

constexpr int looks_max = 300;  // half a minute: a page in progress, a large checkpoint
constexpr int looks_each_signal = 10;
constexpr auto look_period = std::chrono::milliseconds(100);

// The process that holds the lock of the folder; 0 if its file cannot be read.
pid_t holder_of(const fs::path& folder) {
  std::ifstream file(folder / "lock");
  std::string digits;
  std::getline(file, digits);
  pid_t pid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return pid;
}

// The signal is sent again each second: a server that has only just begun ignores it.
Result<standby::State> promote_running(const fs::path& folder, const Error& held) {
  const pid_t server = holder_of(folder);
  for (int look = 0; look < looks_max; ++look) {
    auto state = standby::read_state(folder);
    if (state && state->follows.empty()) return state;
    if (look % looks_each_signal == 0 && (server <= 0 || ::kill(server, SIGUSR1) != 0))
      return refuse(Code::conflict, held.detail + "; it cannot be reached from this account");
    std::this_thread::sleep_for(look_period);
  }
  return refuse(Code::timed_out, "the standby (process " + std::to_string(server) +
                                     ") has not ended its copy in time: see its log, and repeat "
                                     "this command");
}

}  // namespace

Result<std::string> followed_by(const fs::path& folder) {
  if (const auto readable = open_folder(folder); !readable) return readable.error();
  const auto state = standby::read_state(folder);
  if (!state) return state.error();
  if (!state->follows.empty()) return state->follows;
  return refuse(Code::conflict,
                "'" + folder.string() + "' is no standby's data folder" +
                    (state->term.number > 0 ? ": it was promoted already (term " +
                                                  std::to_string(state->term.number) + ")"
                                            : ""));
}

Result<PromoteReport> promote(const fs::path& folder, bool force) {
  auto followed = followed_by(folder);
  if (!followed) return followed.error();
  PromoteReport report;
  report.followed = *std::move(followed);
  const auto before = standby::read_state(folder);
  if (!before) return before.error();
  if (const auto may = standby::promoted(*before, force); !may) return may.error();
  const auto held = DataFolder::open(folder);
  report.running = !held;
  if (!held && held.error().code != Code::conflict) return held.error();
  auto read = held ? standby::read_state(folder) : promote_running(folder, held.error());
  if (!read) return read.error();
  if (held) {
    auto next = standby::promoted(*std::move(read), force);
    if (!next) return next.error();
    if (auto written = write_state(folder, *next); !written) return written.error();
    read = *std::move(next);
  }
  const auto db = open_folder(folder);
  if (!db) return db.error();
  report.term = read->term.number;
  report.events = last_seq(**db);
  report.head = head_text(**db);
  return report;
}

}  // namespace hone::upkeep
