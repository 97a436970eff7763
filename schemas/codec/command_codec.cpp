// command: a list of words, one line, or an object that says more.
#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/types/command_words.hpp"
#include "schemas/types/line_pattern.hpp"

namespace hone::codec {
namespace {

constexpr std::size_t variables_max = 100;
constexpr std::size_t patterns_max = 20;
constexpr std::size_t columns_max = 1000;
constexpr Line column_name{1, 200};
constexpr int window_max = 1'000'000;
constexpr std::int64_t size_min = 64 * 1024;
constexpr std::string_view name_needed =
    "must name a program: a list such as [\"python3\", \"train.py\"], or one line";

// A name or a list of them.
template <class Item>
struct OneOrMore {
  Item item{};
  std::size_t max = 0;
  std::vector<std::string> operator()(const Spot& spot) const {
    if (!spot.json.is_array()) return {item(spot)};
    return read_by<std::vector<std::string>>(spot, ListOf{item, max});
  }
};
template <class Item>
OneOrMore(Item, std::size_t) -> OneOrMore<Item>;

struct Environment {
  std::vector<EnvVar> operator()(const Spot& spot) const {
    std::vector<EnvVar> env;
    Reader(spot).rest(env, [&](const std::string& name, const Spot& value) {
      const bool fits =
          !name.empty() && name.find_first_of(std::string("=\0", 2)) == std::string::npos;
      if (!fits) value.refuse_rule("is no name of a variable");
      if (name.starts_with("HONE_"))
        value.refuse_rule("names that begin with HONE_ are hone's own");
      return word_rule(value);
    });
    if (env.size() > variables_max)
      spot.refuse_rule("has more than " + std::to_string(variables_max) + " variables");
    return env;
  }
  [[nodiscard]] Json json(const std::vector<EnvVar>& env) const {
    Json json = Json::object();
    Writer(json).rest(env);
    return json;
  }
};

// A path in the run's own folder; patterns as well.
std::string read_inner_path(const Spot& spot) {
  const auto path = column_name(spot);
  const std::string framed = "/" + path + "/";
  if (framed.find("/../") != std::string::npos || path.starts_with('/'))
    spot.refuse_rule(
        "is a path in the run's own folder: relative, without '..' (a program that runs elsewhere "
        "finds the folder in ${hone.folder})");
  return path;
}

// On the machine of the user who submits a sweep, and perhaps on workers.
std::string read_absolute_path(const Spot& spot) {
  auto path = Line{1, 4096}(spot);
  if (!path.starts_with('/'))
    spot.refuse_rule("is an absolute path (hone submit completes a relative one)");
  return path;
}

std::string read_pattern(const Spot& spot) {
  const auto pattern = Text{}(spot);
  if (auto made = LinePattern::make(pattern); !made) spot.refuse_rule(made.error().detail);
  return pattern;
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

void check_column(Fault& fault, const Place& place, const std::string& name,
                  const std::vector<std::string>& known, std::string_view advice = "") {
  if (known.empty() || name.empty() || std::ranges::find(known, name) != known.end()) return;
  const std::vector<std::string_view> views(known.begin(), known.end());
  fault.note_rule(place, "there is no column " + in_quotes(name) + did_you_mean(name, views) +
                             std::string(advice));
}

}  // namespace

std::int64_t read_size(const Spot& spot) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> units{
      {{"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}}};
  const auto* words = spot.json.get_ptr<const std::string*>();
  for (const auto& [unit, bytes] : units) {
    if (words == nullptr || !words->ends_with(unit)) continue;
    const std::string digits = words->substr(0, words->size() - unit.size());
    if (is_digits(digits) && digits.size() < 7 && std::stoll(digits) * bytes >= size_min)
      return std::stoll(digits) * bytes;
  }
  if (spot.json.is_number_integer() && spot.json >= size_min)
    return Integer{size_min, exact_max}(spot);
  spot.refuse("must be a size of at least 64KiB such as \"500MiB\" or \"4GiB\", not " +
              described(spot.json));
  return 0;
}

// step: NAME, {sum: NAME} or {restarts: NAME}; nothing where the rows are counted.
struct Step {
  std::string column, sum, restarts;
  friend bool operator==(const Step&, const Step&) = default;
};
void fields(auto& f, Of<Step> auto& s) {
  f.some("sum", s.sum, column_name).some("restarts", s.restarts, column_name);
}
template <>
Step read(const Spot& spot) {
  if (!spot.json.is_object()) return {column_name(spot), {}, {}};
  const Step step = read_object(spot, Step{});
  if (step.sum.empty() == step.restarts.empty())
    spot.refuse_rule("must be the name of a column, {sum: NAME} or {restarts: NAME}");
  return step;
}
template <>
Json write(const Step& step) {
  return step.column.empty() ? write_object(step) : Json(step.column);
}

template <class F>
void fields(F& f, Of<CollectSpec> auto& c) {
  const bool lines = !reads<F> && c.file.empty();
  bool from_output = lines && c.stream != CollectStream::errors;
  bool from_errors = lines && c.stream != CollectStream::output;
  Step step;
  (c.step_sum ? step.sum : c.step_restarts ? step.restarts : step.column) = c.step;
  f.some("file", c.file, read_inner_path).some("stdout", from_output).some("stderr", from_errors);
  f.maybe("format", c.format);
  f.some("pattern", c.patterns, OneOrMore{read_pattern, patterns_max});
  f.some("columns", c.columns, ListOf{column_name, columns_max});
  f.some("objective", c.objectives, OneOrMore{column_name, objectives_max}).some("step", step);
  f.some("metrics", c.metrics, ListOf{name_rule, columns_max});  // metrics are called so
  f.maybe("window", c.window, Integer{0, window_max}).maybe("value", c.summary).some("nan", c.nan);
  if constexpr (reads<F>) {
    if (from_errors) c.stream = from_output ? CollectStream::both : CollectStream::errors;
    c.step = step.column + step.sum + step.restarts;
    c.step_sum = !step.sum.empty();
    c.step_restarts = !step.restarts.empty();
  }
}

// Event files name the step of each scalar themselves.
void check_events(Reader& reader, const CollectSpec& collect) {
  if (collect.file.empty())
    reader.refuse("stdout",
                  "is not for format: tensorboard: say file: FOLDER, in the run's folder");
  if (!collect.step.empty() && !collect.step_restarts)
    reader.refuse("step",
                  "is not for format: tensorboard, whose events have their step; where it begins "
                  "again with each attempt, write {restarts: step}");
}

void check(Reader& reader, const CollectSpec& collect) {
  bool from_output = false, from_errors = false;
  reader.some("stdout", from_output).some("stderr", from_errors);
  if ((from_output || from_errors) != collect.file.empty())
    reader.refuse(
        "file",
        "say either file: NAME, in the run's own folder, or stdout: true, stderr: true, or "
        "both of these");
  if (collect.format == CollectFormat::tensorboard) check_events(reader, collect);
  const bool regex = collect.format == CollectFormat::regex;
  if (regex == collect.patterns.empty())
    reader.refuse("pattern", regex ? "is missing: a regular expression whose named groups are the "
                                     "columns, as in 'score: (?<score>[-0-9.]+)'"
                                   : "is for format: regex");
  if (!collect.columns.empty() && collect.format != CollectFormat::csv)
    reader.refuse("columns", "is for format: csv");
  const auto check = [&, known = known_columns(collect)](const char* key, const std::string& name) {
    check_column(reader.spot.fault, Place(reader.spot.place, key), name, known);
  };
  for (const auto& name : collect.objectives) check("objective", name);
  for (const auto& name : collect.metrics) check("metrics", name);
  check("step", collect.step);
}

void fields(auto& f, Of<SubmitterPlace> auto& p) {
  f.some("folder", p.folder, read_absolute_path).some("python", p.python, read_absolute_path);
}

// snapshot, or {sha256: ..., bytes: ...}
void fields(auto& f, Of<CodeSnapshot> auto& c) {
  f("sha256", c.sha256, Digest{})("bytes", c.bytes, Integer{1, exact_max});
}
template <>
CodeSnapshot read(const Spot& spot) {
  if (!spot.json.is_string()) return read_object<CodeSnapshot>(spot);
  if (spot.json != "snapshot")
    spot.refuse_rule("must be snapshot, or {sha256, bytes} of one, not " + described(spot.json));
  return {};
}
template <>
Json write(const CodeSnapshot& code) {
  return code.sha256.empty() ? Json("snapshot") : write_object(code);
}

void fields(auto& f, Of<CommandTrainer> auto& t) {
  f("run", t.argv, read_command_words).maybe("params", t.params).some("env", t.env, Environment{});
  f.maybe("folder", t.folder).some("prepare", t.prepare, read_command_words);
  f.some("collect", t.collect)
      .some("artifacts", t.artifacts, OneOrMore{read_inner_path, patterns_max});
  f.some("disk", t.disk, read_size).some("may_change", t.may_change, ListOf{name_rule, 1000});
  f.some("cwd", t.cwd, read_absolute_path).some("python", t.python, read_absolute_path);
  f.some("submitter", t.submitter).some("code", t.code).some("short_seeds", t.short_seeds);
}

// The client that takes a snapshot takes it of `cwd`.
void check(Reader& reader, const CommandTrainer& trainer) {
  if (trainer.code && !trainer.code->sha256.empty() && !trainer.cwd.empty())
    reader.refuse_rule("cwd", "excludes a snapshot, in whose folder the program runs");
}

template <>
CommandTrainer read(const Spot& spot) {
  if (spot.json.is_object()) return read_object<CommandTrainer>(spot);
  return CommandTrainer{read_command_words(spot)};
}

template <>
Json write(const CommandTrainer& trainer) {
  return trainer == CommandTrainer{trainer.argv} ? Json(trainer.argv) : write_object(trainer);
}

namespace {

// Names that no trial can fill in.
class NameCheck {
 public:
  NameCheck(const Space& space, Fault& fault, std::span<const std::string_view> own = own_names())
      : fault_(fault) {
    for (const Parameter& parameter : space) known_.push_back(parameter.name);
    known_.insert(known_.end(), own.begin(), own.end());
  }

  void word(const std::string& word, const Place& place) {
    const auto pieces = pieces_of(word);
    if (!pieces) return fault_.note_rule(place, pieces.error().detail);
    for (const WordPiece& piece : *pieces) {
      if (!piece.is_name || std::find(known_.begin(), known_.end(), piece.text) != known_.end())
        continue;
      fault_.note_rule(
          place, "${" + piece.text + "} names no parameter of this sweep" + meant(piece.text));
    }
  }

  // A line has one place, a list one for each word.
  void words(const std::vector<std::string>& words, const Json& json, const Place& place) {
    for (std::size_t i = 0; i < words.size(); ++i)
      word(words[i], json.is_array() ? Place(place, i) : place);
  }

 private:
  // ${seed} was meant as ${hone.seed}, unless a parameter has nearly that name.
  [[nodiscard]] std::string meant(const std::string& name) const {
    const std::string own = "hone." + name;
    const bool is_own = std::find(known_.begin(), known_.end(), own) != known_.end();
    return is_own ? " (did you mean '${" + own + "}'?)" : did_you_mean(name, known_);
  }

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

// Every name must be a parameter of the sweep.
void check_may_change(const Spot& spot, const CommandTrainer& trainer, const Space& space) {
  std::vector<std::string_view> known;
  for (const Parameter& parameter : space) known.push_back(parameter.name);
  for (const std::string& name : trainer.may_change)
    if (std::ranges::find(known, name) == known.end())
      spot.fault.note_rule(
          Place(spot.place, "may_change"),
          "the sweep has no parameter " + in_quotes(name) + did_you_mean(name, known));
}

}  // namespace

std::vector<std::string> read_command_words(const Spot& spot) {
  std::vector<std::string> words;
  if (spot.json.is_string()) {
    auto split = split_command(word_rule(spot));
    if (!split) spot.refuse_rule(split.error().detail);
    if (split) words = *std::move(split);
  } else {
    words = read_by<std::vector<std::string>>(spot, ListOf{word_rule});
  }
  if (spot.fault.clear() && (words.empty() || words.front().empty()))
    spot.refuse_rule(std::string(name_needed));
  return words;
}

void check_evaluate(const Spot& spot, const SweepSpec& spec) {
  NameCheck check(spec.parameters, spot.fault, evaluation_names());
  check.words(spec.evaluate, spot.json, spot.place);
  if (!names(spec.evaluate, "hone.model"))
    spot.refuse_rule("must name the file of the model: ${hone.model}");
}

void settle_command(const Spot& spot, const SweepSpec& spec, CommandTrainer& trainer) {
  check_names(spot, trainer, spec.parameters);
  check_may_change(spot, trainer, spec.parameters);
  if (!trainer.collect) return;
  auto& columns = trainer.collect->objectives;
  if (columns.empty()) {
    columns.push_back(spec.objective.metric);
    for (const Objective& one : spec.further_objectives) columns.push_back(one.metric);
  }
  const Place collect(spot.place, "collect");
  const Place place(collect, "objective");
  if (columns.size() != 1 + spec.further_objectives.size())
    return spot.fault.note_rule(place,
                                "must name a column for each objective of the sweep, in order");
  const auto known = known_columns(*trainer.collect);
  for (const auto& name : columns)
    check_column(spot.fault, place, name, known,
                 ": say which one the objective is in, as in objective: NAME");
}

}  // namespace hone::codec
