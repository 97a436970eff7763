// enqueue: the user's own parameter sets, tried before the sampler's.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/body.hpp"
#include "schemas/codec/wide_integer.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/same_json.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"
#include "server/search/space/search_space.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::cli {
namespace {

struct EnqueueOptions {
  std::string sweep;
  std::vector<std::string> params;  // each as words_in splits it
  std::string file;
  std::string from;
  int phase = 0;  // from 1; 0: the latest
};

// The value of a choice that a word names: the one that it is as JSON ("1" in quotes is a text), or
// else the text that it is as it stands.
std::optional<Json> choice_in(const Json& values, const std::string& word) {
  if (const auto document = parse_json(word))
    for (const Json& value : values)
      if (is_same(value, *document)) return value;
  for (const Json& value : values)
    if (value.is_string() && value.get<std::string>() == word) return value;
  return std::nullopt;
}

// A value of a choice as the word that names it.
std::string word_of(const Json& value) {
  if (!value.is_string() || value.get<std::string>().empty() ||
      parse_json(value.get<std::string>()))
    return to_text(value);
  return value_text(value);
}

Error no_value(const std::string& name, const std::string& word, const std::string& wanted) {
  return refuse(Code::invalid,
                "--params " + name + "=" + word + ": '" + word + "' is not " + wanted);
}

// Converts the word to a value of the parameter's kind. The server rejects unknown parameters, and
// decides which member of the domain a number means: 1e3 is an int, too.
Result<Json> typed(const std::string& name, const std::string& word, const Json& parameter) {
  const std::string type = text_at(parameter, "/type");
  if (type == "float" || type == "int") {
    if (const auto value = parse_number(word)) return Json(*value);
    return no_value(name, word, type == "int" ? "a whole number" : "a number");
  }
  if (type == "bool") {
    if (word == "true" || word == "false") return Json(word == "true");
    return no_value(name, word, "true or false");
  }
  if (type == "choice") {
    const Json& values = member(parameter, "/values");
    if (auto value = choice_in(values, word)) return *std::move(value);
    std::string all;
    for (const Json& value : values) all += (all.empty() ? "" : ", ") + word_of(value);
    return no_value(name, word, "one of its values: " + all);
  }
  return Json(word);
}

// Splits "a=1,b=[1, 2],c=\"x,y\"" at the commas outside of brackets and quotes.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' && depth <= 0 && !quoted) {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (quoted && c == '\\' && i + 1 < text.size()) words.back() += text[++i];
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '[' || c == '{') - (c == ']' || c == '}');
  }
  return words;
}

Result<Json> set_from_words(const std::vector<std::string>& words, const Json& parameters) {
  Json set = Json::object();
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "--params: '" + word + "' is not NAME=VALUE");
    const std::string name = word.substr(0, equals);
    if (set.contains(name)) return refuse(Code::invalid, "--params names '" + name + "' twice");
    static const Json unknown;
    const bool known = parameters.is_object() && parameters.contains(name);
    auto value = typed(name, word.substr(equals + 1), known ? parameters.at(name) : unknown);
    if (!value) return value.error();
    set[name] = *std::move(value);
  }
  return set;
}

Result<std::vector<Json>> some_of(std::vector<Json> sets, const std::string& file) {
  if (sets.empty()) return refuse(Code::invalid, file + " holds no parameter set");
  return sets;
}

// Reads one object, an array of objects, or one object a line.
Result<std::vector<Json>> sets_in(const std::string& file) {
  const auto content = read_file_or_stdin(file);
  if (!content) return content.error();
  if (const auto wide = wide_integer(*content))
    return refuse(Code::invalid, file + ": " + wide->detail);
  std::vector<Json> sets;
  if (const auto document = parse_json(*content)) {
    if (!document->is_array()) return std::vector<Json>{*document};
    sets.assign(document->begin(), document->end());
    return some_of(std::move(sets), file);
  }
  std::istringstream lines(*content);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto set = parse_json(line);
    if (!set)
      return refuse(Code::invalid,
                    file + ":" + std::to_string(number) +
                        ": neither one JSON document nor one on each line: " + set.error().detail);
    sets.push_back(*std::move(set));
  }
  return some_of(std::move(sets), file);
}

Result<std::vector<Json>> wanted_sets(Session& session, const EnqueueOptions& options,
                                      SweepId sweep) {
  const bool same = !options.from.empty() && options.params.empty() && options.file.empty();
  if (same) return std::vector<Json>{Json::object()};  // those of the run that it continues
  if (options.params.empty() == options.file.empty())
    return refuse(Code::invalid,
                  "no parameters given; pass either --params NAME=VALUE,... or --file FILE");
  if (!options.file.empty()) return sets_in(options.file);
  const auto row = session.get("/v1/sweeps/" + text(sweep));
  if (!row) return row.error();
  std::vector<std::string> words;
  for (const std::string& given : options.params)
    std::ranges::copy(words_in(given), std::back_inserter(words));
  auto set = set_from_words(words, member(*row, "/spec/parameters"));
  if (!set) return set.error();
  return std::vector<Json>{*std::move(set)};
}

