// Pilots as processes on the hosts of a list. Every script goes to `sh -s` on the other side
// through its standard input; words in it are quoted.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/shell.hpp"
#include "base/text.hpp"
#include "server/engines/engine.hpp"
#include "server/engines/program.hpp"

namespace hone::engines {
namespace {

constexpr Duration host_time = seconds(20);  // a host that is down delays the others
constexpr int ssh_failure = 255;             // exit status: of ssh itself, not of the script
constexpr int silent_host = 1 << 20;         // its pilots: the last choice until it answers

class SshEngine : public Engine {
 public:
  SshEngine(const FleetOrder& fleet, Site site)
      : spec_(fleet.spec), mark_(fleet.mark), site_(std::move(site)) {
    for (const auto& host : spec_.hosts) pilots_[host] = 0;
  }

  SubmitResult submit(const PilotOrder& pilot) override {
    const auto& host = emptiest();
    const std::string data = data_of(pilot);
    const std::string script = "umask 077\nmkdir -p " + shell_word(data) +
                               " || exit 98\ncd / || exit 98\n" + "test -x " +
                               shell_word(program()) + " || exit 97\n" + "setsid nohup " +
                               shell_words(pilot_argv(spec_, site_, pilot, data)) + " >" +
                               shell_word(data + "/log") + " 2>&1 </dev/null &\necho $!\n";
    const auto end = on_host(host, script);
    if (end.succeeded()) {
      ++pilots_[host];
      return {pilot.pilot, Submission::accepted, host + "/" + first_word(end.out)};
    }
    if (end.kind == ProgramEnd::Kind::exited && end.status == no_program)
      return {pilot.pilot, Submission::rejected, {}, host + " has no " + program(), true};
    const auto detail = host + ": " + failure_text(end);
    if (never_logged_in(end)) return unreached(pilot, host, detail);
    const bool refused = end.kind == ProgramEnd::Kind::exited && end.status == no_folder;
    if (!refused) ++pilots_[host];  // it may have started, and another host is tried next
    return {pilot.pilot, refused ? Submission::rejected : Submission::unknown, {}, detail};
  }

  // The list does not cover hosts without an answer: their pilots may live.
  Result<Listing> list() override {
    Listing listing;
    std::size_t answers = 0;
    for (auto& [host, count] : pilots_) {
      const auto end = on_host(host, list_script());
      if (!end.succeeded()) {
        listing.silent.push_back(host + "/");
        count = silent_host;
        if (listing.trouble.empty()) listing.trouble = host + ": " + failure_text(end);
        continue;
      }
      ++answers;
      refused_.erase(host);
      count = read_host(host, end.out, listing);
    }
    if (const std::size_t more = listing.silent.size(); more > 1)
      listing.trouble += ", and " + counted(static_cast<std::int64_t>(more) - 1, "other host") +
                         " without an answer";
    if (answers == 0) return refuse(Code::unavailable, listing.trouble);
    return listing;
  }

  // A second TERM would kill its runs at once: a folder marks the first, also for later servers.
  Status cancel(const std::vector<PilotOrder>& pilots) override {
    std::map<std::string, std::string> scripts;
    for (const PilotOrder& pilot : pilots) {
      const auto slash = pilot.handle.find('/');
      const auto host = pilot.handle.substr(0, slash);
      if (slash == std::string::npos || !pilots_.contains(host)) continue;
      const auto pid = shell_word(pilot.handle.substr(slash + 1));
      scripts[host] += "grep -qsz -- " + shell_word("^" + pilot.token + "$") + " /proc/" + pid +
                       "/cmdline && mkdir " + shell_word(data_of(pilot) + "/canceled") +
                       " 2>/dev/null && kill -TERM " + pid + "\n";
    }
    std::string trouble;
    for (const auto& [host, script] : scripts)
      if (const auto end = on_host(host, script + "true\n"); !end.succeeded())
        trouble = host + ": " + failure_text(end);
    return trouble.empty() ? Status(Done{}) : refuse(Code::unavailable, trouble);
  }

