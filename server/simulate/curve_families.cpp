#include "server/simulate/curve_families.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "base/rng.hpp"
#include "schemas/codec/json.hpp"
#include "server/simulate/curve_table.hpp"

namespace hone::simulate {
namespace {

constexpr std::size_t sets = 80, runs_of_a_set = 3;
constexpr std::array checkpoint_counts{20, 30, 40};

// The latent numbers of a set: `level` is its final level.
struct Latent {
  double level = 0, shape = 0, timing = 0;
};

struct Noise {
  double report = 0;  // standard deviation of each report
  double run = 0;     // of a run's offset, which grows to this until the end
};

double saturating(double t, double tau) {
  return (1 - std::exp(-t / tau)) / (1 - std::exp(-1 / tau));
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Levels of a set without noise at t in (0, 1].
double steady(const Latent& set, double t) {
  return set.level * saturating(t, 0.15 + 0.2 * set.shape);
}
// Better sets learn more slowly: the order of the first third turns round.
double crossing(const Latent& set, double t) {
  return set.level * saturating(t, 0.03 + 1.2 * set.level * set.level);
}
// Half of the sets climb quickly, reach a peak and fall back.
double collapse(const Latent& set, double t) {
  if (set.shape < 0.5) return set.level * saturating(t, 0.3);
  const double peak = (0.6 + 0.4 * set.timing) * saturating(t, 0.12);
  const double fall = logistic((t - (0.45 + 0.4 * set.timing)) / 0.03);
  return peak * (1 - fall) + 0.6 * set.level * fall;
}
// Nothing for a while, then steps of a tenth: many sets tie exactly.
double plateaus(const Latent& set, double t) {
  const double start = 0.1 + 0.5 * (1 - set.level) + 0.3 * set.shape;
  if (t < start) return 0;
  return std::round(10 * set.level * std::min(1.0, (t - start) / 0.15)) / 10;
}
// A start that does not depend on how good the set is in the end.
double slow(const Latent& set, double t) {
  return set.level * logistic((t - (0.1 + 0.6 * set.shape)) / 0.04);
}
// A step size that falls at 70 % of a run: levels before it say little about the end.
double schedule(const Latent& set, double t) {
  const double before = 0.35 * set.shape + 0.2 * set.level;
  const double after = logistic((t - 0.72) / 0.02);
  return before * saturating(std::min(t, 0.7), 0.2) * (1 - after) + set.level * after;
}
// The first half of a run ranks the sets in another order.
double reversal(const Latent& set, double t) {
  const double turned = logistic((t - 0.55) / 0.06);
  return 0.6 * (1 - set.level) * saturating(t, 0.2) * (1 - turned) + set.level * turned;
}
// Some sets are steady, others collapse, others start slowly.
double mixture(const Latent& set, double t) {
  if (set.timing < 0.4) return steady(set, t);
  if (set.timing < 0.7) return slow(set, t);
  return collapse({set.level, 0.5 + set.shape / 2, set.shape}, t);
}

struct FamilyRow {
  CurveFamily family;
  double (*level)(const Latent& set, double t);
  Noise noise;
  bool diverges = false;  // a loss, of which two fifths of the sets lose control
};

constexpr std::array families{
    FamilyRow{{"steady", "early ranks hold"}, steady, {0.01, 0.02}},
    FamilyRow{{"crossing", "better sets learn more slowly"}, crossing, {0.02, 0.03}},
    FamilyRow{{"collapse", "half of the sets fall after a peak"}, collapse, {0.03, 0.03}},
    FamilyRow{{"plateaus", "steps, with exact ties"}, plateaus, {0, 0}},
    FamilyRow{{"noise", "reports and runs differ more than sets"}, steady, {0.3, 0.2}},
    FamilyRow{{"slow", "the start does not depend on the end"}, slow, {0.02, 0.03}},
    FamilyRow{{"schedule", "a late fall of the step size decides"}, schedule, {0.02, 0.03}},
    FamilyRow{{"divergence", "losses, some of which explode"}, steady, {0.02, 0.03}, true},
    FamilyRow{{"reversal", "the first half has another order"}, reversal, {0.02, 0.03}},
    FamilyRow{{"mixture", "steady, slow and collapsing sets"}, mixture, {0.05, 0.05}},
};

constexpr std::array family_list = [] {
  std::array<CurveFamily, families.size()> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = families[i].family;
  return list;
}();

// A smooth function of the parameters, replaced by its rank among the sets.
std::vector<double> latent_of(const std::vector<std::vector<double>>& points, Rng& rng) {
  constexpr int waves = 6;
  std::vector<double> values(points.size(), 0);
  for (int wave = 0; wave < waves; ++wave) {
    std::vector<double> slope;
    for (std::size_t j = 0; j < points.front().size(); ++j)
      slope.push_back(std::numbers::pi * rng.normal());
    const double start = 2 * std::numbers::pi * rng.uniform();
    for (std::size_t i = 0; i < points.size(); ++i)
      values[i] +=
          std::cos(std::inner_product(slope.begin(), slope.end(), points[i].begin(), start));
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = static_cast<double>(i) / static_cast<double>(order.size() - 1);
  return ranks;
}

// How levels become values, and how fast a set trains.
struct Scale {
  double offset = 0, factor = 1;
  std::size_t checkpoints = 0;
};

double value_of(const FamilyRow& row, const Scale& scale, double level) {
  if (row.diverges) return scale.factor * std::exp(-4 * level);
  return scale.offset + scale.factor * level;
}

Curve run_of(const FamilyRow& row, const Scale& scale, const Latent& set, Rng& rng) {
  const double offset = row.noise.run * rng.normal();
  const bool diverges = row.diverges && set.shape > 0.6 && rng.uniform() < 0.8;
  const auto end = static_cast<std::size_t>(rng.uniform() *
                                            static_cast<double>(diverges ? scale.checkpoints : 1));
  const double explosion = std::pow(10, 3 + 31 * rng.uniform());
  const bool silent = rng.uniform() < 0.5;  // no number, instead of a huge one
  const double pace = 0.5 + set.timing;     // seconds a checkpoint
  Curve curve;
  for (std::size_t k = 0; k < scale.checkpoints; ++k) {
    const double t = static_cast<double>(k + 1) / static_cast<double>(scale.checkpoints);
    const double noise = offset * t + row.noise.report * rng.normal();
    std::optional<double> value = value_of(row, scale, row.level(set, t) + noise);
    if (diverges && k >= end) value = silent ? std::nullopt : std::optional(explosion);
    curve.values.push_back(value);
    curve.seconds.push_back(pace * static_cast<double>(k + 1));
  }
  return curve;
}

std::string cell_of(double number) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), number);
  return {text, end.ptr};
}

Json card_of(const FamilyRow& row, std::uint64_t seed, std::size_t dimensions, const Scale& scale) {
  Json parameters = Json::object();
  for (std::size_t j = 0; j < dimensions; ++j)
    parameters["x" + std::to_string(j + 1)] = {{"type", "float"}, {"min", 0}, {"max", 1}};
  return {{"goal", row.diverges ? "minimize" : "maximize"},
          {"parameters", std::move(parameters)},
          {"checkpoints", scale.checkpoints},
          {"optimum", value_of(row, scale, row.level({1, 0, 0}, 1))},
          {"source",
           "made up: family " + std::string(row.family.name) + ", seed " + std::to_string(seed)}};
}

Error unknown(std::string_view family) {
  std::string known;
  for (const FamilyRow& row : families) known += " " + std::string(row.family.name);
  return refuse(Code::invalid,
                "unknown family of curves '" + std::string(family) + "'; there are" + known);
}

}  // namespace

