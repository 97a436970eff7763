// Pilots as jobs of Slurm: sbatch, squeue and scancel with fixed formats. Accounting is not asked:
// many sites have none.
#include <algorithm>
#include <array>

#include "server/engines/engine.hpp"
#include "server/engines/program.hpp"

namespace hone::engines {
namespace {

// How Slurm calls the state of a job. A word without a row is a job that is there.
struct JobState {
  std::string_view word;
  PilotState state;
  bool failed = false;
};
constexpr std::array job_states{
    JobState{"PENDING", PilotState::pending},
    JobState{"CONFIGURING", PilotState::pending},
    JobState{"REQUEUED", PilotState::pending},
    JobState{"REQUEUE_HOLD", PilotState::held},
    JobState{"COMPLETED", PilotState::ended},
    JobState{"CANCELLED", PilotState::ended},
    JobState{"PREEMPTED", PilotState::ended},
    JobState{"REVOKED", PilotState::ended},
    JobState{"FAILED", PilotState::ended, true},
    JobState{"TIMEOUT", PilotState::ended, true},
    JobState{"NODE_FAIL", PilotState::ended, true},
    JobState{"BOOT_FAIL", PilotState::ended, true},
    JobState{"DEADLINE", PilotState::ended, true},
    JobState{"OUT_OF_MEMORY", PilotState::ended, true},
};

// What sbatch prints when it cannot know whether the controller took the job.
constexpr std::array<std::string_view, 7> unknown_texts{
    "Unable to contact slurm controller", "Socket timed out",   "timed out",
    "Zero Bytes were transmitted",        "Connection refused", "Connection reset",
    "Communication connection failure"};

// What it prints when it will reject every such job until a user changes the fleet.
constexpr std::array<std::string_view, 16> permanent_texts{
    "invalid partition",
    "Invalid account",
    "Invalid qos",
    "invalid qos",
    "Invalid wckey",
    "Invalid feature specification",
    "Invalid generic resource",
    "Requested time limit is invalid",
    "Requested node configuration is not available",
    "More processors requested than permitted",
    "Job violates accounting/QOS policy",
    "not permitted to use this partition",
    "Access/permission denied",
    "unrecognized option",
    "Invalid directive",
    "Memory specification can not be satisfied"};

// What it prints when the account has as many jobs as its limits allow, as
// "QOSMaxSubmitJobPerUserLimit", with a text that is permanent else.
constexpr std::array<std::string_view, 1> limit_texts{"SubmitJob"};

bool contains_any(const std::string& text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

std::string take_field(std::string_view& line) {
  const auto end = line.find('|');
  std::string field(line.substr(0, end));
  line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  return field;
}

ListedPilot row_of(const std::string& id, const std::string& word, const std::string& reason) {
  const auto found = std::ranges::find(job_states, word, &JobState::word);
  ListedPilot row{.state = PilotState::running, .handle = id, .detail = word};
  if (found != job_states.end()) {
    row.state = found->state;
    row.failed = found->failed;
  }
  if (reason.starts_with("JobHeld")) row.state = PilotState::held;
  if (!reason.empty() && reason != "None") row.detail += ": " + reason;
  return row;
}

class SlurmEngine : public Engine {
 public:
  SlurmEngine(const FleetOrder& fleet, Site site)
      : spec_(fleet.spec), mark_(fleet.mark), site_(std::move(site)) {}

  SubmitResult submit(const PilotOrder& pilot) override {
    const auto end = run_program(sbatch(pilot), pilot_script(spec_, site_, pilot));
    if (end.succeeded()) return accepted(pilot, end);
    const auto detail = failure_text(end);
    if (end.kind == ProgramEnd::Kind::not_started)
      return {pilot.pilot, Submission::rejected, {}, detail, true};
    if (end.kind == ProgramEnd::Kind::timed_out || contains_any(detail, unknown_texts))
      return {pilot.pilot, Submission::unknown, {}, detail};
    const bool limited = contains_any(detail, limit_texts);
    const bool permanent = !limited && contains_any(detail, permanent_texts);
    return {pilot.pilot, Submission::rejected, {}, detail, permanent, limited};
  }

  // All jobs of the account: a filter by partition misses one that was moved, and one by number
  // fails when a job is forgotten.
  Result<Listing> list() override {
    const auto end = run_program(
        {"squeue", "--noheader", "--me", "--states=all", "--format=%A|%T|%j|%k|%r"}, {});
    if (!end.succeeded()) return refuse(Code::unavailable, failure_text(end));
    Listing listing;
    for (std::string_view rest = end.out; !rest.empty();) {
      const auto line_end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, line_end), listing);
      rest.remove_prefix(std::min(line_end + 1, rest.size()));
    }
    return listing;
  }

  Status cancel(const std::vector<PilotOrder>& pilots) override {
    std::vector<std::string> argv{"scancel"};
    for (const PilotOrder& pilot : pilots) argv.push_back(pilot.handle);
    const auto end = run_program(argv, {});
    if (!end.succeeded()) return refuse(Code::unavailable, failure_text(end));
    return Done{};
  }

 private:
  // A site's plugin may replace the comment, so the name has the token, too.
  [[nodiscard]] std::vector<std::string> sbatch(const PilotOrder& pilot) const {
    const auto minutes = std::max<std::int64_t>(1, (spec_.wall.us + 59'999'999) / 60'000'000);
    std::vector<std::string> argv{"sbatch",
                                  "--parsable",
                                  "--no-requeue",
                                  "--job-name=" + pilot.token,
                                  "--comment=" + pilot.token,
                                  "--time=" + std::to_string(minutes),
                                  "--cpus-per-task=" + std::to_string(spec_.slots),
                                  "--signal=B:USR1@" + std::to_string(spec_.drain.us / 1'000'000),
                                  "--open-mode=append",
                                  "--output=" + log_file_of(site_, pilot).string(),
                                  "--export=NONE"};
    if (spec_.memory > 0)
      argv.push_back("--mem=" + std::to_string((spec_.memory + 1023) / 1024) + "K");
    if (spec_.gpus > 0) argv.push_back("--gres=gpu:" + std::to_string(spec_.gpus));
    argv.insert(argv.end(), spec_.args.begin(), spec_.args.end());
    return argv;
  }

  // "4711" or "4711;cluster".
  static SubmitResult accepted(const PilotOrder& pilot, const ProgramEnd& end) {
    const auto digits = end.out.find_first_not_of("0123456789");
    auto id = end.out.substr(0, digits);
    if (id.empty())
      return {pilot.pilot, Submission::unknown, {}, "sbatch printed no job: " + failure_text(end)};
    return {pilot.pilot, Submission::accepted, std::move(id)};
  }

  void read_line(std::string_view line, Listing& listing) const {
    const auto id = take_field(line);
    const auto state = take_field(line);
    const auto name = take_field(line);
    const auto comment = take_field(line);
    auto row = row_of(id, state, std::string(line));
    const auto token = parse_pilot_token(name) ? name : comment;
    if (const auto parsed = parse_pilot_token(token);
        row.state == PilotState::ended && parsed && parsed->mark == mark_)
      if (const auto tail = log_tail_of(site_, parsed->pilot); !tail.empty())
        row.detail += "; its log ends: " + tail;
    add_row(listing, mark_, token, std::move(row));
  }

  FleetSpec spec_;
  std::string mark_;
  Site site_;
};

}  // namespace

std::unique_ptr<Engine> make_slurm(const FleetOrder& fleet, const Site& site) {
  return std::make_unique<SlurmEngine>(fleet, site);
}

}  // namespace hone::engines
