#include "server/search/samplers/tpe/textbook.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/samplers/settings.hpp"
#include "server/search/samplers/tpe/evidence.hpp"
#include "server/search/samplers/tpe/parzen.hpp"

namespace hone {
namespace {

// Every proposal compares with every trial, so that its cost grows with their number.
constexpr std::int64_t textbook_trials_max = 10'000;
constexpr int coordinate_draws_max = 1'000;  // of one coordinate until it lies in [0, 1]

struct TextbookSettings {
  std::size_t startup = 20;
  double gamma = 0.15;
  std::size_t candidates = 24;
};

Result<TextbookSettings> textbook_settings(const SearchSpec& search) {
  constexpr std::array<std::string_view, 4> known{"variant", "startup", "gamma", "candidates"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  if (search.trials > textbook_trials_max)
    return refuse(Code::invalid,
                  "variant textbook compares every proposal with every trial: it takes at most "
                  "10,000 trials; leave the variant out for more",
                  "/search/trials");
  if (!search.warm_start.empty())
    return refuse(Code::invalid,
                  "variant textbook learns from its own sweep's trials only; leave the variant out "
                  "for a warm start",
                  "/search/warm_start");
  const auto startup = count_setting(search, "startup", 20, {2, 1e6});
  if (!startup) return startup.error();
  const auto gamma = number_setting(search, "gamma", 0.15, {0.001, 0.9});
  if (!gamma) return gamma.error();
  const auto candidates = count_setting(search, "candidates", 24, {1, 10'000});
  if (!candidates) return candidates.error();
  return TextbookSettings{static_cast<std::size_t>(*startup), *gamma,
                          static_cast<std::size_t>(*candidates)};
}

// One density for each dimension, of the trials at places [first, end) of the order.
std::vector<TextbookDensity> densities(const SearchSpace& space, const Evidence& evidence,
                                       std::size_t first, std::size_t end) {
  std::vector<TextbookDensity> all;
  for (std::size_t j = 0; j < space.dimensions().size(); ++j) {
    std::vector<double> coordinates;
    for (std::size_t place = first; place < end; ++place)
      if (const double x = evidence.point(place)[j]; !std::isnan(x)) coordinates.push_back(x);
    all.emplace_back(space.dimensions()[j], std::move(coordinates));
  }
  return all;
}

class TextbookTpe final : public Sampler {
 public:
  explicit TextbookTpe(const TextbookSettings& settings) : settings_(settings) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    const std::size_t n = history.ranked().size();
    if (space.dimensions().empty() || n < settings_.startup ||
        history.outcome(history.ranked()[0]).grade == TrialOutcome::Grade::failed)
      return random_point(space, rng);
    const Evidence evidence(history, n, rng);
    const auto share =
        static_cast<std::size_t>(std::ceil(settings_.gamma * static_cast<double>(n)));
    const std::size_t good_count = std::clamp<std::size_t>(share, 1, n - 1);
    const auto good = densities(space, evidence, 0, good_count);
    const auto bad = densities(space, evidence, good_count, n);
    return best_draw(space, good, bad, rng);
  }

 private:
  Point best_draw(const SearchSpace& space, const std::vector<TextbookDensity>& good,
                  const std::vector<TextbookDensity>& bad, Rng& rng) const {
    Point best;
    double best_ratio = 0;
    for (std::size_t i = 0; i < settings_.candidates; ++i) {
      Point point(good.size());
      for (std::size_t j = 0; j < point.size(); ++j) point[j] = good[j].draw(rng);
      space.settle(point);
      if (!space.feasible(point)) continue;
      double ratio = 0;
      for (std::size_t j = 0; j < point.size(); ++j)
        ratio += log_ratio(space, j, point[j], good[j], bad[j]);
      if (!best.empty() && ratio <= best_ratio) continue;
      best = std::move(point);
      best_ratio = ratio;
    }
    return best.empty() ? random_point(space, rng) : best;
  }

  static double log_ratio(const SearchSpace& space, std::size_t j, double x,
                          const TextbookDensity& good, const TextbookDensity& bad) {
    if (std::isnan(x)) return 0;
    if (space.dimensions()[j].kind != Dimension::Kind::grid)
      return std::log(good.at(x)) - std::log(bad.at(x));
    const Cell cell = space.cell(j, x);
    return std::log(good.within(cell)) - std::log(bad.within(cell));
  }

  TextbookSettings settings_;
};

}  // namespace

TextbookDensity::TextbookDensity(const Dimension& dimension, std::vector<double> coordinates)
    : dimension_(dimension), middles_(std::move(coordinates)) {
  const auto n = static_cast<double>(middles_.size());
  if (dimension.kind == Dimension::Kind::choice) {
    const auto values = static_cast<double>(dimension.weights.size());
    for (const double weight : dimension.weights) shares_.push_back(values * weight / (values + n));
    for (const double value : middles_)
      shares_[static_cast<std::size_t>(value)] += 1 / (values + n);
    return;
  }
  std::sort(middles_.begin(), middles_.end());
  const double least = 1 / std::min(100.0, n + 1);
  for (std::size_t i = 0; i < middles_.size(); ++i) {
    const double left = i == 0 ? 0 : middles_[i - 1];
    const double right = i + 1 == middles_.size() ? 1 : middles_[i + 1];
    const double reach = std::max(middles_[i] - left, right - middles_[i]);
    deviations_.push_back(std::clamp(reach, least, 1.0));
    mass_ +=
        normal_cdf((1 - middles_[i]) / deviations_[i]) - normal_cdf(-middles_[i] / deviations_[i]);
  }
}

double TextbookDensity::at(double x) const {
  if (dimension_.kind == Dimension::Kind::choice) return shares_[static_cast<std::size_t>(x)];
  double sum = 1;  // the prior
  for (std::size_t i = 0; i < middles_.size(); ++i) {
    const double z = (x - middles_[i]) / deviations_[i];
    sum += std::exp(-0.5 * z * z - log_sqrt_two_pi) / deviations_[i];
  }
  return sum / mass_;
}

double TextbookDensity::within(const Cell& cell) const {
  double sum = cell.high - cell.low;
  for (std::size_t i = 0; i < middles_.size(); ++i)
    sum += normal_cdf((cell.high - middles_[i]) / deviations_[i]) -
           normal_cdf((cell.low - middles_[i]) / deviations_[i]);
  return sum / mass_;
}

double TextbookDensity::draw(Rng& rng) const {
  if (dimension_.kind == Dimension::Kind::choice) {
    double left = rng.uniform();
    std::size_t value = 0;
    while (value + 1 < shares_.size() && left >= shares_[value]) left -= shares_[value++];
    return static_cast<double>(value);
  }
  const auto kernels = static_cast<double>(middles_.size() + 1);
  for (int i = 0; i < coordinate_draws_max; ++i) {
    const auto kernel = static_cast<std::size_t>(rng.uniform() * kernels);
    if (kernel >= middles_.size()) return rng.uniform();
    const double x = middles_[kernel] + deviations_[kernel] * rng.normal();
    if (x >= 0 && x <= 1) return x;
  }
  return rng.uniform();
}

Result<std::unique_ptr<Sampler>> make_textbook_tpe(const SearchSpec& search) {
  const auto settings = textbook_settings(search);
  if (!settings) return settings.error();
  return std::unique_ptr<Sampler>(std::make_unique<TextbookTpe>(*settings));
}

}  // namespace hone
