// Pilots by programs that a user names: PBS, LSF, SGE, kubectl, a cloud's command line. No shell
// reads the words unless the user writes one.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/files.hpp"
#include "server/engines/engine.hpp"
#include "server/engines/program.hpp"

namespace hone::engines {
namespace {

// The states that a list may print. Any other word is a pilot that is there.
struct StateWord {
  std::string_view word;
  PilotState state;
  bool failed = false;
};
constexpr std::array state_words{
    StateWord{"pending", PilotState::pending}, StateWord{"queued", PilotState::pending},
    StateWord{"held", PilotState::held},       StateWord{"ended", PilotState::ended},
    StateWord{"completed", PilotState::ended}, StateWord{"failed", PilotState::ended, true},
};

using Words = std::vector<std::pair<std::string_view, std::string>>;

std::string substituted(std::string_view text, const Words& words) {
  std::string result;
  while (!text.empty()) {
    const auto open = text.find('{');
    result += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const auto found =
        std::ranges::find_if(words, [&](const auto& one) { return text.starts_with(one.first); });
    if (found == words.end()) {
      result += '{';
      text.remove_prefix(1);
      continue;
    }
    result += found->second;
    text.remove_prefix(found->first.size());
  }
  return result;
}

std::string clock_text(Duration time) {
  const auto total = time.us / 1'000'000;
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return two(total / 3600) + ":" + two(total / 60 % 60) + ":" + two(total % 60);
}

class CommandEngine : public Engine {
 public:
  CommandEngine(const FleetOrder& fleet, Site site)
      : spec_(fleet.spec), mark_(fleet.mark), site_(std::move(site)) {}

  SubmitResult submit(const PilotOrder& pilot) override {
    const auto script = site_.folder / "scripts" / (pilot.token + ".sh");
    const auto text = pilot_script(spec_, site_, pilot);
    if (auto written = replace_file(script, text, {.mode = 0700, .exclusive = true}); !written)
      return {pilot.pilot, Submission::rejected, {}, "cannot write " + script.string()};
    const auto end = run(spec_.commands.submit, pilot, text);
    if (end.kind == ProgramEnd::Kind::not_started)
      return {pilot.pilot, Submission::rejected, {}, failure_text(end), true};
    if (end.kind == ProgramEnd::Kind::timed_out)
      return {pilot.pilot, Submission::unknown, {}, failure_text(end)};
    if (end.status != 0) return {pilot.pilot, Submission::rejected, {}, failure_text(end)};
    std::string handle;
    std::istringstream(end.out) >> handle;
    if (!is_handle(handle))
      return {pilot.pilot, Submission::unknown, {}, "submit printed no handle"};
    return {pilot.pilot, Submission::accepted, handle};
  }

  Result<Listing> list() override {
    const auto end = run(spec_.commands.list, {}, {});
    if (!end.succeeded()) return refuse(Code::unavailable, failure_text(end));
    Listing listing;
    std::istringstream lines(end.out);
    for (std::string line; std::getline(lines, line);) read_line(line, listing);
    return listing;
  }

  Status cancel(const std::vector<PilotOrder>& pilots) override {
    std::string trouble;
    for (const PilotOrder& pilot : pilots)
      if (const auto end = run(spec_.commands.cancel, pilot, {}); !end.succeeded())
        trouble = failure_text(end);
    return trouble.empty() ? Status(Done{}) : refuse(Code::unavailable, trouble);
  }

 private:
  // A later command line gets it as one word.
  static bool is_handle(const std::string& handle) {
    return !handle.empty() && handle.size() <= 200 && !handle.starts_with('-');
  }

  [[nodiscard]] ProgramEnd run(const std::vector<std::string>& command, const PilotOrder& pilot,
                               const std::string& input) const {
    std::string labels;
    for (const auto& label : spec_.labels) labels += (labels.empty() ? "" : ",") + label;
    std::string dashed = pilot.token;  // a name that Kubernetes accepts
    std::ranges::replace(dashed, '_', '-');
    const Words words{{"{token}", pilot.token},
                      {"{name}", dashed},
                      {"{mark}", mark_},
                      {"{fleet}", spec_.name},
                      {"{handle}", pilot.handle},
                      {"{slots}", std::to_string(spec_.slots)},
                      {"{gpus}", std::to_string(spec_.gpus)},
                      {"{memory}", std::to_string(spec_.memory)},
                      {"{wall_s}", std::to_string(spec_.wall.us / 1'000'000)},
                      {"{wall}", clock_text(spec_.wall)},
                      {"{log}", log_file_of(site_, pilot)},
                      {"{script}", site_.folder / "scripts" / (pilot.token + ".sh")},
                      {"{labels}", labels}};
    std::vector<std::string> argv;
    for (const auto& word : command) argv.push_back(substituted(word, words));
    return run_program(argv, input);
  }

  // "HANDLE STATE TOKEN", and what follows as a detail. A name of Kubernetes is a token, too.
  void read_line(const std::string& line, Listing& listing) const {
    std::istringstream fields(line);
    std::string handle, word, token, detail;
    fields >> handle >> word >> token;
    std::getline(fields >> std::ws, detail);
    if (!is_handle(handle)) return;
    if (const auto dash = token.rfind("-pi-"); dash != std::string::npos) token[dash + 3] = '_';
    const auto found = std::ranges::find(state_words, word, &StateWord::word);
    ListedPilot row{.state = PilotState::running, .handle = handle, .detail = detail};
    if (found != state_words.end()) {
      row.state = found->state;
      row.failed = found->failed;
    }
    add_row(listing, mark_, token, std::move(row));
  }

  FleetSpec spec_;
  std::string mark_;
  Site site_;
};

}  // namespace

std::unique_ptr<Engine> make_command(const FleetOrder& fleet, const Site& site) {
  return std::make_unique<CommandEngine>(fleet, site);
}

}  // namespace hone::engines
