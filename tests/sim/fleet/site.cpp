#include "tests/sim/fleet/site.hpp"

#include <algorithm>

namespace hone::sim {

namespace {
constexpr Duration remembered = seconds(300);  // ended jobs stay in the lists so long
}

Job& Cluster::add(const PilotOrder& pilot, const FleetSpec& spec, Instant now) {
  const auto waits = seconds(static_cast<std::int64_t>(rng_.below(40)));
  const std::string handle = std::to_string(++last_);
  jobs.push_back({pilot.token, pilot.pilot, handle, now, now + waits, spec.wall, pilot.stays});
  return jobs.back();
}

SubmitResult Cluster::submit(const PilotOrder& pilot, const FleetSpec& spec, Instant now) {
  ++submissions[pilot.token];
  if (away(now)) return {pilot.pilot, Submission::unknown, {}, "no controller"};
  if (happens(0.05)) return {pilot.pilot, Submission::unknown, {}, "never arrived"};
  if (happens(0.05)) return {pilot.pilot, Submission::rejected, {}, "refused"};
  if (quota_ && alive() >= *quota_)
    return {pilot.pilot, Submission::rejected, {}, "QOSMaxSubmitJobPerUserLimit", false, true};
  Job& job = add(pilot, spec, now);
  if (happens(0.05)) {  // refused, and yet there is a job, which failed
    end(job, now, true);
    return {pilot.pilot, Submission::rejected, {}, "refused with a ghost"};
  }
  if (happens(0.1)) {  // accepted, the answer lost; perhaps listed only later
    job.visible_at = now + seconds(static_cast<std::int64_t>(rng_.below(45)));
    job.starts_at = std::max(job.starts_at, job.visible_at);
    return {pilot.pilot, Submission::unknown, {}, "the answer was lost"};
  }
  return {pilot.pilot, Submission::accepted, job.handle};
}

Result<Listing> Cluster::list(Instant now) {
  if (away(now) || happens(0.05)) return refuse(Code::unavailable, "no controller");
  Listing listing{.confirm = seconds(60)};
  for (const Job& job : jobs) {
    if (now < job.visible_at || (job.ended && job.ended_at + remembered < now)) continue;
    const PilotState state = job.ended     ? PilotState::ended
                             : job.started ? PilotState::running
                                           : PilotState::pending;
    listing.pilots.push_back({job.pilot, state, job.failed, job.handle});
  }
  return listing;
}

void Cluster::cancel(const std::vector<PilotOrder>& pilots, Instant now) {
  if (away(now)) return;
  for (const PilotOrder& pilot : pilots)
    for (Job& job : jobs)
      if (job.handle == pilot.handle && !job.ended) end(job, now, false);
}

void Cluster::end(Job& job, Instant now, bool failed) {
  job.ended = true;
  job.ended_at = now;
  job.failed = failed;
}

int Cluster::alive() const {
  return static_cast<int>(std::ranges::count(jobs, false, &Job::ended));
}

}  // namespace hone::sim
