// What every sampler promises, whatever its row. A new row runs by itself.
#include <gtest/gtest.h>

#include "server/search/expression.hpp"
#include "server/search/sampler.hpp"
#include "server/search/space.hpp"

namespace hone {

void PrintTo(const SamplerRow& row, std::ostream* out) { *out << row.method; }

namespace {

const Space space{
    {"learning_rate", FloatDomain{1e-5, 1e-2, Scale::log, {}}, ""},
    {"momentum", FloatDomain{0, 1, Scale::linear, 0.25}, ""},
    {"t_max", IntDomain{2, 100, Scale::log, 1}, ""},
    {"gamma", ChoiceDomain{{0.9, 0.95, 0.99}}, ""},
    {"clip", BoolDomain{}, ""},
    {"clip_norm", FloatDomain{0.1, 10, Scale::log, {}}, "clip"},
    {"deep", IntDomain{1, 3, Scale::linear, 1}, "clip and clip_norm > 1"},
    {"layers", FixedDomain{std::int64_t{2}}, ""},
};

class SamplerContract : public testing::TestWithParam<SamplerRow> {
 protected:
  std::unique_ptr<Sampler> sampler_ =
      std::move(GetParam().make({std::string(GetParam().method), 100})).value();
  [[nodiscard]] Params propose(const History& history, std::uint64_t number,
                               std::uint64_t seed = 1) const {
    Rng rng(seed, Purpose::propose, number);
    return sampler_->propose(space, history, rng);
  }
};

History history_of(int trials, const SamplerContract&) {
  History history(Goal::maximize);
  const auto random = std::move(make_sampler({"random", 100})).value();
  for (int i = 0; i < trials; ++i) {
    Rng rng(99, Purpose::propose, static_cast<std::uint64_t>(i));
    history.add_trial(random->propose(space, History(Goal::maximize), rng));
    if (i % 3 != 0)
      history.add_report(static_cast<std::size_t>(i), 0,
                         i % 5 == 0 ? Score::diverged() : Score::of(i));
  }
  return history;
}

TEST_P(SamplerContract, stays_inside_every_domain_and_honours_conditions) {
  for (const int trials : {0, 1, 50}) {
    const History history = history_of(trials, *this);
    for (std::uint64_t number = 0; number < 300; ++number) {
      const Params params = propose(history, number);
      std::size_t present = 0;
      for (const Parameter& parameter : space) {
        const bool active =
            parameter.when.empty() || Expression::parse(parameter.when)->holds(params);
        const Value* value = find(params, parameter.name);
        ASSERT_EQ(value != nullptr, active) << parameter.name;
        if (value == nullptr) continue;
        EXPECT_TRUE(contains(parameter.domain, *value)) << parameter.name;
        EXPECT_EQ(params[present++].name, parameter.name);  // in the order of the space
      }
      EXPECT_EQ(present, params.size());
    }
  }
}

TEST_P(SamplerContract, the_same_address_and_history_give_the_same_parameters) {
  const History history = history_of(20, *this);
  for (std::uint64_t number = 0; number < 20; ++number)
    EXPECT_EQ(propose(history, number), propose(history, number));
}

TEST_P(SamplerContract, another_seed_gives_other_parameters) {
  const History history = history_of(0, *this);
  int different = 0;
  for (std::uint64_t number = 0; number < 20; ++number)
    different += propose(history, number, 1) != propose(history, number, 2);
  EXPECT_GE(different, 19);
}

TEST_P(SamplerContract, an_empty_space_has_one_point) {
  Rng rng(1, Purpose::propose, 0);
  EXPECT_TRUE(sampler_->propose({}, History(Goal::maximize), rng).empty());
}

INSTANTIATE_TEST_SUITE_P(Rows, SamplerContract,
                         testing::ValuesIn(sampler_table().begin(), sampler_table().end()),
                         [](const auto& row) { return std::string(row.param.method); });

}  // namespace
}  // namespace hone
