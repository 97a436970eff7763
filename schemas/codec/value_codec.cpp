// Values, parameters, scores and verdicts.
#include <array>
#include <cmath>
#include <limits>

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {
namespace {

constexpr std::string_view score_rule =
    "a report's value is a finite number or the word \"diverged\"";
constexpr std::string_view diverged_word = "diverged";

// JSON has no infinities, but a cutoff that every value passes is one.
struct Infinite {
  std::string_view word;
  double value;
};
constexpr std::array infinities{Infinite{"inf", std::numeric_limits<double>::infinity()},
                                Infinite{"-inf", -std::numeric_limits<double>::infinity()},
                                Infinite{"nan", std::numeric_limits<double>::quiet_NaN()}};

Json encode_input(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

double read_input(const Spot& spot) {
  if (const auto* words = spot.json.get_ptr<const std::string*>())
    for (const auto& row : infinities)
      if (row.word == *words) return row.value;
  return Real{}(spot);
}

std::vector<VerdictInput> read_inputs(const Spot& spot) {
  std::vector<VerdictInput> inputs;
  Fields fields(spot);
  fields.rest([&](const std::string& name, const Spot& input) {
    inputs.push_back({name, read_input(input)});
  });
  return inputs;
}

}  // namespace

Value read_value(const Spot& spot) {
  const Json& json = spot.json;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return Integer{}(spot);
  if (json.is_number()) return Real{}(spot);
  spot.refuse("must be a single value (a number, a text, true or false), not " + described(json));
  return false;
}

Params read_params(const Spot& spot) {
  Params params;
  Fields fields(spot);
  fields.rest([&](const std::string& name, const Spot& value) {
    params.push_back({name, value.json.is_null() ? Value(false) : read_value(value)});
    if (value.json.is_null()) value.refuse("must be a single value, not null");
  });
  return params;
}

Score read_score(const Spot& spot) {
  const auto* words = spot.json.get_ptr<const std::string*>();
  if (words != nullptr && *words == diverged_word) return Score::diverged();
  const bool finite = spot.json.is_number() && std::isfinite(spot.json.get<double>());
  if (!finite) spot.refuse(std::string(score_rule));
  return finite ? Score::of(spot.json.get<double>()) : Score::diverged();
}

Verdict read_verdict_fields(Fields& fields) {
  Verdict verdict;
  verdict.action = fields.need("verdict", WordOf<Action>{});
  verdict.reason = fields.need("reason", WordOf<VerdictReason>{});
  verdict.inputs = fields.maybe("inputs", read_inputs, std::vector<VerdictInput>{});
  return verdict;
}

Verdict read_verdict(const Spot& spot) {
  Fields fields(spot);
  Verdict verdict = read_verdict_fields(fields);
  fields.done();
  return verdict;
}

}  // namespace codec

Json encode(const Value& value) {
  return std::visit([](const auto& one) { return Json(one); }, value);
}

Result<Value> decode_value(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_value, at);
}

Json encode(const Params& params) {
  Json json = Json::object();
  for (const auto& param : params) json[param.name] = encode(param.value);
  return json;
}

Result<Params> decode_params(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_params, at);
}

Json encode(Score score) {
  if (score.is_diverged()) return codec::diverged_word;
  return score.value();
}

Result<Score> decode_score(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_score, at);
}

Json encode(const Verdict& verdict) {
  Json inputs = Json::object();
  for (const auto& input : verdict.inputs) inputs[input.name] = codec::encode_input(input.value);
  Json json = Json::object();
  json["verdict"] = word(verdict.action);
  json["reason"] = word(verdict.reason);
  json["inputs"] = std::move(inputs);
  return json;
}

Result<Verdict> decode_verdict(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_verdict, at, codec::Fault::of_reply());
}

}  // namespace hone
