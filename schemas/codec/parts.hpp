// Pieces of bodies that several descriptions share. Internal to schemas/codec.
#pragma once

#include <tuple>
#include <variant>

#include "schemas/codec/body.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/codec/fields.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/info.hpp"
#include "schemas/types/neighbours.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/submit.hpp"
#include "schemas/types/widening.hpp"
#include "schemas/types/width.hpp"
#include "schemas/types/wire.hpp"

namespace hone::codec {

// Bounds that the words themselves have. per_run times phases must fit 64 bits.
inline constexpr std::int64_t per_run_max = 100'000'000'000'000;
inline constexpr int phases_max = 10'000;
inline constexpr int slots_max = 4096;
inline constexpr int concurrency_max = 1'000'000;
inline constexpr std::size_t name_max = 100;
inline constexpr int seeds_max = 1000;
inline constexpr int pilots_max = 1000;  // of one fleet: a worker each, which may have many slots
inline constexpr int confirm_top_max = 100;
inline constexpr std::size_t instances_max = 1000;
inline constexpr std::size_t objectives_max = 8;  // beyond it nearly every trial is a trade-off

inline constexpr int steps_max = 32;             // of a pipeline; each costs a lease
inline constexpr std::size_t files_max = 3'200;  // that a step gets: 100 of each earlier step
inline constexpr std::size_t evaluation_values_max = 10'000;  // 200 kB in one event
inline constexpr std::size_t expected_trials_max = 64;        // 5 kB; beyond them values rank
inline constexpr std::size_t past_max = 100'000'000;          // events of one sweep

inline constexpr Line name_rule{1, name_max};
inline constexpr Text word_rule{1U << 20U, true, false};  // of a command
inline constexpr Integer seed_rule{0, exact_max};
// The phases and steps of reports and checkpoints, in requests and in the ledger alike.
inline constexpr Integer phase_number{0, phases_max - 1};
inline constexpr Integer step_number{0, exact_max};

// Types that are not written as an object of their members.
template <>
Value read(const Spot& spot);
template <>
Json write(const Value& value);
template <>
Params read(const Spot& spot);
template <>
Json write(const Params& params);
template <>
Score read(const Spot& spot);
template <>
Json write(const Score& score);
template <>
Scopes read(const Spot& spot);
template <>
Json write(const Scopes& scopes);
template <>
TrainerSpec read(const Spot& spot);
template <>
Json write(const TrainerSpec& trainer);
template <>
Space read(const Spot& spot);
template <>
Json write(const Space& space);
template <>
CommandTrainer read(const Spot& spot);
template <>
Json write(const CommandTrainer& trainer);
template <>
SweepSpec read(const Spot& spot);
template <>
Json write(const SweepSpec& spec);
template <>
Event read(const Spot& spot);
template <>
Json write(const Event& event);
template <>
Deadline read(const Spot& spot);
template <>
Json write(const Deadline& deadline);

// A value, but no text that was meant as a number: of a parameter, or a single one of a setting.
Value read_parameter_value(const Spot& spot);
Value read_setting(const Spot& spot);
std::string read_artifact_name(const Spot& spot);               // of a file that a run left
std::vector<std::string> read_command_words(const Spot& spot);  // a list, or one line
// The id by which a repeated request finds its first answer. Refuses the beginnings of the ids that
// the server itself makes, or one client's id could stand for another's.
std::string read_request_id(const Spot& spot);
// What a command takes from the rest of its sweep: the columns of the objectives are called as they
// are. Refuses each "${name}" that is no parameter, and columns that are not one for each
// objective.
void settle_command(const Spot& spot, const SweepSpec& spec, CommandTrainer& trainer);
// Refuses an evaluating command that names no parameter, or not its model.
void check_evaluate(const Spot& spot, const SweepSpec& spec);

// Reads one of Alternatives, a variant, by its index.
template <class T, class Alternatives = T, std::size_t i = 0>
T read_alternative(Reader& reader, std::size_t index) {
  if constexpr (i + 1 < std::variant_size_v<Alternatives>)
    if (index > i) return read_alternative<T, Alternatives, i + 1>(reader, index);
  return read_fields(reader, std::variant_alternative_t<i, Alternatives>{});
}

void check(Reader& reader, const BudgetSpec& budget);

// The goal of a file is that of the metric; with `reach`, that of the values is soonest.
template <class F>
void fields(F& f, Of<Objective> auto& o) {
  Goal goal = !o.reach ? o.goal : o.reach->falling ? Goal::minimize : Goal::maximize;
  std::optional<double> bar;
  std::optional<RunClock> clock;
  if (o.reach) bar = o.reach->bar, clock = o.reach->clock;
  f("metric", o.metric, name_rule).maybe("goal", goal).some("reach", bar).some("clock", clock);
  if constexpr (reads<F>) {
    o.goal = bar ? Goal::soonest : goal;
    if (bar) o.reach = Reach{*bar, goal == Goal::minimize, clock.value_or(RunClock::seconds)};
  }
}
void check(Reader& reader, const Objective& objective);

void fields(auto& f, Of<BudgetSpec> auto& b) {
  f.maybe("unit", b.unit, name_rule)("per_run", b.per_run, Count{1, per_run_max});
  f.maybe("phases", b.phases, Integer{1, phases_max});
}

// Bytes: a number, or "500MiB", "4GiB"; at least 64 KiB, which one run or file always needs.
std::int64_t read_size(const Spot& spot);
std::string read_label(const Spot& spot);  // "KEY=VALUE", or a word
inline constexpr std::size_t labels_max = 32;
inline constexpr ListOf bytes_of_gpus{Integer{0, exact_max}, std::size_t{slots_max}};
inline constexpr ListOf device_numbers{Integer{0, slots_max - 1}, std::size_t{slots_max}};

// The slots of a run: a number, or {min, max}.
struct CpuRange {
  int least = 1;
  int most = 0;  // 0: always the least
};
template <>
CpuRange read(const Spot& spot);
template <>
Json write(const CpuRange& cpus);

void fields(auto& f, Of<CpuRange> auto& c) {
  f.maybe("min", c.least, Integer{1, slots_max})("max", c.most, Integer{1, slots_max});
}
void check(Reader& reader, const CpuRange& cpus);

template <class F>
void fields(F& f, Of<ResourcesSpec> auto& r) {
  CpuRange cpus{r.cpus, r.cpus_max};
  f.maybe("cpus", cpus).maybe("gpus", r.gpus, Integer{0, slots_max});
  f.some("memory", r.memory, read_size).some("labels", r.labels, ListOf{read_label, labels_max});
  f.some("gpu_memory", r.gpu_memory, read_size);
  if constexpr (reads<F>) r.cpus = cpus.least, r.cpus_max = cpus.most;
}
void check(Reader& reader, const ResourcesSpec& resources);

inline constexpr int share_max = 1000;

void fields(auto& f, Of<SlotsSpec> auto& s) {
  f.some("min", s.min, Integer{0, concurrency_max}).some("max", s.max, Integer{1, concurrency_max});
}
void check(Reader& reader, const SlotsSpec& bounds);

void fields(auto& f, Of<Turn> auto& t) {
  f("rule", t.rule)("weight", t.weight)("service", t.service).some("held", t.held);
  f("next", t.next)("next_service", t.next_service).some("next_held", t.next_held);
  f("waiting", t.waiting);
}

void fields(auto& f, Of<Width> auto& w) {
  f("cpus", w.cpus, Integer{1, slots_max})("rule", w.rule).some("free", w.free);
  f.some("measured", w.measured).some("phase_s", w.phase_s)("faster", w.faster);
}

void fields(auto& f, Of<Neighbours> auto& n) {
  f("runs", n.runs, Integer{1, slots_max})("speed", n.speed)("without", n.without);
  f("with", n.with)("measured", n.measured).some("again", n.again);
}

void fields(auto& f, Of<KeptFree> auto& k) { f("sweep", k.sweep)("neighbours", k.neighbours); }

void fields(auto& f, Of<FileRef, SaveArtifactRequest> auto& r) {
  f("name", r.name, read_artifact_name)("sha256", r.sha256, Digest{});
  f("bytes", r.bytes, Integer{0, exact_max});
}

std::string read_step_name(const Spot& spot);  // also the name of a folder

void fields(auto& f, Of<StepRef> auto& s) {
  f("name", s.name, read_step_name)("index", s.index, Integer{0, steps_max - 1});
  f("count", s.count, Integer{1, steps_max});
}

void fields(auto& f, Of<WorkflowInfo> auto& w) {
  f.maybe("command", w.command).maybe("cwd", w.cwd).maybe("host", w.host).maybe("user", w.user);
  f.maybe("git_commit", w.git_commit, Line{0, name_max}).maybe("git_branch", w.git_branch);
  f.maybe("patch_sha256", w.patch_sha256, Digest{true});
  f.maybe("hone_version", w.hone_version, Line{0, name_max});
  f.some("environment_sha256", w.environment_sha256, Digest{true});
  f.some("hone_commit", w.hone_commit, Line{0, name_max});
  f.some("name", w.name, Line{0, name_max}).some("version", w.version, Line{0, name_max});
  f.some("description", w.description);
}

void fields(auto& f, Of<DatasetInfo> auto& d) {
  f("name", d.name).maybe("version", d.version).maybe("digest", d.digest);
  f.some("location", d.location);
}

void fields(auto& f, Of<EvaluationInfo> auto& e) {
  f("metric", e.metric, name_rule)("values", e.values,
                                   ListOf{OfType{}, evaluation_values_max, "value"});
  f.maybe("environment", e.environment, Line{0, 255}).maybe("seed", e.seed, seed_rule);
  f.maybe("sample", e.sample).maybe("author", e.author, Line{0, 255});
}

struct Inputs {  // of a verdict, by name
  std::vector<VerdictInput> operator()(const Spot& spot) const;
  [[nodiscard]] Json json(const std::vector<VerdictInput>& inputs) const;
};

void fields(auto& f, Of<Verdict> auto& v) {
  f("verdict", v.action)("reason", v.reason).maybe("inputs", v.inputs, Inputs{});
}

inline constexpr ListOf arguments{Text{4096, true, false}, std::size_t{64}};

// A name of a fleet is part of names at its engine.
std::string read_fleet_name(const Spot& spot);
std::string read_host(const Spot& spot);  // of ssh: no option, no blank

void fields(auto& f, Of<FleetCommands> auto& c) {
  f("submit", c.submit, arguments)("list", c.list, arguments)("cancel", c.cancel, arguments);
}

void check(Reader& reader, const FleetSpec& fleet);

void fields(auto& f, Of<FleetSpec> auto& s) {
  constexpr Length time{seconds(1), true};
  f("name", s.name, read_fleet_name)("engine", s.engine, name_rule);
  f.maybe("min", s.min, Integer{0, pilots_max}).maybe("max", s.max, Integer{1, pilots_max});
  f.maybe("backlog", s.backlog, Integer{1, pilots_max}).maybe("idle", s.idle, time);
  f.maybe("wall", s.wall, time).maybe("drain", s.drain, time);
  f.maybe("slots", s.slots, Integer{1, slots_max}).maybe("gpus", s.gpus, Integer{0, slots_max});
  f.some("memory", s.memory, read_size).some("labels", s.labels, ListOf{read_label, labels_max});
  f.some("gpu_memory", s.gpu_memory, read_size);
  constexpr Line path{0, 1000};
  f.some("url", s.url, path).some("token_file", s.token_file, path).some("tls_ca", s.tls_ca, path);
  f.some("program", s.program, path).some("folder", s.folder, path);
  f.some("hosts", s.hosts, ListOf{read_host, std::size_t{1000}});
  f.some("args", s.args, arguments).some("commands", s.commands);
}

void fields(auto& f, Of<Widening> auto& w) {
  f("name", w.name, name_rule).some("min", w.min).some("max", w.max).some("values", w.values);
}

// What an edit changes, as a request asks for it and as the ledger keeps it.
void changes_of_edit(auto& f, auto& edit, std::string_view widened, auto& widenings) {
  f.some("trials", edit.trials, Count{1, trials_max});
  f.some("concurrency", edit.concurrency, Integer{0, concurrency_max});
  f.some(widened, widenings).some("share", edit.share, Integer{1, share_max});
  f.some("slots", edit.slots).some("by", edit.by).some("command", edit.command);
}

}  // namespace hone::codec

namespace hone {

template <class T>
Result<T> decode_request(const Json& document) {
  return codec::decode_as<T>(document);
}

template <class T>
Result<T> decode_recorded(const Json& document) {
  return codec::decode_as<T>(document, {}, codec::Fault::of_ledger());
}

template <class T>
Result<T> decode_reply(const Json& document) {
  return codec::decode_as<T>(document, {}, codec::Fault::of_reply());
}

template <Body T>
Json encode(const T& body) {
  return codec::write(body);
}

}  // namespace hone

namespace hone::codec {

// Instantiates what other rooms call for these bodies: their addresses are taken.
template <class... T>
struct Requests {
  static constexpr std::tuple decoders{&decode_request<T>...};
  static constexpr std::tuple encoders{&encode<T>...};
};
template <class... T>
struct Replies {
  static constexpr std::tuple decoders{&decode_reply<T>...};
  static constexpr std::tuple encoders{&encode<T>...};
};

}  // namespace hone::codec
