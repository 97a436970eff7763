// command: a list of words, one line, or an object that says more.
#include <algorithm>
#include <array>

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/patterns.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/command_words.hpp"

namespace hone::codec {
namespace {

constexpr std::size_t variables_max = 100;
constexpr std::size_t patterns_max = 20;
constexpr std::size_t columns_max = 1000;
constexpr std::size_t word_max = 200;
constexpr int window_max = 1'000'000;
constexpr std::int64_t disk_min = 64 * 1024;
constexpr std::string_view name_needed =
    "must name a program: a list such as [\"python3\", \"train.py\"], or one line";

std::string read_word(const Spot& spot) {
  auto found = Text{}(spot);
  if (!spot.json.is_string()) spot.refuse("write it in quotes");
  if (found.find('\0') != std::string::npos) spot.refuse_rule("must not contain NUL characters");
  return found;
}

// A name or a list of them.
template <class Read>
struct OneOrMore {
  Read read{};
  std::size_t max = 0;
  std::vector<std::string> operator()(const Spot& spot) const {
    if (spot.json.is_array()) return ListOf{read, max}(spot);
    return {read(spot)};
  }
};
template <class Read>
OneOrMore(Read, std::size_t) -> OneOrMore<Read>;

std::vector<EnvVar> read_env(const Spot& spot) {
  Fields fields(spot);
  std::vector<EnvVar> env;
  fields.rest([&](const std::string& name, const Spot& value) {
    const bool fits =
        !name.empty() && name.find_first_of(std::string("=\0", 2)) == std::string::npos;
    if (!fits) value.refuse_rule("is no name of a variable");
    if (name.starts_with("HONE_")) value.refuse_rule("names that begin with HONE_ are hone's own");
    env.push_back({name, read_word(value)});
  });
  fields.done();
  if (env.size() > variables_max)
    spot.refuse_rule("has more than " + std::to_string(variables_max) + " variables");
  return env;
}

// A path in the run's own folder; patterns as well.
std::string read_inner_path(const Spot& spot) {
  const auto path = Line{1, word_max}(spot);
  const std::string framed = "/" + path + "/";
  if (framed.find("/../") != std::string::npos || path.starts_with('/'))
    spot.refuse_rule(
        "is a path in the run's own folder: relative, without '..' (a program that runs elsewhere "
        "finds the folder in ${hone.folder})");
  return path;
}

std::string read_pattern(const Spot& spot) {
  const auto pattern = Text{}(spot);
  if (auto made = LinePattern::make(pattern); !made) spot.refuse_rule(made.error().detail);
  return pattern;
}

// step: NAME, or {sum: NAME}; nothing where the rows are counted.
void read_step(const Spot& spot, CollectSpec& collect) {
  if (!spot.json.is_object()) {
    collect.step = Line{1, word_max}(spot);
    return;
  }
  Fields fields(spot);
  collect.step = fields.need("sum", Line{1, word_max});
  collect.step_sum = true;
  fields.done();
}

// The columns that are known from the spec alone; empty where the file names them.
std::vector<std::string> known_columns(const CollectSpec& collect) {
  if (collect.format == CollectFormat::csv) return collect.columns;
  std::vector<std::string> names;
  for (const auto& pattern : collect.patterns)
    if (const auto made = LinePattern::make(pattern))
      names.insert(names.end(), made->names().begin(), made->names().end());
  return names;
}

void check_column(Fields& fields, std::string_view key, const std::string& name,
                  const std::vector<std::string>& known) {
  if (known.empty() || name.empty()) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::vector<std::string_view> views(known.begin(), known.end());
  fields.refuse_rule(key, "there is no column " + in_quotes(name) + did_you_mean(name, views));
}

void check_collect(Fields& fields, const CollectSpec& collect) {
  const bool regex = collect.format == CollectFormat::regex;
  if (regex == collect.patterns.empty())
    fields.refuse("pattern", regex ? "is missing: a regular expression whose named groups are the "
                                     "columns, as in 'score: (?<score>[-0-9.]+)'"
                                   : "is for format: regex");
  if (!collect.columns.empty() && collect.format != CollectFormat::csv)
    fields.refuse("columns", "is for format: csv");
  const auto known = known_columns(collect);
  for (const auto& name : collect.objectives) check_column(fields, "objective", name, known);
  for (const auto& name : collect.metrics) check_column(fields, "metrics", name, known);
  check_column(fields, "step", collect.step, known);
}

CollectSpec read_collect(const Spot& spot) {
  Fields fields(spot);
  CollectSpec collect;
  collect.file = fields.maybe("file", read_inner_path, std::string{});
  const bool from_output = fields.maybe("stdout", Truth{}, false);
  collect.format = fields.maybe("format", WordOf<CollectFormat>{}, collect.format);
  collect.patterns =
      fields.maybe("pattern", OneOrMore{read_pattern, patterns_max}, collect.patterns);
  collect.columns =
      fields.maybe("columns", ListOf{Line{1, word_max}, columns_max}, collect.columns);
  collect.objectives =
      fields.maybe("objective", OneOrMore{Line{1, word_max}, objectives_max}, collect.objectives);
  if (const Json* step = fields.find("step"))
    read_step({*step, Place(spot.place, "step"), spot.fault}, collect);
  collect.metrics =
      fields.maybe("metrics", ListOf{Line{1, word_max}, columns_max}, collect.metrics);
  collect.window = fields.maybe("window", SmallInteger{0, window_max}, collect.window);
  collect.summary = fields.maybe("value", WordOf<Summary>{}, collect.summary);
  if (!fields.done()) return collect;
  if (from_output != collect.file.empty())
    fields.refuse("file", "say either file: NAME, in the run's own folder, or stdout: true");
  check_collect(fields, collect);
  return collect;
}

std::int64_t read_disk(const Spot& spot) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> units{
      {{"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}}};
  const auto* words = spot.json.get_ptr<const std::string*>();
  for (const auto& [unit, bytes] : units) {
    if (words == nullptr || !words->ends_with(unit)) continue;
    const std::string digits = words->substr(0, words->size() - unit.size());
    const bool whole = !digits.empty() && digits.size() < 7 &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
    if (whole && std::stoll(digits) * bytes >= disk_min) return std::stoll(digits) * bytes;
  }
  if (spot.json.is_number_integer() && spot.json >= disk_min)
    return Integer{disk_min, exact_max}(spot);
  spot.refuse("must be a size of at least 64KiB such as \"500MiB\" or \"4GiB\", not " +
              described(spot.json));
  return 0;
}

CommandTrainer read_long_command(const Spot& spot) {
  Fields fields(spot);
  CommandTrainer trainer;
  trainer.argv = fields.need("run", read_command_words);
  trainer.params = fields.maybe("params", WordOf<ParamStyle>{}, trainer.params);
  trainer.env = fields.maybe("env", read_env, trainer.env);
  trainer.folder = fields.maybe("folder", WordOf<WorkFolder>{}, trainer.folder);
  trainer.prepare = fields.maybe("prepare", read_command_words, trainer.prepare);
  trainer.collect = fields.optional("collect", read_collect);
  trainer.artifacts =
      fields.maybe("artifacts", OneOrMore{read_inner_path, patterns_max}, trainer.artifacts);
  trainer.disk = fields.maybe("disk", read_disk, trainer.disk);
  fields.done();
  return trainer;
}

bool is_plain(const CommandTrainer& trainer) { return trainer == CommandTrainer{trainer.argv}; }

Json encode_collect(const CollectSpec& collect) {
  Json json = Json::object();
  if (collect.file.empty())
    json["stdout"] = true;
  else
    json["file"] = collect.file;
  json["format"] = word(collect.format);
  if (!collect.patterns.empty()) json["pattern"] = collect.patterns;
  if (!collect.columns.empty()) json["columns"] = collect.columns;
  if (!collect.objectives.empty()) json["objective"] = collect.objectives;
  if (collect.step_sum)
    json["step"]["sum"] = collect.step;
  else if (!collect.step.empty())
    json["step"] = collect.step;
  if (!collect.metrics.empty()) json["metrics"] = collect.metrics;
  json["window"] = collect.window;
  json["value"] = word(collect.summary);
  return json;
}

// Names that no trial can fill in.
class NameCheck {
 public:
  NameCheck(const Space& space, Fault& fault) : fault_(fault) {
    for (const Parameter& parameter : space) known_.push_back(parameter.name);
    for (const auto own : own_names()) known_.push_back(own);
  }

  void word(const std::string& word, const Place& place) {
    const auto pieces = pieces_of(word);
    if (!pieces) return fault_.note_rule(place, pieces.error().detail);
    for (const WordPiece& piece : *pieces) {
      if (!piece.is_name || std::find(known_.begin(), known_.end(), piece.text) != known_.end())
        continue;
      fault_.note_rule(place, "${" + piece.text + "} names no parameter of this sweep" +
                                  did_you_mean(piece.text, known_));
    }
  }

  // A line has one place, a list one for each word.
  void words(const std::vector<std::string>& words, const Json& json, const Place& place) {
    for (std::size_t i = 0; i < words.size(); ++i)
      word(words[i], json.is_array() ? Place(place, i) : place);
  }

 private:
  std::vector<std::string_view> known_;
  Fault& fault_;
};

void check_names(const Spot& spot, const CommandTrainer& trainer, const Space& space) {
  NameCheck check(space, spot.fault);
  if (!spot.json.is_object()) return check.words(trainer.argv, spot.json, spot.place);
  check.words(trainer.argv, spot.json.at("run"), Place(spot.place, "run"));
  if (!trainer.prepare.empty())
    check.words(trainer.prepare, spot.json.at("prepare"), Place(spot.place, "prepare"));
  const Place env(spot.place, "env");
  for (const EnvVar& variable : trainer.env) check.word(variable.value, Place(env, variable.name));
}

}  // namespace

std::vector<std::string> read_command_words(const Spot& spot) {
  std::vector<std::string> words;
  if (spot.json.is_string()) {
    auto split = split_command(read_word(spot));
    if (!split) spot.refuse_rule(split.error().detail);
    if (split) words = *std::move(split);
  } else {
    words = ListOf{read_word}(spot);
  }
  if (spot.fault.clear() && (words.empty() || words.front().empty()))
    spot.refuse_rule(std::string(name_needed));
  return words;
}

CommandTrainer read_command(const Spot& spot) {
  if (spot.json.is_object()) return read_long_command(spot);
  return CommandTrainer{read_command_words(spot)};
}

void settle_command(const Spot& spot, const SweepSpec& spec, CommandTrainer& trainer) {
  check_names(spot, trainer, spec.parameters);
  if (!trainer.collect) return;
  auto& columns = trainer.collect->objectives;
  if (columns.empty()) {
    columns.push_back(spec.objective.metric);
    for (const Objective& one : spec.further_objectives) columns.push_back(one.metric);
  }
  const Place collect(spot.place, "collect");
  if (columns.size() != 1 + spec.further_objectives.size())
    return spot.fault.note_rule(Place(collect, "objective"),
                                "must name a column for each objective of the sweep, in order");
  const auto known = known_columns(*trainer.collect);
  for (const auto& name : columns)
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end())
      spot.fault.note_rule(Place(collect, "objective"),
                           "there is no column " + in_quotes(name) +
                               ": say which one the objective is in, as in objective: NAME");
}

Json encode_command(const CommandTrainer& trainer) {
  if (is_plain(trainer)) return trainer.argv;
  Json json = Json::object();
  json["run"] = trainer.argv;
  json["params"] = word(trainer.params);
  for (const EnvVar& variable : trainer.env) json["env"][variable.name] = variable.value;
  json["folder"] = word(trainer.folder);
  if (!trainer.prepare.empty()) json["prepare"] = trainer.prepare;
  if (trainer.collect) json["collect"] = encode_collect(*trainer.collect);
  if (!trainer.artifacts.empty()) json["artifacts"] = trainer.artifacts;
  if (trainer.disk != 0) json["disk"] = trainer.disk;
  return json;
}

}  // namespace hone::codec
