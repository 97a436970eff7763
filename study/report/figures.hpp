// The figures of a report, as SVG without scripts.
#pragma once

#include <vector>

#include "study/report/page.hpp"

namespace hone::study {

// Anytime curves with bands, performance profiles, the critical-difference diagram, and a panel of
// values for each problem.
std::vector<PageFigure> figures_of(const Study& study, const Findings& findings);

}  // namespace hone::study
