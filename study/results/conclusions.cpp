#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "study/results/findings.hpp"

namespace hone::study {
namespace {

constexpr double significant = 0.05;

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

std::string where(const Study& study) {
  return study.problems.size() == 1
             ? "on " + study.problems[0].name
             : "on these " + std::to_string(study.problems.size()) + " problems";
}

std::string by_looks(const Study& study, const Findings& findings) {
  const Verdict& verdict = *findings.verdict;
  const std::string error = short_number_text(100 * study.until->error) + " %";
  switch (verdict.answer) {
    case Answer::known:
      return study.methods[verdict.best].name + " is the best method " + where(study) +
             " at this cost: known after " + counted(verdict.repetitions, "repetition") +
             ", with a chance of error of at most " + error + " over all looks.";
    case Answer::unknown:
      return "Which method is best " + where(study) + " is not known after " +
             counted(findings.repetitions, "repetition") + "; nothing may be concluded.";
    case Answer::open:
      break;
  }
  return "The study has not ended: " + counted(findings.repetitions, "whole repetition") +
         ", and no answer yet at an error of " + error + ".";
}

// The first method against each other one, by the adjusted tests.
std::string by_pairs(const Study& study, const Findings& findings) {
  const std::size_t best = findings.order.front();
  std::vector<std::string> beaten, equal;
  for (const std::size_t other : findings.order) {
    if (other == best) continue;
    const auto pair =
        std::find_if(findings.pairs.begin(), findings.pairs.end(), [&](const auto& one) {
          return one.first == std::min(best, other) && one.second == std::max(best, other);
        });
    const double better = pair->first == best ? pair->effect.better : 1 - pair->effect.better;
    (pair->p <= significant && better > 0.5 ? beaten : equal).push_back(study.methods[other].name);
  }
  std::string out =
      study.methods[best].name + " has the highest interquartile mean " + where(study);
  if (!beaten.empty()) out += "; it is better than " + listed(beaten);
  if (!equal.empty())
    out += (beaten.empty() ? "; it cannot be told from " : ", and cannot be told from ") +
           listed(equal);
  return out + " (signed-rank tests at 5 %, Holm).";
}

std::string about_optimism(const Study& study, const Findings& findings) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < findings.methods.size(); ++i)
    if (findings.methods[i].optimism > findings.methods[most].optimism) most = i;
  const double share = 100 * findings.methods[most].optimism;
  if (study.measure.seeds == 0 || share < 1) return {};
  return "Tuning promises too much: new seeds were worse than the tuned value by up to " +
         short_number_text(std::round(share)) + " % of the scale (" + study.methods[most].name +
         ").";
}

// Repetitions that count as the worst.
std::string about_failures(const Study& study, const Findings& findings) {
  std::size_t failed = 0;
  const CellFindings* most = nullptr;
  for (const CellFindings& cell : findings.cells) {
    failed += static_cast<std::size_t>(cell.without_value);
    if (most == nullptr || cell.without_value > most->without_value) most = &cell;
  }
  if (failed == 0) return {};
  return std::to_string(failed) + " of " +
         counted(findings.cells.size() * static_cast<std::size_t>(findings.repetitions),
                 "repetition") +
         " gave no value and count as the worst, " + std::to_string(most->without_value) +
         " of them of " + study.methods[most->method].name + " on " +
         study.problems[most->problem].name + "; see the runs of " + most->sweeps.front() + ".";
}

Json pair_of(const Interval& interval) {
  if (!std::isfinite(interval.low)) return nullptr;
  return Json::array({interval.low, interval.high});
}

Json cell_json(const Study& study, const CellFindings& cell) {
  Json json{{"method", study.methods[cell.method].name},
            {"problem", study.problems[cell.problem].name},
            {"value", cell.value},
            {"interval", pair_of(cell.interval)},
            {"fresh", cell.fresh},
            {"without_value", cell.without_value},
            {"optimism", cell.optimism},
            {"trials", cell.trials},
            {"spent", cell.spent},
            {"reached", cell.reached},
            {"cost", Json::array()}};
  for (const auto& cost : cell.cost) json["cost"].push_back(cost ? Json(*cost) : Json());
  return json;
}

}  // namespace

std::vector<std::string> conclusions_of(const Study& study, const Findings& findings) {
  if (findings.repetitions == 0) return {"No repetition is whole yet: nothing may be concluded."};
  std::vector<std::string> sentences;
  if (findings.verdict) sentences.push_back(by_looks(study, findings));
  if (study.methods.size() > 1) sentences.push_back(by_pairs(study, findings));
  if (auto failures = about_failures(study, findings); !failures.empty())
    sentences.push_back(std::move(failures));
  if (auto optimism = about_optimism(study, findings); !optimism.empty())
    sentences.push_back(std::move(optimism));
  return sentences;
}

Json encode_findings(const Study& study, const Findings& findings) {
  Json json{{"study", study.name},
            {"repetitions", findings.repetitions},
            {"outcomes", findings.outcomes},
            {"expected", findings.expected},
            {"conclusions", conclusions_of(study, findings)},
            {"methods", Json::array()},
            {"cells", Json::array()},
            {"pairs", Json::array()}};
  for (const std::size_t method : findings.order) {
    const MethodFindings& found = findings.methods[method];
    json["methods"].push_back({{"method", study.methods[method].name},
                               {"iqm", found.iqm},
                               {"interval", pair_of(found.interval)},
                               {"mean_rank", found.mean_rank},
                               {"optimism", found.optimism},
                               {"area", found.area},
                               {"beaten", findings.improvement[method].value}});
  }
  for (const CellFindings& cell : findings.cells) json["cells"].push_back(cell_json(study, cell));
  for (const Comparison& pair : findings.pairs)
    json["pairs"].push_back({{"first", study.methods[pair.first].name},
                             {"second", study.methods[pair.second].name},
                             {"p", pair.p},
                             {"difference", pair.effect.difference},
                             {"cohen", pair.effect.cohen},
                             {"better", pair.effect.better}});
  json["friedman_p"] = findings.friedman.p;
  json["critical_difference"] = findings.critical_difference;
  return json;
}

}  // namespace hone::study
