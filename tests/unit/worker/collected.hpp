// Rows of a program and what a collector makes of them.
#pragma once

#include <string>
#include <vector>

#include "worker/agent/collector.hpp"

namespace hone::worker {

inline CollectSpec csv() {
  CollectSpec spec;
  spec.file = "results.txt";
  spec.objectives = {"score"};
  spec.step = "step";
  return spec;
}

using Rows = std::vector<std::string>;

struct Heard {
  std::vector<ReportLine> reports;
  std::vector<MetricPoint> metrics;
};

inline Heard sorted(const std::vector<TrialLine>& said) {
  Heard heard;
  for (const auto& line : said) {
    if (const auto* report = std::get_if<ReportLine>(&line)) heard.reports.push_back(*report);
    if (const auto* point = std::get_if<MetricPoint>(&line)) heard.metrics.push_back(*point);
  }
  return heard;
}

inline Heard heard_of(Collector& collector, const std::vector<std::string>& lines,
                      bool ends = false) {
  std::vector<TrialLine> said;
  for (const auto& line : lines) collector.take(line, said);
  if (ends) collector.finish(said);
  return sorted(said);
}

inline CollectSpec counted_rows() {
  CollectSpec spec = csv();
  spec.step.clear();
  return spec;
}

}  // namespace hone::worker
