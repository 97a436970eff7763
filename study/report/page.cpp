#include "study/report/page.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "study/report/figures.hpp"

namespace hone::study {
namespace {

std::string rounded(double value, int digits) {
  const double scale = std::pow(10.0, digits);
  const double near = std::round(value * scale) / scale;
  return short_number_text(near == 0 ? 0 : near);  // not -0
}

std::string share_text(double share) { return rounded(share, 3); }

std::string interval_text(const Interval& interval) {
  if (!std::isfinite(interval.low)) return "-";
  return short_number_text(interval.low) + " .. " + short_number_text(interval.high);
}

std::string share_interval(const Interval& interval) {
  if (!std::isfinite(interval.low)) return "-";
  return share_text(interval.low) + " .. " + share_text(interval.high);
}

std::string p_text(double p) { return p < 0.001 ? "< 0.001" : rounded(p, 3); }

std::string anchor_of(const Study& study, const CellFindings& cell) {
  return "cell-" + study.methods[cell.method].name + "-" + study.problems[cell.problem].name;
}

std::string cost_text(const Cost& cost) {
  if (cost.trials) return counted(*cost.trials, "trial");
  if (cost.runs) return "the steps of " + counted(*cost.runs, "complete run");
  if (cost.steps) return short_number_text(static_cast<double>(*cost.steps)) + " steps";
  return counted(static_cast<double>(cost.seconds->us) / 1e6, "second") + " of training";
}

PageTable methods_table(const Study& study, const Findings& findings) {
  PageTable table{
      "Methods",
      "score: interquartile mean over problems and repetitions, 0 and 1 being the ends of "
      "each problem's scale, with a 95 % interval (stratified bootstrap); mean rank over "
      "problems and repetitions; beaten: the chance that the first method is better in a "
      "run drawn from the same problem; optimism: how much better the tuned value was "
      "than new seeds; area: under the anytime curve over log cost.",
      {"method", "score", "95 % interval", "mean rank", "beaten", "optimism", "area"}};
  for (const std::size_t method : findings.order) {
    const MethodFindings& found = findings.methods[method];
    const Band& beaten = findings.improvement[method];
    table.rows.push_back({{study.methods[method].name},
                          {share_text(found.iqm)},
                          {share_interval(found.interval)},
                          {rounded(found.mean_rank, 2)},
                          {method == findings.order.front()
                               ? "-"
                               : rounded(beaten.value, 2) + " (" + rounded(beaten.interval.low, 2) +
                                     " .. " + rounded(beaten.interval.high, 2) + ")"},
                          {share_text(found.optimism)},
                          {share_text(found.area)}});
  }
  return table;
}

PageTable problem_table(const Study& study, const Findings& findings, std::size_t problem) {
  PageTable table{"Problem " + study.problems[problem].name,
                  "value: interquartile mean of the named sets on new seeds; failed: repetitions "
                  "without a value, which count as the scale's worst.",
                  {"method", "value", "95 % interval", "optimism", "failed", "trials", "steps"}};
  for (const double level : study.measure.levels) {
    table.header.push_back("cost to " + rounded(level, 2));
    table.header.back() += " (share)";
  }
  for (const CellFindings& cell : findings.cells) {
    if (cell.problem != problem) continue;
    std::vector<PageCell> row{{study.methods[cell.method].name},
                              {short_number_text(cell.value), anchor_of(study, cell)},
                              {interval_text(cell.interval)},
                              {short_number_text(cell.optimism)},
                              {std::to_string(cell.without_value)},
                              {rounded(cell.trials, 1)},
                              {short_number_text(std::round(cell.spent))}};
    for (std::size_t level = 0; level < cell.cost.size(); ++level)
      row.push_back({(cell.cost[level] ? short_number_text(std::round(*cell.cost[level])) : "-") +
                     " (" + rounded(cell.reached[level], 2) + ")"});
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable pairs_table(const Study& study, const Findings& findings) {
  PageTable table{
      "Pairs",
      "p: two-sided signed-rank tests of scores paired by problem and seeds, adjusted by "
      "Holm; difference: mean of the first less the second; d: that over its standard "
      "deviation; better: share of pairs in which the first is better.",
      {"methods", "p", "difference", "d", "better"}};
  for (const Comparison& pair : findings.pairs)
    table.rows.push_back(
        {{study.methods[pair.first].name + " - " + study.methods[pair.second].name},
         {p_text(pair.p)},
         {share_text(pair.effect.difference)},
         {rounded(pair.effect.cohen, 2)},
         {rounded(pair.effect.better, 2)}});
  return table;
}

PageTable sweeps_table(const Study& study, const Findings& findings) {
  PageTable table{
      "Sweeps",
      "The sweeps of each cell: tuning and test of each repetition in turn. `hone show` "
      "and the dashboard of the study's data folder have each of them.",
      {"cell", "sweeps"}};
  for (const CellFindings& cell : findings.cells) {
    std::string ids;
    for (const std::string& id : cell.sweeps) ids += (ids.empty() ? "" : " ") + id;
    table.rows.push_back(
        {{study.methods[cell.method].name + " on " + study.problems[cell.problem].name,
          anchor_of(study, cell)},
         {ids}});
  }
  return table;
}

std::string protocol_text(const Study& study, const Findings& findings) {
  std::string text =
      counted(study.methods.size(), "method") + ", " + counted(study.problems.size(), "problem") +
      ", " + counted(findings.repetitions, "whole repetition") + " of at most " +
      std::to_string(most_repetitions(study)) + ". Equal for all: " + cost_text(study.equal) +
      " a repetition, " + counted(study.workers, "worker") + ".";
  if (study.measure.seeds > 0)
    text += " The set that a method named was trained again on " +
            counted(study.measure.seeds, "seed") + " that tuning never used.";
  else
    text += " Values are those of tuning: no set was trained again.";
  return text + " Repetitions are paired: all methods have the same seeds.";
}

std::string ranks_text(const Findings& findings) {
  return "Friedman's test of equal ranks: p " + p_text(findings.friedman.p) +
         ". Mean ranks that differ by less than " + rounded(findings.critical_difference, 2) +
         " could differ by chance (Nemenyi, 5 %).";
}

}  // namespace

Page page_of(const Study& study, const Findings& findings, const std::string& command) {
  Page page{"Study " + study.name, {}, {}, {}, {}};
  if (!study.question.empty()) page.paragraphs.push_back(study.question);
  for (std::string& sentence : conclusions_of(study, findings))
    page.paragraphs.push_back(std::move(sentence));
  page.paragraphs.push_back(protocol_text(study, findings));
  if (findings.outcomes < findings.expected)
    page.paragraphs.push_back("Open: " + std::to_string(findings.expected - findings.outcomes) +
                              " of " + std::to_string(findings.expected) +
                              " repetitions of cells.");
  page.paragraphs.push_back("Printed by `" + command + "`.");
  if (findings.repetitions == 0) return page;
  if (study.methods.size() > 1) page.paragraphs.push_back(ranks_text(findings));
  page.tables.push_back(methods_table(study, findings));
  for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
    page.tables.push_back(problem_table(study, findings, problem));
  if (study.methods.size() > 1) page.tables.push_back(pairs_table(study, findings));
  page.figures = figures_of(study, findings);
  page.sweeps = sweeps_table(study, findings);
  return page;
}

}  // namespace hone::study
