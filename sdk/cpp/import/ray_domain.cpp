#include "sdk/cpp/import/ray_domain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sdk/cpp/import/source.hpp"
#include "sdk/cpp/import/term.hpp"

namespace hone {
namespace {

constexpr std::array<std::string_view, 16> functions{
    "choice",  "grid_search", "uniform",    "quniform",    "loguniform", "qloguniform",
    "randint", "qrandint",    "lograndint", "qlograndint", "randn",      "qrandn",
    "normal",  "qnormal",     "int",        "float"};

// "loguniform" of "ray.tune.loguniform"; empty if it is no function of Tune.
std::string function_of(std::string_view name) {
  for (const std::string_view prefix : {"ray.tune.", "tune.", "@"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name == "sample_from" || name == "function") return "code";
  const auto* const found = std::find(functions.begin(), functions.end(), name);
  return found == functions.end() ? "" : std::string(name);
}

struct Arguments {
  std::optional<double> first{}, second{}, q{};
  Json values{};
};

Json tidy_number(double value) {
  return std::floor(value) == value && std::abs(value) < 9e15
             ? Json(static_cast<std::int64_t>(value))
             : Json(value);
}

RayDomain sampled(Translated translated) {
  return {RayDomain::Kind::sampled, std::move(translated)};
}

std::optional<RayDomain> listed(const std::string& function, const Json& values) {
  if (!values.is_array() || values.empty()) return std::nullopt;
  RayDomain domain{RayDomain::Kind::sampled, choice(values)};
  if (function == "grid_search") domain.kind = RayDomain::Kind::grid;
  domain.size = domain.translated.domain.contains("values")
                    ? static_cast<double>(domain.translated.domain["values"].size())
                    : 1;
  return domain;
}

// Multiples of q; ints too where there is none between the bounds.
Translated quantized_ints(double low, double high, bool log, double q) {
  if (!(q >= 1) || std::floor(q) != q) return interval({low, high, log, true, {}});
  Translated result = multiples(low, high, q, log, true);
  if (result.domain.value("type", "") == "float")
    result.domain = interval({low, high, log, true, {}}).domain;
  return result;
}

std::optional<RayDomain> numbers(const std::string& function, const Arguments& given) {
  const bool quantized = function.starts_with("q");
  const bool log = function.find("log") != std::string::npos;
  if (function.find("norm") != std::string::npos || function.ends_with("randn"))
    return sampled(bell(given.first.value_or(0), given.second.value_or(1), false,
                        quantized ? given.q : std::nullopt));
  if (!given.first || !given.second) return std::nullopt;
  const double low = *given.first, high = *given.second;
  if (function.ends_with("randint")) {
    if (quantized) return sampled(quantized_ints(low, high, log, given.q.value_or(1)));
    Translated result = interval({low, high - 1, log, true, {}});
    result.remark = "Ray left out the upper bound, " + to_text(tidy_number(high));
    return sampled(std::move(result));
  }
  if (quantized) return sampled(multiples(low, high, given.q.value_or(1), log));
  return sampled(interval({low, high, log, function == "int", {}}));
}

std::optional<RayDomain> domain_of(const std::string& function, const Arguments& given) {
  if (function == "code") return RayDomain{RayDomain::Kind::code, {}};
  if (function == "choice" || function == "grid_search") return listed(function, given.values);
  return numbers(function, given);
}

std::optional<double> number_at(const Term& call, std::size_t place,
                                std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const Term* term = call.argument(name, place)) return number_in(&term->value);
  return std::nullopt;
}

// "tune.quniform(0, 1, 0.1)"
std::optional<RayDomain> from_call(const Term& call, const std::string& function) {
  Arguments given;
  given.first = number_at(call, 0, {"lower", "mean"});
  given.second = number_at(call, 1, {"upper", "sd"});
  given.q = number_at(call, 2, {"q"});
  if (function == "randint" && call.arguments.size() == 1) given = {0.0, given.first, {}, {}};
  for (const std::string_view name : {"categories", "values"})
    if (const Term* term = call.argument(name, 0)) given.values = term->value;
  return domain_of(function, given);
}

// {tune.quniform: [0, 1, 0.1]}, {choice: [a, b]}
std::optional<RayDomain> from_member(const std::string& function, const Json& value) {
  Arguments given;
  given.values = value;
  if (value.is_array()) {
    if (!value.empty()) given.first = number_in(&value[0]);
    if (value.size() > 1) given.second = number_in(&value[1]);
    if (value.size() > 2) given.q = number_in(&value[2]);
  }
  return domain_of(function, given);
}

std::optional<double> first_number(Source& from, std::initializer_list<const char*> keys) {
  std::optional<double> found;
  for (const char* key : keys)
    if (const auto number = from.number(key); number && !found) found = number;
  return found;
}

// {space: loguniform, lower: 1e-5, upper: 0.1}
std::optional<RayDomain> from_fields(const std::string& function, Source& from) {
  Arguments given;
  given.first = first_number(from, {"lower", "low", "min", "mean"});
  given.second = first_number(from, {"upper", "high", "max", "sd"});
  given.q = first_number(from, {"q", "step"});
  for (const char* key : {"categories", "values", "choices"})
    if (const Json* values = from.take(key)) given.values = *values;
  from.skip("base");
  return domain_of(function, given);
}

constexpr std::array kind_keys{"space", "distribution", "type", "sampler"};

// The function that an object names by one of its keys.
std::string named_function(const Json& entry) {
  for (const char* key : kind_keys)
    if (const Json* name = member_of(entry, key); name != nullptr && name->is_string())
      if (const std::string function = function_of(name->get<std::string>()); !function.empty())
        return function;
  return {};
}

Result<RayDomain> found(std::optional<RayDomain> domain, const std::string& function) {
  if (domain) return *std::move(domain);
  return refuse(Code::invalid, "hone cannot read the arguments of " + function);
}

Result<RayDomain> from_text(const Json& entry) {
  const auto terms = parse_terms(entry.get<std::string>());
  if (entry.get_ref<const std::string&>().size() > term_text_max) return terms.error();
  const RayDomain constant{RayDomain::Kind::constant, fixed(entry)};
  if (!terms || terms->size() != 1 || terms->front().call.empty()) return constant;
  const std::string function = function_of(terms->front().call);
  if (function.empty()) return constant;
  return found(from_call(terms->front(), function), function);
}

}  // namespace

Result<RayDomain> ray_domain(const Json& entry, const std::string& at,
                             std::vector<Untranslated>& lost) {
  if (entry.is_string()) return from_text(entry);
  if (!entry.is_object() || entry.empty())
    return RayDomain{RayDomain::Kind::constant, fixed(entry)};
  if (entry.size() == 1) {
    const std::string function = function_of(entry.begin().key());
    if (!function.empty()) return found(from_member(function, entry.front()), function);
  }
  const std::string function = named_function(entry);
  if (function.empty()) return RayDomain{RayDomain::Kind::nested, {}};
  Source from(entry, at, lost);
  for (const char* key : kind_keys)
    if (const Json* name = member_of(entry, key); name != nullptr && name->is_string())
      if (!function_of(name->get<std::string>()).empty()) from.skip(key);
  return found(from_fields(function, from), function);
}

}  // namespace hone
