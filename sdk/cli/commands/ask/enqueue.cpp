// enqueue: parameter sets of the user's own, tried before the sampler is asked.
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string sweep;
  std::vector<std::string> params;
  std::string file;
};

std::optional<double> number_in(const std::string& word) {
  double value = 0;
  const auto [stop, trouble] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (trouble != std::errc{} || stop != word.data() + word.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// 1e6 is a way to write an integer.
std::optional<std::int64_t> integer_in(const std::string& word) {
  constexpr double exact_max = 9007199254740992;  // 2^53
  const auto value = number_in(word);
  if (!value || std::abs(*value) > exact_max || std::floor(*value) != *value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Json> choice_in(const Json& values, const std::string& word) {
  const auto number = number_in(word);
  for (const Json& value : values) {
    if (value.is_string() ? value.get<std::string>() == word : to_text(value) == word) return value;
    if (value.is_number() && number && value.get<double>() == *number) return value;
  }
  return std::nullopt;
}

Error no_value(const std::string& name, const std::string& word, const std::string& wanted) {
  return refuse(Code::invalid,
                "--params " + name + "=" + word + ": '" + word + "' is no " + wanted);
}

// A word as the parameter's type wants it. What the sweep does not know is left to the server,
// which says so.
Result<Json> typed(const std::string& name, const std::string& word, const Json& parameter) {
  const std::string type = text_at(parameter, "/type");
  if (type == "float") {
    if (const auto value = number_in(word)) return Json(*value);
    return no_value(name, word, "number");
  }
  if (type == "int") {
    if (const auto value = integer_in(word)) return Json(*value);
    return no_value(name, word, "whole number");
  }
  if (type == "bool") {
    if (word == "true" || word == "false") return Json(word == "true");
    return no_value(name, word, "bool: say true or false");
  }
  if (type == "choice") {
    const Json& values = member(parameter, "/values");
    if (auto value = choice_in(values, word)) return *std::move(value);
    std::string all;
    for (const Json& value : values) all += (all.empty() ? "" : ", ") + value_text(value);
    return no_value(name, word, "value of it; they are " + all);
  }
  return Json(word);
}

Result<Json> set_from_words(const std::vector<std::string>& words, const Json& parameters) {
  Json set = Json::object();
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "--params: '" + word + "' is no NAME=VALUE");
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

Result<std::string> content_of(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(file, std::ios::binary);
  if (!in) return refuse(Code::invalid, "cannot read " + file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// One object, an array of them, or one a line.
Result<std::vector<Json>> sets_in(const std::string& file) {
  const auto content = content_of(file);
  if (!content) return content.error();
  std::vector<Json> sets;
  if (const auto document = parse_json(*content)) {
    if (!document->is_array()) return std::vector<Json>{*document};
    sets.assign(document->begin(), document->end());
    return sets;
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
                        ": neither one JSON document nor one a line: " + set.error().detail);
    sets.push_back(*std::move(set));
  }
  return sets;
}

Result<std::vector<Json>> wanted_sets(Session& session, const Wish& wish, SweepId sweep) {
  if (wish.params.empty() == wish.file.empty())
    return refuse(Code::invalid, "say the parameters: either --params NAME=VALUE,... or --file");
  if (!wish.file.empty()) return sets_in(wish.file);
  const auto row = session.get("/v1/sweeps/" + text(sweep));
  if (!row) return row.error();
  auto set = set_from_words(wish.params, member(*row, "/spec/parameters"));
  if (!set) return set.error();
  return std::vector<Json>{*std::move(set)};
}

// Which of several sets a refusal is about, and how many are in already.
Error placed(const Error& error, std::size_t index, std::size_t all) {
  if (all == 1) return error;
  return refuse(error.code,
                "parameter set " + std::to_string(index + 1) + " of " + std::to_string(all) + ": " +
                    error.detail + "; " + std::to_string(index) + " before it are enqueued",
                error.at);
}

Result<Exit> enqueue(Session& session, const Wish& wish) {
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  const auto sets = wanted_sets(session, wish, *sweep);
  if (!sets) return sets.error();
  auto client = session.client();
  if (!client) return client.error();
  EnqueueReply reply;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    auto params = decode_params((*sets)[i], "/params");
    if (!params) return placed(params.error(), i, sets->size());
    const auto answer = (*client)->enqueue(*sweep, {new_request_id(), *std::move(params)});
    if (!answer) return placed(answer.error(), i, sets->size());
    reply = *answer;
  }
  Json done = Json::object();
  done["sweep"] = text(*sweep);
  done["enqueued"] = sets->size();
  done["waiting"] = reply.waiting;
  return print_object(session, done,
                      "enqueued " + std::to_string(sets->size()) + "; " +
                          std::to_string(reply.waiting) + " wait to be tried in " + text(*sweep) +
                          "\n");
}

}  // namespace

Work declare_enqueue(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("SWEEP", wish->sweep, "the sweep; default: the newest");
  flags.comma_separated("--params NAME=VALUE,...", wish->params,
                        "one parameter set; what is left out is drawn");
  flags.text("--file FILE", wish->file,
             "many: a JSON array of objects, or one object a line; - is stdin");
  return [wish](Session& session) { return enqueue(session, *wish); };
}

}  // namespace hone::cli
