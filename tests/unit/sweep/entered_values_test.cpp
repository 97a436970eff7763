// Values that people and other programs give to a sweep: which are taken, and how they are stored.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec mixed_spec() {
  SweepSpec spec = small_spec(40, 1);
  spec.parameters = {{"d", FloatDomain{0, 1, Scale::linear, 0.1, {}}, ""},
                     {"x", FloatDomain{0, 2, Scale::linear, {}, {}}, ""},
                     {"n", IntDomain{1, 9, Scale::linear, 1, {}}, ""},
                     {"c", ChoiceDomain{{std::int64_t{1}, 2.5, std::string("a")}, false, {}}, ""},
                     {"z", FloatDomain{0, 1, Scale::linear, {}, {}}, "d == 0.3"}};
  spec.trainer = CommandTrainer{{"train", "${d}", "${x}", "${n}", "${c}"}};
  return spec;
}

struct Entering : Given {
  SweepId id = submit(mixed_spec());

  // The stored set; empty after a refusal.
  Params enqueued(const Params& params) {
    const Events events = when(Enqueue{id, {"set-" + std::to_string(seq), params}});
    return events.empty() ? Params{} : std::get<TrialEnqueued>(events.front()).params;
  }
  // A sweep that was submitted under earlier rules.
  void age(int rules) {
    Sweep& sweep = book.sweeps.at(id);
    sweep.rules = rules;
    equip(sweep);
  }
};

TEST(EnteredValues, are_stored_as_members_of_the_space) {
  Entering given;
  const Params wanted{{"d", 0.3}, {"x", 1.0}, {"n", std::int64_t{3}}, {"c", std::int64_t{1}}};
  EXPECT_EQ(
      given.enqueued({{"d", 0.30000000000000004}, {"x", std::int64_t{1}}, {"n", 3.0}, {"c", 1.0}}),
      wanted);
  const auto grant = given.acquire(given.join(), "a1");
  ASSERT_TRUE(grant);
  for (const Param& param : wanted)
    EXPECT_EQ(*find(grant->params, param.name), param.value) << param.name;
  EXPECT_TRUE(find(grant->params, "z")) << "its condition d == 0.3 holds";
}

TEST(EnteredValues, a_refusal_names_the_domain_and_the_nearest_member) {
  Entering given;
  EXPECT_EQ(given.enqueued({{"d", 0.34}}), Params{});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/params/d");
  EXPECT_EQ(given.error->detail, "0.34 is not in [0, 1] in steps of 0.1; the nearest value is 0.3");
  for (const Value& value : {Value{std::string("1")}, Value{true}, Value{std::nan("")}}) {
    EXPECT_EQ(given.enqueued({{"x", value}}), Params{});
    EXPECT_EQ(given.error->at, "/params/x");
  }
}

TEST(EnteredValues, proposals_of_stepped_ranges_are_decimals) {
  Entering given;
  const WorkerId worker = given.join();
  for (int i = 0; i < 40; ++i) {
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    ASSERT_TRUE(grant);
    const double d = std::get<double>(*find(grant->params, "d"));
    EXPECT_EQ(d, std::stod(std::to_string(d))) << "has at most six digits";
    given.report(grant->lease, 0, Score::of(d));
  }
}

// Sweeps of earlier rules replay with the values that they proposed.
TEST(EnteredValues, sweeps_of_earlier_rules_take_what_is_meant_and_keep_their_own_values) {
  Entering given;
  given.age(3);
  EXPECT_EQ(given.enqueued({{"d", 0.3}, {"x", std::int64_t{1}}}),
            (Params{{"d", 0.30000000000000004}, {"x", 1.0}}));
  const auto grant = given.acquire(given.join(), "a1");
  ASSERT_TRUE(grant);
  EXPECT_EQ(*find(grant->params, "d"), Value{0.30000000000000004});
  EXPECT_FALSE(find(grant->params, "z")) << "as it was before: d == 0.3 does not hold";
}

TEST(EnteredValues, a_warm_start_ignored_0_3_of_tenths) {
  Entering given;
  given.age(3);
  given.enqueued({{"d", 0.3}, {"x", 1.0}, {"n", std::int64_t{2}}, {"c", 2.5}});
  const auto grant = given.acquire(given.join(), "a1");
  given.report(grant->lease, 0, Score::of(5));
  SweepSpec spec = mixed_spec();
  spec.parameters.pop_back();
  spec.search.warm_start = {given.id};
  const History& history = given.sweep(given.submit(spec, "later")).history;
  ASSERT_EQ(history.foreign(), 1U);
}

}  // namespace
}  // namespace hone
