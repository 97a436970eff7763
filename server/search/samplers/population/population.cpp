// The settings of `search: {method: pbt}`, and the sampler of its first members.
#include "server/search/samplers/population/population.hpp"

#include <array>
#include <cmath>

#include "base/nearest.hpp"
#include "schemas/types/methods.hpp"
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

constexpr double size_max = 100'000;
constexpr std::array<std::string_view, 6> known{"population", "quantile", "ready",
                                                "exploit",    "window",   "resample"};
constexpr std::size_t bandit_settings = 3;  // the first of them; a bandit exploits by truncation

Result<Exploit> read_exploit(const SearchSpec& search) {
  const Value* value = find(search.settings, "exploit");
  if (value == nullptr) return Exploit::truncation;
  const auto* word = std::get_if<std::string>(value);
  if (word != nullptr && *word == "truncation") return Exploit::truncation;
  if (word != nullptr && *word == "t_test") return Exploit::t_test;
  return refuse(Code::invalid, "exploit must be truncation or t_test", "/search/exploit");
}

Status check_perturb(const SearchSpec& search) {
  for (std::size_t i = 0; i < search.perturb.size(); ++i)
    if (!(search.perturb[i] >= 0.01 && search.perturb[i] <= 100))
      return refuse(Code::invalid, "perturb must hold factors from 0.01 to 100, as in [0.8, 1.2]",
                    "/search/perturb/" + std::to_string(i));
  return Done{};
}

}  // namespace

Result<Population> read_population(const SearchSpec& search) {
  const bool bandit = traits_of(search.method).models_forks;
  const std::span<const std::string_view> all = known;
  if (auto fits = only_settings(search, bandit ? all.first(bandit_settings) : all); !fits)
    return fits.error();
  if (auto fits = check_perturb(search); !fits) return fits.error();
  const auto size = count_setting(search, "population", search.trials, {2, size_max});
  const auto exploit = read_exploit(search);
  const auto quantile = number_setting(search, "quantile", bandit ? 0.25 : 0.2, {0.01, 0.5});
  const auto window = count_setting(search, "window", 10, {2, 1000});
  const auto ready = count_setting(search, "ready", 1, {1, 10'000});
  const auto resample = number_setting(search, "resample", 0.25, {0, 1});
  if (!size) return size.error();
  if (!exploit) return exploit.error();
  if (!quantile) return quantile.error();
  if (!window) return window.error();
  if (!ready) return ready.error();
  if (!resample) return resample.error();
  if (*size != search.trials)
    return refuse(Code::invalid,
                  "a population keeps its size: leave trials out, or make it that of population, " +
                      std::to_string(*size),
                  "/search/trials");
  Population population{
      *size, *exploit, *quantile, static_cast<int>(*window), static_cast<int>(*ready), *resample};
  if (!search.perturb.empty()) population.perturb = search.perturb;
  return population;
}

// The first members are independent draws; every later trial is a fork, which a verdict starts.
Result<std::unique_ptr<Sampler>> make_pbt_sampler(const SearchSpec& search, const SearchSpace&) {
  if (auto fits = read_population(search); !fits) return fits.error();
  return random_sampler();
}

}  // namespace hone