 private:
  static constexpr int no_program = 97, no_folder = 98;  // exit statuses of the script

  // What ssh prints when it ends before the script could have begun.
  static bool never_logged_in(const ProgramEnd& end) {
    constexpr std::array texts{"ssh: connect to host", "ssh: Could not resolve hostname",
                               "Permission denied (", "Host key verification failed"};
    return end.kind == ProgramEnd::Kind::exited && end.status == ssh_failure &&
           std::ranges::any_of(
               texts, [&](const char* text) { return end.err.find(text) != std::string::npos; });
  }
  // Another host is tried next. Once every host has refused the key, a user must act.
  SubmitResult unreached(const PilotOrder& pilot, const std::string& host, std::string detail) {
    pilots_[host] = silent_host;
    if (detail.find("ssh: ") == std::string::npos) refused_.insert(host);
    return {pilot.pilot,
            Submission::rejected,
            {},
            std::move(detail),
            refused_.size() == pilots_.size()};
  }

  [[nodiscard]] std::string data_of(const PilotOrder& pilot) const {
    return (spec_.folder.empty() ? "/tmp" : spec_.folder) + "/" + pilot.token;
  }
  [[nodiscard]] std::string program() const {
    return spec_.program.empty() ? site_.program : spec_.program;
  }
  [[nodiscard]] ProgramEnd on_host(const std::string& host, const std::string& script) const {
    std::vector<std::string> argv{"ssh", "-oBatchMode=yes", "-oConnectTimeout=10"};
    argv.insert(argv.end(), spec_.args.begin(), spec_.args.end());
    argv.insert(argv.end(), {"--", host, "sh", "-s"});
    return run_program(argv, script, host_time);
  }
  [[nodiscard]] const std::string& emptiest() const {
    return std::ranges::min_element(pilots_, {}, [](const auto& one) { return one.second; })->first;
  }
  // "PID PARENT TOKEN" of every process that has a token of the fleet in its command line.
  [[nodiscard]] std::string list_script() const {
    return "for f in $(grep -lsz -- " + shell_word("^hone-" + mark_ + "-pi_") +
           " /proc/[0-9]*/cmdline); do\n"
           "  d=${f%/cmdline}\n"
           "  t=$(tr '\\0' '\\n' <\"$f\" 2>/dev/null | sed -n '/^--pilot$/{n;p;q;}')\n"
           "  p=$(sed -n 's/^PPid:[[:space:]]*//p' \"$d/status\" 2>/dev/null)\n"
           "  test -n \"$t\" && echo \"${d#/proc/} ${p:-0} $t\"\n"
           "done\ntrue\n";
  }
  int read_host(const std::string& host, const std::string& text, Listing& listing) const {
    struct Row {
      std::string parent, token;
    };
    std::map<std::string, Row> rows;
    std::istringstream lines(text);
    for (std::string pid; lines >> pid;) lines >> rows[pid].parent >> rows[pid].token;
    int count = 0;
    for (const auto& [pid, row] : rows) {
      const auto parent = rows.find(row.parent);
      if (parent != rows.end() && parent->second.token == row.token) continue;  // of a trial
      add_row(listing, mark_, row.token,
              {.state = PilotState::running, .handle = host + "/" + pid});
      ++count;
    }
    return count;
  }
  static std::string first_word(const std::string& text) {
    std::string word;
    std::istringstream(text) >> word;
    return word;
  }

  FleetSpec spec_;
  std::string mark_;
  Site site_;
  std::map<std::string, int> pilots_;  // by host, as listed last
  std::set<std::string> refused_;      // hosts that do not let ssh log in
};

}  // namespace

std::unique_ptr<Engine> make_ssh(const FleetOrder& fleet, const Site& site) {
  return std::make_unique<SshEngine>(fleet, site);
}

}  // namespace hone::engines