std::span<const CurveFamily> curve_families() { return family_list; }

Result<CurveTableFiles> make_family_table(std::string_view family, std::uint64_t seed) {
  const auto* const row = std::find_if(families.begin(), families.end(), [&](const FamilyRow& one) {
    return one.family.name == family;
  });
  if (row == families.end()) return unknown(family);
  Rng rng(seed, Purpose::simulation, static_cast<std::uint64_t>(row - families.begin()));
  const std::size_t dimensions = 2 + rng.below(4);
  const Scale scale{100 * rng.normal(), std::pow(10, 4 * rng.uniform() - 1),
                    static_cast<std::size_t>(checkpoint_counts.at(rng.below(3)))};
  std::vector<std::vector<double>> points(sets, std::vector<double>(dimensions));
  for (auto& point : points)
    for (double& x : point) x = rng.uniform();
  const auto level = latent_of(points, rng), shape = latent_of(points, rng),
             timing = latent_of(points, rng);
  std::vector<std::string> names;
  for (std::size_t j = 1; j <= dimensions; ++j) names.push_back("x" + std::to_string(j));
  auto writer = CurveTableWriter::make(names, scale.checkpoints);
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < sets; ++i) {
    std::vector<std::string> cells;
    for (const double x : points[i]) cells.push_back(cell_of(x));
    for (std::size_t run = 0; run < runs_of_a_set; ++run)
      writer->add(cells, run_of(*row, scale, {level[i], shape[i], timing[i]}, rng));
  }
  return CurveTableFiles{writer->csv(), to_text(card_of(*row, seed, dimensions, scale)) + "\n"};
}

}  // namespace hone::simulate
