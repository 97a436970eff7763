// Every member of everything in the Book, by name: one that is not written here does not compile.
#include "server/engine/book_archive.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "base/fnv.hpp"
#include "schemas/codec/body.hpp"
#include "server/engine/archive.hpp"
#include "server/engine/imports_archive.hpp"
#include "server/engine/neighbours_archive.hpp"
#include "server/engine/runs_archive.hpp"

namespace hone {
namespace {
constexpr std::string_view stamp_of_this_build =
#include "book_stamp.inc"
    ;

}  // namespace

template <class Archive>
void fields(Archive& archive, MaybeConst<JsonText> auto& value) {
  archive(value.text);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Param> auto& param) {
  auto& [name, value] = param;
  archive(name, value);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<VerdictInput> auto& input) {
  auto& [name, value] = input;
  archive(name, value);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Verdict> auto& verdict) {
  auto& [action, reason, inputs] = verdict;
  archive(action, reason, inputs);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<ModelRef> auto& model) {
  auto& [id, sha256, bytes, step, phase] = model;
  archive(id, sha256, bytes, step, phase);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<FileRef> auto& file) {
  auto& [name, sha256, bytes] = file;
  archive(name, sha256, bytes);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<PhasePace> auto& pace) {
  auto& [phases, sum] = pace;
  archive(phases, sum);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<MeasuredWidths> auto& widths) {
  auto& [least, wide, starts] = widths;
  archive(least, wide, starts);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<OriginRank> auto& rank) {
  auto& [place, rivals] = rank;
  archive(place, rivals);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Origin> auto& origin) {
  auto& [run, model, phase, step, replaces, rank] = origin;
  archive(run, model, phase, step, replaces, rank);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<ScheduleStage> auto& stage) {
  auto& [phase, params] = stage;
  archive(phase, params);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Trial> auto& trial) {
  auto& [id, number, params, runs, pinned, origin, schedule] = trial;
  archive(id, number, params, runs, pinned, origin, schedule);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Enqueued> auto& enqueued) {
  auto& [params, from, origin, schedule, creator] = enqueued;
  archive(params, from, origin, schedule, creator);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RunRecord> auto& record) {
  auto& [trial, number, merits, state, completed, counts, evicted, taken, seconds, timed] = record;
  archive(trial, number, merits, state, completed, counts, evicted, taken, seconds, timed);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<TrialRecord> auto& record) {
  auto& [runs, foreign, forked] = record;
  archive(runs, foreign, forked);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<TrialOutcome> auto& outcome) {
  auto& [grade, phase, merit, further, values, error] = outcome;
  archive(grade, phase, merit, further, values, error);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Replication> auto& replication) {
  auto& [first, most, aggregate, race, instances, ranks, in_units] = replication;
  archive(first, most, aggregate, race, instances, ranks, in_units);
}

template <class Archive, class Either>
void archive_history(Archive& archive, Either& history) {
  auto& [goal, dimensions, objectives, foreign, points, trials, outcomes, runs, further, ranked,
         pending, merits_by_phase, replication, latest_merits, reported, expected] = history;
  archive(goal, dimensions, objectives, foreign, points, trials, outcomes, runs, further, ranked,
          pending, merits_by_phase, replication, latest_merits, reported, expected);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<History> auto& history) {
  archive_history(archive, history);
}

// As the ledger keeps it.
void fields(ArchiveWriter& archive, const SweepSpec& spec) { archive(to_text(encode(spec))); }
void fields(ArchiveReader& archive, SweepSpec& spec) {
  std::string text;
  archive(text);
  const auto document = parse_json(text);
  auto decoded =
      document ? decode_recorded<SweepSpec>(*document) : Result<SweepSpec>(document.error());
  if (!decoded) throw std::runtime_error("a sweep in it cannot be read: " + decoded.error().detail);
  spec = *std::move(decoded);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<FailureTally> auto& tally) {
  auto& [runs, latest, in_a_row, only, trial, longest, errors] = tally;
  archive(runs, latest, in_a_row, only, trial, longest, errors);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Service> auto& service) {
  auto& [used, rate, at, held] = service;
  archive(used, rate, at, held);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RankAgreement> auto& agreement) {
  auto& [tau, error] = agreement;
  archive(tau, error);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RankPrior> auto& prior) {
  auto& [runs, tenths] = prior;
  archive(runs, tenths);
}

// Space, sampler and terminators follow from the spec.
template <class Archive>
void fields(Archive& archive, MaybeConst<Sweep> auto& sweep) {
  auto& [id, spec, request_id, state, reason, order, submitted_at, space, sampler, terminator,
         history, trials, runs, queue, resting, paused, enqueued, enqueue_requests, open_runs,
         live_leases, workflow, dataset, confirmed_by, archived, phase_times, rules, limited_from,
         failing, unpausing, forks, successors, inherited, service, widths, rank_prior] = sweep;
  archive(id, spec, request_id, state, reason, order, submitted_at, history, trials, runs, queue,
          resting, paused, enqueued, enqueue_requests, open_runs, live_leases, workflow, dataset,
          confirmed_by, archived, phase_times, rules, limited_from, failing, forks, successors,
          inherited, service, widths, rank_prior);
  if constexpr (Archive::reads) equip(sweep);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Lease> auto& lease) {
  auto& [id, attempt, sweep, worker, request_id, resume, expires_at, granted_at, workflow, step,
         files, weight, devices, alone, cpus, kind, shared] = lease;
  archive(id, attempt, sweep, worker, request_id, resume, expires_at, granted_at, workflow, step,
          files, weight, devices, alone, cpus, kind, shared);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<ResourcesSpec> auto& resources) {
  auto& [cpus, gpus, memory, labels, gpu_memory, cpus_max] = resources;
  archive(cpus, gpus, memory, labels, gpu_memory, cpus_max);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<WorkerState> auto& worker) {
  auto& [id, request_id, host, cpus, gpus, leased, seen_at, suspects, suspect_at, aside_until,
         times_aside, token, epoch, memory, labels, gpu_memory, gpu_free, runs, runs_since,
         kept_free, tried_again_at] = worker;
  archive(id, request_id, host, cpus, gpus, leased, seen_at, suspects, suspect_at, aside_until,
          times_aside, token, epoch, memory, labels, gpu_memory, gpu_free, runs, runs_since,
          kept_free, tried_again_at);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Scopes> auto& scopes) {
  auto& [bits] = scopes;
  archive(bits);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Token> auto& token) {
  auto& [id, request_id, name, scopes, sha256, expires_at, revoked] = token;
  archive(id, request_id, name, scopes, sha256, expires_at, revoked);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<WorkflowInfo> auto& info) {
  auto& [command, cwd, host, user, git_commit, git_branch, patch_sha256, hone_version,
         environment_sha256, hone_commit, name, version, description] = info;
  archive(command, cwd, host, user, git_commit, git_branch, patch_sha256, hone_version,
          environment_sha256, hone_commit, name, version, description);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<DatasetInfo> auto& info) {
  auto& [name, version, digest, location] = info;
  archive(name, version, digest, location);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<FleetCommands> auto& commands) {
  auto& [submit, list, cancel] = commands;
  archive(submit, list, cancel);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<FleetSpec> auto& spec) {
  auto& [name, engine, min, max, backlog, idle, wall, drain, slots, gpus, memory, labels,
         gpu_memory, url, token_file, tls_ca, program, folder, hosts, args, commands] = spec;
  archive(name, engine, min, max, backlog, idle, wall, drain, slots, gpus, memory, labels,
          gpu_memory, url, token_file, tls_ca, program, folder, hosts, args, commands);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Pilot> auto& pilot) {
  auto& [id, rule, state, state_at, handle, worker, canceled] = pilot;
  archive(id, rule, state, state_at, handle, worker, canceled);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Fleet> auto& fleet) {
  auto& [id, mark, spec, state, pilots, want, rule, decided_at, failures, failed_at, failure, limit,
         limited_at] = fleet;
  archive(id, mark, spec, state, pilots, want, rule, decided_at, failures, failed_at, failure,
          limit, limited_at);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Book> auto& book) {
  auto& [lease_length, last_at, sweeps, trials, leases, lease_deadlines, workers, rests, asides,
         sweeps_by_request, workers_by_request, leases_by_request, models, models_by_content,
         run_of_lease, workflows, datasets, open_sweeps, worker_of_lease, tokens, known_requests,
         fleets, fleets_by_request, last_fleet, last_pilot, last_trial, last_model, last_worker,
         last_sweep, last_workflow, last_evaluation, evaluations_by_request, epochs, last_lease,
         neighbours, importing, unfinished] = book;
  archive(lease_length, last_at, sweeps, trials, leases, lease_deadlines, workers, rests, asides,
          sweeps_by_request, workers_by_request, leases_by_request, models, models_by_content,
          run_of_lease, workflows, datasets, open_sweeps, worker_of_lease, tokens, known_requests,
          fleets, fleets_by_request, last_fleet, last_pilot, last_trial, last_model, last_worker,
          last_sweep, last_workflow, last_evaluation, evaluations_by_request, epochs, last_lease,
          neighbours, unfinished);
}

std::string archive_book(const Book& book) {
  ArchiveWriter archive;
  archive(book);
  return archive.take();
}

Book read_book(std::string_view bytes) {
  Book book;
  ArchiveReader archive(bytes);
  archive(book);
  if (!archive.at_end()) throw std::runtime_error("the archive has bytes after its end");
  return book;
}

namespace {

// What is in the Book because of one sweep, apart from ids and requests, which stay.
struct SweepPart {
  Sweep sweep;
  std::vector<Trial> trials;
  std::vector<ModelRef> models;
  decltype(Book::models_by_content) models_by_content;
};

template <class Archive>
void fields(Archive& archive, MaybeConst<SweepPart> auto& part) {
  auto& [sweep, trials, models, models_by_content] = part;
  archive(sweep, trials, models, models_by_content);
}

// Calls `visit` with each entry of models_by_content of the trial's runs.
void visit_models(const Book& book, const Trial& trial, const auto& visit) {
  auto entry = book.models_by_content.lower_bound(
      {{trial.id, 0}, std::numeric_limits<std::int64_t>::min(), {}});
  while (entry != book.models_by_content.end() && std::get<RunId>(entry->first).trial == trial.id)
    visit(*entry++);
}

}  // namespace

// Writes as SweepPart is read, without a copy of the sweep.
std::string archive_sweep(const Book& book, SweepId id) {
  const Sweep& sweep = book.sweeps.at(id);
  std::vector<ModelRef> models;
  decltype(Book::models_by_content) models_by_content;
  ArchiveWriter archive;
  archive(sweep, sweep.trials.size());
  for (const TrialId trial_id : sweep.trials) {
    const Trial& trial = book.trials.at(trial_id).second;
    archive(trial);
    visit_models(book, trial, [&](const auto& entry) {
      models_by_content.insert(entry);
      if (const auto kept = book.models.find(entry.second); kept != book.models.end())
        models.push_back(kept->second);
    });
  }
  archive(models, models_by_content);
  return archive.take();
}

void remove_sweep(Book& book, SweepId id) {
  for (const TrialId trial_id : book.sweeps.at(id).trials) {
    const auto trial = book.trials.find(trial_id);
    std::vector<std::pair<const decltype(Book::models_by_content)::key_type, ModelId>> models;
    visit_models(book, trial->second.second, [&](const auto& entry) { models.push_back(entry); });
    for (const auto& [content, model] : models) {
      book.models.erase(model);
      book.models_by_content.erase(content);
    }
    book.trials.erase(trial);
  }
  book.sweeps.erase(id);
}

void insert_sweep(Book& book, std::string_view bytes) {
  SweepPart part;
  ArchiveReader archive(bytes);
  archive(part);
  if (!archive.at_end()) throw std::runtime_error("the sweep has bytes after its end");
  const SweepId id = part.sweep.id;
  for (Trial& trial : part.trials) {
    const TrialId trial_id = trial.id;
    book.trials.emplace(trial_id, std::pair{id, std::move(trial)});
  }
  for (const ModelRef& model : part.models) book.models.emplace(model.id, model);
  book.models_by_content.merge(part.models_by_content);
  book.sweeps.emplace(id, std::move(part.sweep));
}

std::uint64_t checksum(std::string_view bytes) {
  Fnv1a hash;
  hash.add(bytes);
  return hash.value();
}

std::string_view book_stamp() { return stamp_of_this_build; }

}  // namespace hone
