#include "server/search/samplers/tpe/settings.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

constexpr std::array<std::string_view, 16> tpe_setting_names{
    "startup",       "gamma",        "good_max",   "bad_max",          "bandwidth",
    "min_bandwidth", "prior_weight", "candidates", "multivariate",     "liar",
    "surrogate",     "ratio_share",  "explore",    "surrogate_points", "cost",
    "variant"};

// Reads settings into fields and keeps the first error.
class SettingReader {
 public:
  explicit SettingReader(const SearchSpec& search) : search_(search) {}

  void number(std::string_view name, double& field, Bounds bounds) {
    take(number_setting(search_, name, field, bounds), field);
  }
  void count(std::string_view name, std::size_t& field, Bounds bounds) {
    take(count_setting(search_, name, static_cast<std::int64_t>(field), bounds), field);
  }
  void flag(std::string_view name, bool& field) { take(flag_setting(search_, name, field), field); }

  void cost(bool& field) { take(cost_setting(search_), field); }

  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }

 private:
  template <class T, class Field>
  void take(const Result<T>& read, Field& field) {
    if (read)
      field = static_cast<Field>(*read);
    else if (!refusal_)
      refusal_ = read.error();
  }

  const SearchSpec& search_;
  std::optional<Error> refusal_;
};

}  // namespace

Result<TpeSettings> tpe_settings(const SearchSpec& search) {
  if (auto fits = only_settings(search, tpe_setting_names); !fits) return fits.error();
  TpeSettings settings;
  SettingReader read(search);
  read.count("startup", settings.startup, {2, 1e6});
  read.number("gamma", settings.gamma, {0.001, 0.9});
  read.count("good_max", settings.good_max, {2, 1000});
  read.count("bad_max", settings.bad_max, {2, 10'000});
  read.number("bandwidth", settings.bandwidth, {0.001, 2});
  read.number("min_bandwidth", settings.min_bandwidth, {1e-4, 0.5});
  read.number("prior_weight", settings.prior_weight, {0.01, 100});
  read.count("candidates", settings.candidates, {1, 10'000});
  read.flag("multivariate", settings.multivariate);
  read.flag("liar", settings.liar);
  read.flag("surrogate", settings.surrogate);
  read.number("ratio_share", settings.ratio_share, {0, 1});
  read.number("explore", settings.explore, {0, 0.9});
  read.count("surrogate_points", settings.surrogate_points, {8, 256});
  read.cost(settings.cost);
  if (read.refusal()) return *read.refusal();
  return settings;
}

}  // namespace hone
