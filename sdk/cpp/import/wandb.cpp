// Weights & Biases sweeps. Note that the bounds of log_uniform are exponents of e, that a range is
// of integers if both bounds are, that the default goal is to minimize, and that iterations of
// early_terminate count the logs of the metric.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

struct Ends {
  double low, high;
};

std::string number_words(double value) { return to_text(Json(value)); }

Translated noted(Translated translated, const std::string& remark) {
  if (!remark.empty()) translated.remark += (translated.remark.empty() ? "" : "; ") + remark;
  return translated;
}

std::string exponents(const Ends& ends) {
  return "the bounds were exponents of e: " + number_words(ends.low) + " and " +
         number_words(ends.high);
}

std::optional<Translated> bounded(const std::string& kind, Ends ends, double q, bool whole) {
  if (kind == "uniform") return interval({ends.low, ends.high, false, false, {}});
  if (kind == "int_uniform")
    return noted(interval({ends.low, ends.high, false, true, {}}),
                 whole ? "an int, because both bounds are written as ints" : "");
  if (kind == "q_uniform") return multiples(ends.low, ends.high, q, false);
  if (kind == "log_uniform_values" || kind == "inv_log_uniform_values")
    return interval({ends.low, ends.high, true, false, {}});
  if (kind == "q_log_uniform_values") return multiples(ends.low, ends.high, q, true);
  if (kind == "log_uniform")
    return noted(interval({tidy(std::exp(ends.low)), tidy(std::exp(ends.high)), true, false, {}}),
                 exponents(ends));
  if (kind == "q_log_uniform")
    return noted(multiples(tidy(std::exp(ends.low)), tidy(std::exp(ends.high)), q, true),
                 exponents(ends));
  if (kind == "inv_log_uniform")
    return noted(interval({tidy(std::exp(-ends.high)), tidy(std::exp(-ends.low)), true, false, {}}),
                 exponents(ends) + ", of 1 / x");
  return std::nullopt;
}

// How W&B hands a value to the program: by words, which it spells as Python does, or as JSON.
enum class Handing { words, switches, json };
constexpr const char* as_python =
    "texts, as W&B passes such values to a program: True, None, [64, 64]";

// As Python's str() writes a value; texts inside of lists have quotes.
std::string python_text(const Json& value, bool inner) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return inner ? "'" + text + "'" : text;
  }
  if (!value.is_structured()) return to_text(value);
  std::string items;
  for (const auto& [key, item] : value.items()) {
    if (!items.empty()) items += ", ";
    if (value.is_object()) items += "'" + key + "': ";
    items += python_text(item, true);
  }
  return value.is_object() ? "{" + items + "}" : "[" + items + "]";
}

// A value as the program gets it. Truth values under `switches` stay: the word shows or hides them.
Json handed(const Json& value, Handing handing) {
  const bool differs =
      value.is_null() || value.is_structured() || (value.is_boolean() && handing == Handing::words);
  return differs && handing != Handing::json ? Json(python_text(value, false)) : value;
}

Translated handed_choice(const Json& values, const Json* weights, Handing handing) {
  Json texts = Json::array();
  for (const Json& value : values) texts.push_back(handed(value, handing));
  return noted(choice(texts, weights), texts == values ? "" : as_python);
}

Translated handed_value(const Json& value, Handing handing) {
  const Json text = handed(value, handing);
  return noted(fixed(text), text == value ? "" : as_python);
}

class Parameters {
 public:
  Parameters(Draft& draft, const std::string& outer, Handing handing)
      : draft_(draft), outer_(outer), handing_(handing) {}

  Status read(const Json& object, const std::string& at) {
    if (!object.is_object()) return refuse(Code::invalid, "must be an object of parameters", at);
    for (const auto& [name, entry] : object.items()) {
      const std::string place = pointer_to(at, name);
      if (!entry.is_object())
        return refuse(Code::invalid, "must be an object such as {min: 0, max: 1}", place);
      if (auto done = read_one(outer_ + name, entry, place); !done) return done;
    }
    return Done{};
  }

