#include "sdk/cpp/import/draft.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/ascii.hpp"
#include "schemas/types/passing.hpp"
#include "schemas/values/number.hpp"

namespace hone {
namespace {

constexpr double trials_max = 1'000'000;
constexpr std::size_t parameters_max = 1000;  // as in schemas/codec/space_codec.cpp
constexpr double exact = 9007199254740991;    // 2^53 - 1

bool is_whole(double value) { return std::floor(value) == value && std::abs(value) <= exact; }

Json number(double value, bool whole) {
  if (whole && is_whole(value)) return static_cast<std::int64_t>(value);
  return tidy(value);
}

bool ascending(const Json& values) {
  if (values.size() < 3) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].is_number()) return false;
    if (i > 0 && !(values[i - 1].get<double>() < values[i].get<double>())) return false;
  }
  return true;
}

void join(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  text += more;
}

std::string hone_name(const std::string& name) {
  constexpr std::size_t length_max = 60;
  std::string result;
  for (const char c : name.substr(0, length_max)) {
    const bool letter = is_letter(c) || c == '_';
    const bool inner = is_digit(c) || c == '.' || c == '-';
    if (result.empty() && !letter) result += '_';
    result += letter || inner ? c : '_';
  }
  return result.empty() ? "_" : result;
}

// Equal for equal values: 1 and 1.0 are the same number.
std::string identity(const Json& value) {
  if (value.is_object()) return nlohmann::json(value).dump();  // in any order of its keys
  if (!value.is_number_float() || !is_whole(value.get<double>())) return to_text(value);
  return to_text(Json(static_cast<std::int64_t>(value.get<double>())));
}

}  // namespace

double tidy(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return read_number(text).value_or(value);
}

Translated interval(const Interval& in) {
  Translated result{Json::object(), {}};
  const double low = std::min(in.low, in.high), high = std::max(in.low, in.high);
  if (low != in.low) result.remark = "the bounds stood the wrong way round";
  if (low == high) return {fixed(number(low, in.whole)).domain, "both bounds are the same"};
  const bool log = in.log && low > 0;
  if (in.log && !log) join(result.remark, "no log scale: the lower bound is not above 0");
  result.domain["type"] = in.whole ? "int" : "float";
  result.domain["min"] = number(low, in.whole);
  result.domain["max"] = number(high, in.whole);
  if (log) result.domain["scale"] = "log";
  if (!in.step || *in.step <= 0 || (in.whole && *in.step == 1)) return result;
  if (*in.step > high - low) {
    join(result.remark, "no step: it was larger than the range");
    return result;
  }
  result.domain["step"] = number(*in.step, in.whole);
  return result;
}

Translated multiples(double low, double high, double q, bool log, bool clipped) {
  if (!(q > 0)) return interval({low, high, log, false, {}});
  // A margin, so that rounding errors of a bound that is a multiple do not cut it off.
  constexpr double margin = 1e-9;
  double first = (clipped ? std::ceil(low / q - margin) : std::round(low / q)) * q;
  const double last = (clipped ? std::floor(high / q + margin) : std::round(high / q)) * q;
  if (log && first <= 0) first = q;
  if (clipped && first > last)
    return {interval({low, high, log, false, {}}).domain,
            "no step: no multiple of it lies between the bounds"};
  Interval in{first, last, log, is_whole(q) && is_whole(first) && is_whole(last), q};
  Translated result = interval(in);
  if (first != low || last != high)
    join(result.remark, clipped ? "only multiples of the step, so the bounds are not all reached"
                                : "the bounds are rounded to multiples of the step");
  return result;
}

Translated bell(double mu, double sigma, bool log, std::optional<double> q) {
  constexpr double reach = 4;  // standard deviations: all but one in 16,000
  if (!(sigma > 0)) return {fixed(tidy(log ? std::exp(mu) : mu)).domain, "it had no spread"};
  double low = mu - reach * sigma, high = mu + reach * sigma;
  if (log) low = std::exp(low), high = std::exp(high);
  Translated result = q ? multiples(low, high, *q, log) : interval({low, high, log, false, {}});
  if (!result.domain.contains("min")) return result;
  const double center = std::clamp(log ? std::exp(mu) : mu, result.domain["min"].get<double>(),
                                   result.domain["max"].get<double>());
  result.domain["prior"] = Json::object();
  result.domain["prior"]["center"] = tidy(center);
  result.domain["prior"]["spread"] = 1 / (2 * reach);
  join(result.remark,
       "a normal distribution without bounds; here it ends four standard deviations from its "
       "center");
  return result;
}

Translated choice(const Json& values, const Json* weights) {
  Translated result{Json::object(), {}};
  Json list = Json::array(), kept = Json::array();
  std::set<std::string> seen;
  bool twice = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Json& value = values[i];
    if (!seen.insert(identity(value)).second) {
      twice = true;
      continue;
    }
    list.push_back(value);
    if (weights != nullptr && weights->is_array() && i < weights->size())
      kept.push_back((*weights)[i]);
  }
  if (twice) join(result.remark, "a value that stood twice is left out");
  result.domain["type"] = "choice";
  result.domain["values"] = list;
  if (ascending(list)) {
    result.domain["ordered"] = true;
    join(result.remark, "ascending numbers: taken as ordered, so that neighbours count as alike");
  }
  const bool positive = std::all_of(kept.begin(), kept.end(), [](const Json& one) {
    return one.is_number() && one.get<double>() > 0;
  });
  if (!kept.empty() && positive && kept.size() == list.size()) result.domain["weights"] = kept;
  if (!kept.empty() && !positive) join(result.remark, "probabilities of 0 are left out");
  return result;
}

