// Made-up families of curves: sound tables, reproducible, and as misleading as each claims to be.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "server/simulate/curve_families.hpp"
#include "server/simulate/curve_table.hpp"

namespace hone::simulate {
namespace {

CurveTable family_table(std::string_view family, std::uint64_t seed) {
  const auto files = make_family_table(family, seed).value();
  return std::move(CurveTable::parse(std::string(family), files.csv, files.json)).value();
}

// Kendall's tau between the first runs' values at a share of training and the sets' merits.
double agreement(const CurveTable& table, double share) {
  const auto sets = table.configurations();
  const double sign = table.goal() == Goal::maximize ? 1 : -1;
  const auto at = [&](const Configuration& set) {
    const auto& values = set.curves.front().values;
    const auto k = static_cast<std::size_t>(share * static_cast<double>(values.size())) - 1;
    return values[k] ? sign * *values[k] : -1e300;
  };
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const double early = at(sets[i]) - at(sets[j]), late = sets[i].merit - sets[j].merit;
      if (early != 0 && late != 0) sum += (early > 0) == (late > 0) ? 1 : -1;
    }
  return sum / pairs;
}

TEST(CurveFamilies, follow_from_name_and_seed_alone) {
  for (const CurveFamily& family : curve_families()) {
    EXPECT_EQ(make_family_table(family.name, 7)->csv, make_family_table(family.name, 7)->csv);
    EXPECT_NE(make_family_table(family.name, 7)->csv, make_family_table(family.name, 8)->csv);
    EXPECT_EQ(family_table(family.name, 7).configurations().size(), 80U) << family.name;
  }
}

TEST(CurveFamilies, early_ranks_hold_only_where_the_family_says_so) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_GT(agreement(family_table("steady", seed), 0.2), 0.7) << seed;
    EXPECT_LT(agreement(family_table("reversal", seed), 0.2), 0) << seed;
    EXPECT_LT(agreement(family_table("schedule", seed), 0.5), 0.75) << seed;
    EXPECT_LT(agreement(family_table("slow", seed), 0.2), 0.5) << seed;
    EXPECT_LT(agreement(family_table("collapse", seed), 0.4), 0.5) << seed;
    EXPECT_LT(agreement(family_table("noise", seed), 0.2), 0.5) << seed;
  }
}

TEST(CurveFamilies, sets_that_wait_on_a_plateau_tie_exactly) {
  const CurveTable table = family_table("plateaus", 1);
  std::set<double> early;
  for (const Configuration& set : table.configurations())
    early.insert(set.curves.front().values.front().value());
  EXPECT_LT(early.size(), 4U);
}

TEST(CurveFamilies, some_losses_explode_and_some_have_no_number) {
  const CurveTable table = family_table("divergence", 1);
  int huge = 0, missing = 0;
  for (const Configuration& set : table.configurations())
    for (const Curve& curve : set.curves) {
      missing += curve.values.back() ? 0 : 1;
      huge += curve.values.back().value_or(0) > 1e3 * 0.99 ? 1 : 0;
    }
  EXPECT_GT(huge, 10);
  EXPECT_GT(missing, 10);
}

TEST(CurveFamilies, an_unknown_one_is_refused_with_the_names_of_all) {
  const auto refused = make_family_table("no_such_family", 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().detail.find("crossing"), std::string::npos);
}

}  // namespace
}  // namespace hone::simulate