 private:
  Status read_one(const std::string& name, const Json& entry, const std::string& at) {
    Source from(entry, at, draft_.lost());
    if (const Json* inner = from.take("parameters")) {
      from.take("distribution");
      return Parameters(draft_, name + ".", handing_).read(*inner, at + "/parameters");
    }
    auto translated = translate(from);
    if (!translated) return refuse(Code::invalid, "no distribution of W&B with these fields", at);
    draft_.add(name, *std::move(translated));
    return Done{};
  }

  std::optional<Translated> translate(Source& from) {
    if (const Json* value = from.take("value"))
      return from.take("distribution"), handed_value(*value, handing_);
    std::string kind = from.text("distribution");
    if (const Json* values = from.take("values"); values != nullptr && values->is_array())
      return values->empty()
                 ? std::nullopt
                 : std::optional(handed_choice(*values, from.take("probabilities"), handing_));
    const Json* low = from.take("min");
    const Json* high = from.take("max");
    const bool whole =
        low != nullptr && high != nullptr && low->is_number_integer() && high->is_number_integer();
    const bool guessed = kind.empty();
    if (guessed) kind = whole ? "int_uniform" : "uniform";
    const double q = from.number("q").value_or(1);
    if (kind.ends_with("normal"))
      return bell(from.number("mu").value_or(0), from.number("sigma").value_or(1),
                  kind.find("log") != std::string::npos,
                  kind.starts_with("q_") ? std::optional(q) : std::nullopt);
    if (kind.ends_with("beta")) {
      draft_.lose(from.pointer("distribution"), dotted(from.pointer("distribution")) + ": " + kind +
                                                    " has no counterpart; uniform instead");
      from.skip("a"), from.skip("b");
      return noted(interval({0, 1, false, false, {}}), "was " + kind);
    }
    const auto from_low = number_in(low), to_high = number_in(high);
    if (!from_low || !to_high) return std::nullopt;
    return bounded(kind, {*from_low, *to_high}, q, whole && guessed);
  }

  Draft& draft_;
  std::string outer_;
  Handing handing_;
};

void append_args(const Draft& draft, const std::string& lead, Json& argv) {
  for (const auto& [theirs, ours] : draft.names())
    argv.push_back(lead + theirs + "=${" + ours + "}");
}

bool is_truth(const Json& domain) {
  const auto is_boolean = [](const Json& value) { return value.is_boolean(); };
  if (domain.contains("value")) return is_boolean(domain["value"]);
  return domain.contains("values") && std::ranges::all_of(domain["values"], is_boolean);
}

// W&B writes --x for true, nothing for false, and --x=value for all others.
void append_switches(const Draft& draft, Json& argv) {
  for (const auto& [theirs, ours] : draft.names())
    argv.push_back(is_truth(draft.domain(ours)) ? "${" + ours + "?--" + theirs + "}"
                                                : "--" + theirs + "=${" + ours + "}");
}

constexpr std::string_view as_switches = "${args_no_boolean_flags}";

Json command_words(const Json& document) {
  const Json* given = member_of(document, "command");
  if (given != nullptr && given->is_array()) return *given;
  return {"${env}", "${interpreter}", "${program}", "${args}"};
}

Handing handing_of(const Json& document) {
  Handing handing = Handing::json;
  if (member_of(document, "command") == nullptr && member_of(document, "program") == nullptr)
    return handing;
  for (const Json& word : command_words(document)) {
    const std::string text = text_in(&word);
    if (text == "${args}" || text == "${args_no_hyphens}") return Handing::words;
    if (text == as_switches) handing = Handing::switches;
  }
  return handing;
}

// A word of `command` in hone's words.
void append_word(const std::string& text, const std::string& program, Draft& draft, Json& argv) {
  if (text == "${env}") return;
  if (text == "${interpreter}")
    argv.push_back("python3");
  else if (text == "${program}")
    argv.push_back(program);
  else if (text == "${args}")
    append_args(draft, "--", argv);
  else if (text == "${args_no_hyphens}")
    append_args(draft, "", argv);
  else if (text == as_switches)
    append_switches(draft, argv);
  else if (text == "${args_json}")
    argv.push_back("${hone.params}");
  else if (text == "${args_json_file}")
    argv.push_back("${hone.params_file}");
  else if (text.starts_with("${"))
    draft.lose("/command",
               "command: the macro " + text + " has no counterpart; read HONE_PARAMS_FILE instead");
  else
    argv.push_back(text);
}