Result<std::optional<ForkRequest>> wanted_fork(Session& session, const EnqueueOptions& options) {
  if (options.from.empty() && options.phase > 0)
    return refuse(Code::invalid, "--phase needs --from RUN");
  if (options.from.empty()) return std::optional<ForkRequest>();
  const auto run = resolve_run(session, options.from);
  if (!run) return run.error();
  ForkRequest fork{*run};
  if (options.phase > 0) fork.phase = options.phase - 1;
  return std::optional(fork);
}

// Where in a file a set is, counted from 1.
struct SetPlace {
  std::size_t number = 0, all = 0;
};

// Names the set of the file that was rejected.
Error in_set(const Error& error, const std::string& file, SetPlace place,
             const std::string& enqueued = "nothing is enqueued") {
  if (file.empty()) return error;
  if (place.all == 1) return refuse(error.code, file + ": " + error.detail, error.at);
  return refuse(error.code,
                file + ": parameter set " + std::to_string(place.number) + " of " +
                    std::to_string(place.all) + ": " + error.detail + "; " + enqueued,
                error.at);
}

using Sets = std::vector<Params>;

// Reads all sets, and checks each as the server does before it accepts one: a file is enqueued as a
// whole or not at all. Of a fork the other values are those of its run, so the server alone checks
// it.
Result<Sets> checked_sets(Session& session, const EnqueueOptions& options, SweepId sweep,
                          const std::vector<Json>& documents) {
  Sets sets;
  const auto in_this = [&](const Error& error) {
    return in_set(error, options.file, SetPlace{sets.size() + 1, documents.size()});
  };
  std::optional<SweepSpec> spec;
  std::optional<SearchSpace> space;
  if (documents.size() > 1 && options.from.empty())
    if (const auto row = session.get("/v1/sweeps/" + text(sweep)))
      if (auto read = decode_recorded<SweepSpec>(member(*row, "/spec"))) spec = *std::move(read);
  if (spec)
    if (auto made = SearchSpace::make(spec->parameters, spec->constraints, WitnessSearch::brief))
      space = *std::move(made);
  for (const Json& document : documents) {
    auto params = decode_params(document, "/params");
    if (!params) return in_this(params.error());
    if (space)
      if (auto fits = check_set(*space, *params, spec->seed); !fits) return in_this(fits.error());
    sets.push_back(*std::move(params));
  }
  return sets;
}

Result<Exit> enqueue(Session& session, const EnqueueOptions& options) {
  // A fork stays in the sweep of its run.
  const auto sweep = resolve_sweep(session, options.sweep.empty() ? options.from : options.sweep);
  if (!sweep) return sweep.error();
  const auto documents = wanted_sets(session, options, *sweep);
  if (!documents) return documents.error();
  const auto sets = checked_sets(session, options, *sweep, *documents);
  if (!sets) return sets.error();
  const auto fork = wanted_fork(session, options);
  if (!fork) return fork.error();
  auto client = session.client();
  if (!client) return client.error();
  EnqueueReply reply;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    const auto answer =
        (*client)->enqueue(*sweep, {new_request_id(), (*sets)[i], std::nullopt, *fork});
    if (!answer)
      return in_set(answer.error(), options.file, {i + 1, sets->size()},
                    i == 0 ? "nothing is enqueued"
                           : "the " + std::to_string(i) + " before it are enqueued: " +
                                 "leave them out when you enqueue the file again");
    reply = *answer;
  }
  Json done = Json::object();
  done["sweep"] = text(*sweep);
  done["enqueued"] = sets->size();
  done["waiting"] = reply.waiting;
  return print_object(session, done,
                      "enqueued " + std::to_string(sets->size()) + "; " +
                          std::to_string(reply.waiting) + " waiting in " + text(*sweep) + "\n");
}

}  // namespace

CommandAction declare_enqueue(Flags& flags) {
  return with_options(enqueue, [&](EnqueueOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "id of the sweep (the newest)");
    flags.texts("--params NAME=VALUE,...", options.params,
                "one parameter set; hone draws the parameters left out");
    flags.text("--file FILE", options.file,
               "many sets: a JSON array of objects, or one object a line; - is stdin");
    flags.text("--from RUN", options.from,
               "continue this run's checkpoint; parameters left out stay as they were");
    flags.integer("--phase N", options.phase, {1, 10'000},
                  "the last phase to take over from it, counted from 1 (the latest)");
  });
}

}  // namespace hone::cli