Translated fixed(const Json& value) {
  Translated result{Json::object(), {}};
  result.domain["value"] = value;
  return result;
}

void Draft::remark(const std::string& pointer, const std::string& text) {
  if (!text.empty()) join(import_.remarks[pointer], text);
}

void Draft::set(const std::string& key, Json value, const std::string& text) {
  import_.sweep[key] = std::move(value);
  remark("/" + key, text);
}

void Draft::objective(const std::string& metric, bool maximize, const std::string& text) {
  Json json = Json::object();
  json["metric"] = metric;
  json["goal"] = maximize ? "maximize" : "minimize";
  set("objective", json, text);
}

void Draft::limit(const std::string& key, Json value) {
  if (!import_.sweep.contains("limits")) import_.sweep["limits"] = Json::object();
  import_.sweep["limits"][key] = std::move(value);
}

std::string Draft::add(const std::string& name, Translated translated, const std::string& when) {
  const std::string wanted = hone_name(name);
  if (parameters_.size() >= parameters_max) {
    if (!std::exchange(full_, true))
      lose("", "parameters after the 1000th are not translated: a sweep holds 1000");
    return wanted;
  }
  std::string ours = wanted;
  for (int copy = 2; !taken_.insert(ours).second; ++copy)
    ours = wanted + "_" + std::to_string(copy);
  if (!when.empty()) translated.domain["when"] = when;
  parameters_[ours] = std::move(translated.domain);
  if (ours != name) join(translated.remark, "was called '" + name + "'");
  remark("/parameters/" + ours, translated.remark);
  names_.emplace_back(name, ours);
  return ours;
}

std::string Draft::name_of(const std::string& name) const {
  for (const auto& [theirs, ours] : names_)
    if (theirs == name) return ours;
  return name;
}

// The size of a grid over the parameters; infinite if a float has no step.
double Draft::combinations() const {
  double product = 1;
  for (const auto& [name, domain] : parameters_.items()) {
    if (domain.contains("values")) product *= static_cast<double>(domain["values"].size());
    if (domain.value("type", "") == "bool") product *= 2;
    if (!domain.contains("min")) continue;
    if (domain["type"] == "float" && !domain.contains("step")) return HUGE_VAL;
    product *= std::floor((domain["max"].get<double>() - domain["min"].get<double>()) /
                              domain.value("step", 1.0) +
                          1e-9) +
               1;
  }
  return product;
}

void Draft::search(const std::string& method, std::optional<double> trials, const std::string& tool,
                   const std::string& text) {
  Json json = Json::object();
  json["method"] = method;
  std::string why = text;
  const double all = method == "grid" ? combinations() : HUGE_VAL;
  if (!trials || !(*trials >= 1 && *trials <= trials_max)) {
    trials = std::isfinite(all) && all <= trials_max ? all : 100;
    join(why, std::isfinite(all) ? "trials: every combination"
                                 : tool + " set no number of trials: choose one");
  } else if (*trials > all) {
    trials = all;
    join(why, "trials: the grid has no more combinations");
  }
  json["trials"] = static_cast<std::int64_t>(*trials);
  set("search", json, why);
}

void Draft::remark_on_passing() {
  CommandTrainer command;
  for (const Json& word : import_.sweep["command"])
    if (word.is_string()) command.argv.push_back(word.get<std::string>());
  std::vector<std::string> names;
  for (const auto& [name, domain] : parameters_.items()) names.push_back(name);
  const auto unpassed = unpassed_parameters(command, names);
  if (unpassed.empty()) return;
  const std::string sentence = not_passed(unpassed) + "; the program must read HONE_PARAMS_FILE";
  remark("/command", sentence);
  lose("", sentence);
}

ImportedSpec Draft::finish(const std::string& tool) && {
  const bool runs = import_.sweep.contains("command");
  if (runs) remark_on_passing();
  set("parameters", std::move(parameters_));
  if (!runs) {
    set("trainer", {{"name", "ask"}},
        tool +
            " gave no command: programs ask for trials and tell the results (hone ask, "
            "hone tell); or write command: [...] instead");
  }
  if (runs && !import_.sweep.contains("budget")) {
    Json budget = Json::object();
    budget["unit"] = "trainings";
    budget["per_run"] = 1;
    set("budget", budget,
        "one report at the end of each run; give the unit, the amount and phases (unit: epochs, "
        "per_run: 50, phases: 10) to see curves and to stop poor runs early");
  }
  Json sorted = Json::object();
  for (const char* key :
       {"name", "project", "seed", "objective", "objectives", "trainer", "command", "parameters",
        "search", "terminator", "replicates", "budget", "resources", "limits"})
    if (import_.sweep.contains(key)) sorted[key] = std::move(import_.sweep[key]);
  import_.sweep = std::move(sorted);
  import_.names = std::move(names_);
  return std::move(import_);
}

}  // namespace hone
