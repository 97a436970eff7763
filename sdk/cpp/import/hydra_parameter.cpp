#include "sdk/cpp/import/hydra_parameter.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sdk/cpp/import/source.hpp"
#include "sdk/cpp/import/term.hpp"

namespace hone {
namespace {

using Sweeper = HydraSweeper;

// Most values of a choice (schemas/codec/space_codec.cpp); a longer range has a step.
constexpr double values_max = 1000;

void note(Translated& to, const std::string& remark) {
  to.remark += (to.remark.empty() ? "" : "; ") + remark;
}

std::optional<double> number_of(const Term* term) {
  return term == nullptr || !term->value.is_number() ? std::nullopt
                                                     : std::optional(term->value.get<double>());
}

bool is_int(const Term* term) { return term == nullptr || term->value.is_number_integer(); }

std::optional<Json> literals(const std::vector<Term>& terms) {
  Json list = Json::array();
  for (const Term& term : terms) {
    if (!term.call.empty()) return std::nullopt;
    list.push_back(term.value);
  }
  return list;
}

std::vector<Term> positional(const Term& call) {
  std::vector<Term> terms;
  for (const auto& [name, term] : call.arguments)
    if (name.empty()) terms.push_back(term);
  return terms;
}

std::optional<Translated> range(const Term& call, Sweeper sweeper, bool log) {
  const bool single = call.arguments.size() == 1;
  const Term* first = call.argument("start", 0);
  const Term* stop = single ? call.argument("stop", 0) : call.argument("stop", 1);
  const Term* by = single ? nullptr : call.argument("step", 2);
  const auto from = single ? std::optional(0.0) : number_of(first);
  const auto to = number_of(stop);
  const double step = number_of(by).value_or(1);
  if (!from || !to || step == 0) return std::nullopt;
  const bool whole = (single || is_int(first)) && is_int(stop) && is_int(by);
  if (sweeper == Sweeper::optuna) return interval({*from, *to, false, whole, std::abs(step)});
  const double count = std::ceil((*to - *from) / step - 1e-9);
  if (!(count >= 1)) return std::nullopt;
  const double last = tidy(*from + step * (count - 1));
  if (log && whole && step == 1 && *from > 0) return interval({*from, last, true, true, {}});
  if (count > values_max)
    return interval({std::min(*from, last), std::max(*from, last), false, whole, std::abs(step)});
  Json values = Json::array();
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double value = tidy(*from + step * i);
    values.push_back(whole && std::abs(value) < 9e15 ? Json(static_cast<std::int64_t>(value))
                                                     : Json(value));
  }
  return choice(values);
}

// Hydra's intervals are of floats, also interval(0, 1), unless they are cast by int().
std::optional<Translated> between(const Term& call, bool log, bool whole) {
  const auto low = number_of(call.argument("start", 0)), high = number_of(call.argument("end", 1));
  if (!low || !high) return std::nullopt;
  const auto cut = [&](double bound) { return whole ? std::trunc(bound) : bound; };
  return interval({cut(*low), cut(*high), log, whole, {}});
}

std::optional<Translated> sweep_of(const Term& call, Sweeper sweeper, bool log, bool whole);

// tag(log, interval(1e-5, 1)): all arguments but the last are tags.
std::optional<Translated> tagged(const Term& call, Sweeper sweeper, bool whole) {
  if (call.arguments.empty()) return std::nullopt;
  bool log = false, ordered = false;
  std::string others;
  for (std::size_t i = 0; i + 1 < call.arguments.size(); ++i) {
    const std::string tag = text_in(&call.arguments[i].second.value);
    log = log || tag == "log";
    ordered = ordered || tag == "ordered";
    if (tag != "log" && tag != "ordered") others += (others.empty() ? "" : ", ") + tag;
  }
  auto result = sweep_of(call.arguments.back().second, sweeper, log, whole);
  if (result && ordered && result->domain.contains("values")) result->domain["ordered"] = true;
  if (result && !others.empty()) note(*result, "had the tags " + others);
  return result;
}

Json cast_to(const std::string& type, const Json& value) {
  if (type == "str") return text_in(&value);
  if (!value.is_number()) return value;
  const double number = value.get<double>();
  if (type == "float") return number;
  return std::abs(number) < 9e15 ? Json(static_cast<std::int64_t>(number)) : value;
}

// A cast of every value: int(...), float(...), str(...).
std::optional<Translated> cast(const Term& call, Sweeper sweeper, bool log) {
  if (call.arguments.size() != 1) return std::nullopt;
  const Term& inner = call.arguments.front().second;
  auto result = sweep_of(inner, sweeper, log, call.call == "int");
  if (!result) return result;
  if (call.call == "float" && result->domain.value("type", "") == "int") {
    result->domain["type"] = "float";
    if (inner.call == "range" && !result->domain.contains("step")) result->domain["step"] = 1;
    result->remark.clear();
  }
  if (result->domain.contains("values"))
    for (Json& value : result->domain["values"]) value = cast_to(call.call, value);
  return result;
}

std::optional<Translated> sweep_of(const Term& call, Sweeper sweeper, bool log, bool whole) {
  if (call.call.empty()) return fixed(call.value);
  if (call.call == "interval") return between(call, log, whole);
  if (call.call == "range") return range(call, sweeper, log);
  if (call.call == "tag") return tagged(call, sweeper, whole);
  if (call.call == "int" || call.call == "float" || call.call == "str")
    return cast(call, sweeper, log);
  if (call.call != "choice" && call.call != "sort" && call.call != "shuffle") return std::nullopt;
  const std::vector<Term> terms = positional(call);
  if (call.call != "choice" && terms.size() == 1 && !terms[0].call.empty())
    return sweep_of(terms[0], sweeper, log, whole);
  const auto values = literals(terms);
  return !values || values->empty() ? std::nullopt : std::optional(choice(*values));
}

std::optional<Translated> overridden(const std::string& text, Sweeper sweeper) {
  const auto terms = parse_terms(text);
  if (!terms || text.find("${") != std::string::npos) return std::nullopt;
  if (terms->size() == 1) return sweep_of(terms->front(), sweeper, false, false);
  const auto values = literals(*terms);
  return values ? std::optional(choice(*values)) : std::nullopt;
}

// Reads Nevergrad's {init, step, lower, upper, log, integer}. Without bounds, it steps by a
// normal distribution.
std::optional<Translated> scalar(Source& from) {
  const auto low = from.number("lower"), high = from.number("upper");
  const auto center = from.number("init"), step = from.number("step");
  const Json* log_given = from.take("log");
  const bool log = log_given != nullptr && *log_given == true;
  const Json* whole_given = from.take("integer");
  const bool whole = whole_given != nullptr && *whole_given == true;
  if (low && high) {
    Translated result = interval({*low, *high, log, whole, {}});
    if (center && *center >= *low && *center <= *high && result.domain.contains("min"))
      result.domain["prior"] = tidy(*center);
    if (step) note(result, "Nevergrad's step of " + to_text(Json(*step)) + " is left out");
    return result;
  }
  if (!center || (log && *center <= 0)) return std::nullopt;
  const double sigma = step.value_or(log ? 2 : 1);
  if (log && !(sigma > 1)) return std::nullopt;
  return bell(log ? std::log(*center) : *center, log ? std::log(sigma) : sigma, log, {});
}

// Reads a parameter of Ax, or of the Optuna sweeper before Hydra 1.2.
std::optional<Translated> typed(const std::string& type, Source& from) {
  if (type == "fixed") {
    const Json* value = from.take("value");
    return value == nullptr ? std::nullopt : std::optional(fixed(*value));
  }
  if (type == "choice" || type == "categorical") {
    const Json* values = from.take(type == "choice" ? "values" : "choices");
    if (values == nullptr || !values->is_array() || values->empty()) return std::nullopt;
    from.lose("is_ordered", "ascending numbers count as ordered");
    return choice(*values);
  }
  auto low = from.number("low"), high = from.number("high");
  bool whole = type == "int";
  const Json* bounds = from.take("bounds");
  if (bounds != nullptr && bounds->is_array() && bounds->size() == 2) {
    low = number_in(&(*bounds)[0]), high = number_in(&(*bounds)[1]);
    const std::string value = from.text("value_type");
    whole = value == "int" ||
            (value.empty() && (*bounds)[0].is_number_integer() && (*bounds)[1].is_number_integer());
  }
  if (!low || !high || (type != "range" && type != "int" && type != "float")) return std::nullopt;
  const Json* log = from.take(type == "range" ? "log_scale" : "log");
  return interval({*low, *high, log != nullptr && *log == true, whole, from.number("step")});
}

}  // namespace

std::optional<Translated> hydra_parameter(const Json& entry, const std::string& at,
                                          HydraSweeper sweeper, std::vector<Untranslated>& lost) {
  if (entry.is_string()) return overridden(entry.get<std::string>(), sweeper);
  if (entry.is_array()) return entry.empty() ? std::nullopt : std::optional(choice(entry));
  if (!entry.is_object()) return fixed(entry);
  Source from(entry, at, lost);
  const std::string type = from.text("type");
  return type.empty() ? scalar(from) : typed(type, from);
}

}  // namespace hone
