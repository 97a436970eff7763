// A cluster file (JSON), a line of three dashes, and a trace of jobs. What is accepted is simulated
// if it is small.
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/cluster/harmony/harmony.hpp"
#include "server/cluster/read.hpp"
#include "server/cluster/simulate.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

void simulate_small(const cluster::ClusterSetup& setup, const std::vector<cluster::Job>& jobs) {
  constexpr std::size_t jobs_most = 8, servers_most = 8;
  constexpr double intervals_most = 200;
  double work = 0;
  for (const cluster::Job& job : jobs) work += job.work;
  if ((setup.rule != cluster::SpeedRule::fixed && setup.rule != cluster::SpeedRule::measured) ||
      jobs.size() > jobs_most || setup.servers.size() > servers_most ||
      work > intervals_most * setup.interval_s)
    return;
  const auto outcome =
      cluster::simulate(setup, jobs, cluster::scheduler_of(*cluster::find_policy("tetris")), 1);
  if (!outcome) return expect(!outcome.error().detail.empty(), "a refusal says why");
  for (const double completion : outcome->completion_s)
    expect(completion > 0, "every job of an outcome has ended after its arrival");
}

// The same rows are every file of a profile, and the trace.
void read_measured(cluster::ClusterSetup setup, std::string_view rows) {
  constexpr int samples = 8;
  const std::string text(rows);
  auto profile = cluster::Profile::read({text, text, {{samples, text}}}, {});
  if (!profile) return expect(!profile.error().detail.empty(), "a refusal says why");
  for (const std::vector<int>& placement : {std::vector{1}, {4, 2}, {1, 1, 1, 1, 1, 1, 1}})
    expect(profile->iteration_s(placement, samples) > 0, "an iteration takes time");
  auto trace = cluster::read_pollux_trace(
      rows, {{"a", std::make_shared<const cluster::Profile>(*std::move(profile))}}, 100);
  if (!trace) return expect(!trace.error().detail.empty(), "a refusal says why");
  if (setup.rule != cluster::SpeedRule::measured || !cluster::check_fits(setup, trace->jobs))
    return;
  setup.types = trace->types;
  simulate_small(setup, trace->jobs);
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto middle = text.find("\n---\n");
  const auto document = parse_json(text.substr(0, middle));
  if (!document) return;
  const auto setup = cluster::read_setup(*document);
  if (!setup) return expect(!setup.error().detail.empty(), "a refusal says why");
  if (const auto model = cluster::read_harmony(*document, *setup); !model)
    expect(!model.error().detail.empty(), "a refusal says why");
  if (setup->workload.jobs <= 100 && setup->rule != cluster::SpeedRule::measured)
    simulate_small(*setup, cluster::draw_jobs(*setup, 1));
  if (const auto table = cluster::PairTable::read(*document, {"v100"}, "v100"); !table)
    expect(!table.error().detail.empty(), "a refusal says why");
  if (middle == std::string_view::npos) return;
  const auto rows = text.substr(middle + 5);
  read_measured(*setup, rows);
  if (setup->rule == cluster::SpeedRule::measured) return;
  for (const auto& trace : {cluster::read_philly_trace(rows, 100),
                            cluster::read_gavel_trace(rows, *document, "v100", 100)}) {
    if (!trace)
      expect(!trace.error().detail.empty(), "a refusal says why");
    else if (cluster::check_fits(*setup, trace->jobs))
      simulate_small(*setup, trace->jobs);
  }
}

}  // namespace hone::fuzz
