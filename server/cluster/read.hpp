// Cluster files: the JSON of a setup, and job traces in public formats. All of it is untrusted.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "server/cluster/setup.hpp"

namespace hone::cluster {

// Refuses unknown fields and values outside of their bounds, with a JSON pointer. Does not open the
// files that it names: the caller reads those.
Result<ClusterSetup> read_setup(const Json& document);

inline constexpr std::size_t trace_bytes_max = 64U << 20U;

// Jobs of a trace, for a setup with the rule `fixed` unless it says otherwise.
struct Trace {
  std::vector<JobType> types;
  std::vector<Job> jobs;
  int skipped = 0;  // rows without GPUs, time or a known throughput
};

// What read_setup() refuses after reading: a rule without what it needs, policies of another rule.
Status check_setup(const ClusterSetup& setup);

// Refuses jobs that are larger than the whole cluster: they would wait permanently.
Status check_fits(const ClusterSetup& setup, const std::vector<Job>& jobs);

// Gavel (Narayanan et al., OSDI 2020): tab-separated rows of job type, command, flag, a mark,
// steps, arrival in seconds and GPUs; and its JSON table of steps a second by kind of GPU, job type
// and number of GPUs.
Result<Trace> read_gavel_trace(std::string_view rows, const Json& throughputs, std::string_view gpu,
                               int most = jobs_max);

// Philly (Jeon et al., ATC 2019) as in the simulator of Pollux (Qiao et al., OSDI 2021): CSV with
// the columns timestamp, duration, num_gpu and others; times as 2017-10-03 11:34:53 or seconds. The
// first `most` usable rows.
Result<Trace> read_philly_trace(std::string_view rows, int most);

using Profiles = std::map<std::string, std::shared_ptr<const Profile>, std::less<>>;

// Pollux's simulator (Qiao et al., OSDI 2021): CSV with the columns time in seconds, application,
// num_replicas and batch_size. For a setup with the rule `measured`.
Result<Trace> read_pollux_trace(std::string_view rows, const Profiles& profiles, int most);

}  // namespace hone::cluster
