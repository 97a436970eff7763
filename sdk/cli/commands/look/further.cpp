#include "sdk/cli/commands/look/further.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/nearest.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {

std::vector<std::string> objective_metrics(const Json& spec) {
  const std::string one = text_at(spec, "/objective/metric");
  std::vector<std::string> metrics;
  if (!one.empty()) metrics.push_back(one);
  for (const Json& objective : member(spec, "/objectives"))
    metrics.push_back(text_at(objective, "/metric"));
  return metrics;
}

std::vector<std::string> further_metrics(const Json& spec) {
  auto metrics = objective_metrics(spec);
  if (!metrics.empty()) metrics.erase(metrics.begin());
  return metrics;
}

void name_further(Json& report, const std::vector<std::string>& metrics) {
  const Json values = member(report, "/further");
  if (!values.is_array()) return;
  Json named = Json::object();
  for (std::size_t i = 0; i < std::min(values.size(), metrics.size()); ++i)
    named[metrics[i]] = values[i];
  report["further"] = std::move(named);
}

Status name_further(Session& session, std::vector<Json>& reports) {
  std::map<std::string, std::vector<std::string>> metrics;
  for (Json& report : reports) {
    if (!member(report, "/further").is_array()) continue;
    const std::string sweep = text_at(report, "/sweep");
    if (!metrics.contains(sweep)) {
      const auto document = session.get("/v1/sweeps/" + sweep);
      if (!document) return document.error();
      metrics[sweep] = further_metrics(member(*document, "/spec"));
    }
    name_further(report, metrics[sweep]);
  }
  return Done{};
}

Result<TrialOrder> trial_order(Session& session, const std::string& sweep, const std::string& key) {
  if (key == "number" || key == "value") return TrialOrder{key, std::nullopt};
  const auto document = session.get(sweep);
  if (!document) return document.error();
  const Json& spec = member(*document, "/spec");
  const auto metrics = objective_metrics(spec);
  const auto found = std::ranges::find(metrics, key);
  if (found == metrics.begin() && found != metrics.end()) return TrialOrder{"value", std::nullopt};
  if (found != metrics.end()) {
    const std::string place = "/objectives/" + std::to_string(found - metrics.begin()) + "/goal";
    return TrialOrder{"number", FurtherOrder{key, text_at(spec, place) != "minimize"}};
  }
  std::vector<std::string_view> keys{"number", "value"};
  keys.insert(keys.end(), metrics.begin(), metrics.end());
  std::string known;
  for (const auto one : keys) known += (known.empty() ? "" : ", ") + std::string(one);
  return refuse(Code::invalid, "--sort: there is no key '" + key + "'" + did_you_mean(key, keys) +
                                   "; there are " + known);
}

void sort_by(std::vector<Json>& trials, const FurtherOrder& order) {
  const std::string place = "/further" + pointer_to(order.metric);
  std::ranges::stable_sort(trials, [&](const Json& a, const Json& b) {
    const Json& left = member(a, place);
    const Json& right = member(b, place);
    if (!left.is_number() || !right.is_number()) return left.is_number() && !right.is_number();
    return order.larger_first ? left > right : left < right;
  });
}

}  // namespace hone::cli