// The macros of `command`, and the default command.
void read_wandb_command(Source& from, const Json& document, Draft& draft) {
  const std::string program = from.text("program");
  if (from.take("command") == nullptr && program.empty()) return;
  Json argv = Json::array();
  for (const Json& word : command_words(document))
    append_word(text_in(&word), program, draft, argv);
  if (argv.empty()) return;
  draft.set("command", argv,
            "the program must print its metric for hone: @hone {\"report\": {\"step\": 1, "
            "\"value\": 0.5}} on its own line, or use the SDK");
}

void read_metric(Source& from, Draft& draft) {
  const Json* metric = from.take("metric");
  if (metric == nullptr)
    return draft.objective("loss", false, "W&B named no metric: say which and to what end");
  Source fields(*metric, "/metric", draft.lost());
  const std::string goal = fields.text("goal");
  draft.objective(fields.text("name", "loss"), goal == "maximize",
                  goal.empty() ? "W&B minimizes where no goal is said" : "");
  fields.lose("target", "hone ends a sweep by trials and limits");
}

void read_early_terminate(Source& from, Draft& draft) {
  const Json* rule = from.take("early_terminate");
  if (rule == nullptr) return;
  Source fields(*rule, "/early_terminate", draft.lost());
  if (fields.text("type") != "hyperband")
    return draft.lose("/early_terminate", "early_terminate: only the type hyperband is known");
  Json terminator = Json::object();
  terminator["rule"] = "hyperband";
  if (const auto eta = fields.whole("eta", 2, 1e6)) terminator["eta"] = *eta;
  const auto min = fields.number("min_iter"), max = fields.number("max_iter");
  for (const char* key : {"s", "strict"}) fields.lose(key, "brackets follow from budget.phases");
  constexpr double per_run_max = 1e6, phases_max = 10'000;
  double per_run = max.value_or(min ? *min * 27 : 27);
  per_run = std::clamp(std::floor(per_run), 1.0, per_run_max);
  const double phase = min ? std::max(1.0, *min) : std::max(1.0, std::floor(per_run / 27));
  Json budget = Json::object();
  budget["unit"] = "iterations";
  budget["per_run"] = static_cast<std::int64_t>(per_run);
  budget["phases"] =
      static_cast<std::int64_t>(std::clamp(std::floor(per_run / phase), 1.0, phases_max));
  draft.set("budget", budget,
            max ? "iterations counted the logs of the metric: report once a phase"
                : "W&B knew only the first bracket, in logs of the metric; here 27 times that is a "
                  "complete run: check per_run, and report once a phase");
  draft.set("terminator", terminator,
            "brackets follow from budget.phases; W&B's stopped runs at once, ours pause and the "
            "best continue");
}

std::string wandb_method(const std::string& method, std::string& remark) {
  if (method == "grid" || method == "random") return method;
  remark = method == "bayes" ? "W&B's bayes is a Gaussian process" : "W&B's method was " + method;
  return "tpe";
}

}  // namespace

Result<ImportedSpec> import_wandb(const Json& document, const Sibling&) {
  if (!document.is_object() || !document.contains("parameters") ||
      !document["parameters"].is_object())
    return refuse(Code::invalid, "a W&B sweep has parameters: {name: {min: 0, max: 1}}",
                  "/parameters");
  Draft draft;
  Source from(document, "", draft.lost());
  if (const Json* name = from.take("name")) draft.set("name", text_in(name));
  if (const Json* project = from.take("project")) draft.set("project", text_in(project));
  read_metric(from, draft);
  Parameters parameters(draft, "", handing_of(document));
  if (auto read = parameters.read(*from.take("parameters"), "/parameters"); !read)
    return read.error();
  read_wandb_command(from, document, draft);
  std::string remark;
  const std::string method = wandb_method(from.text("method", "random"), remark);
  draft.search(method, from.whole("run_cap", 1, 1e6), "W&B", remark);
  read_early_terminate(from, draft);
  from.lose("entity", "hone has tokens with scopes, not owners");
  from.lose("description", "hone mark note keeps it with the sweep");
  from.done();
  return std::move(draft).finish("W&B");
}

}  // namespace hone
