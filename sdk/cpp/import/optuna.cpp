// Optuna: {"x": {"name": "FloatDistribution", "attributes": {"low": 0, "high": 1, ...}}}, as for
// `optuna ask --search-space`, with the distributions of version 3 and those before.
#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

bool truth(const Json* json) { return json != nullptr && json->is_boolean() && json->get<bool>(); }

std::optional<Translated> distribution(const std::string& kind, Source& from) {
  if (kind == "CategoricalDistribution") {
    const Json* choices = from.take("choices");
    if (choices == nullptr || !choices->is_array() || choices->empty()) return std::nullopt;
    return choice(*choices);
  }
  const auto low = from.number("low"), high = from.number("high");
  if (!low || !high) return std::nullopt;
  auto step = from.number("step");
  const auto q = from.number("q");
  const bool log = truth(from.take("log"));
  if (kind == "FloatDistribution") return interval({*low, *high, log, false, step});
  if (kind == "IntDistribution") return interval({*low, *high, log, true, step});
  if (kind == "UniformDistribution") return interval({*low, *high, false, false, {}});
  if (kind == "LogUniformDistribution") return interval({*low, *high, true, false, {}});
  if (kind == "DiscreteUniformDistribution") return interval({*low, *high, false, false, q});
  if (kind == "IntUniformDistribution") return interval({*low, *high, false, true, step});
  if (kind == "IntLogUniformDistribution") return interval({*low, *high, true, true, step});
  return std::nullopt;
}

}  // namespace

Result<ImportedSpec> import_optuna(const Json& document, const Sibling&) {
  Draft draft;
  if (!document.is_object() || document.empty())
    return refuse(Code::invalid, "an Optuna search space is an object of distributions by name");
  for (const auto& [name, entry] : document.items()) {
    const std::string at = pointer_to("", name);
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("attributes"))
      return refuse(Code::invalid, "must be a distribution: {\"name\": ..., \"attributes\": ...}",
                    at);
    const std::string kind = text_in(&entry["name"]);
    Source attributes(entry["attributes"], at + "/attributes", draft.lost());
    auto translated = distribution(kind, attributes);
    if (!translated)
      return refuse(Code::invalid, "no distribution of Optuna with these attributes: " + kind, at);
    draft.add(name, *std::move(translated));
  }
  draft.objective("value", false, "Optuna's default: write goal: maximize where it was so");
  draft.search("tpe", std::nullopt, "Optuna",
               "Optuna builds conditions in the program: say them here with when");
  return std::move(draft).finish("a search space");
}

}  // namespace hone
