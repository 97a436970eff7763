// The replay memory and its indexes: published numbers, and random work next to plain references.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "worker/train/replay/memory.hpp"
#include "worker/train/replay/sum_tree.hpp"

namespace hone::replay {
namespace {

using envs::Purpose;
using envs::Stream;

std::size_t below(Stream& random, std::size_t count) {
  return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
}

class SumTrees : public testing::TestWithParam<std::size_t> {};

TEST_P(SumTrees, agree_with_a_plain_sum_after_random_changes) {
  SumTree tree(GetParam());
  std::vector<double> plain(GetParam(), 0.0);
  Stream random(GetParam(), Purpose::replay, 0);
  for (int round = 0; round < 2000; ++round) {
    const auto leaf = below(random, plain.size());
    plain[leaf] = random.uniform() < 0.3 ? 0 : random.uniform(0, 10);
    tree.set(leaf, plain[leaf]);
    ASSERT_EQ(tree.at(leaf), plain[leaf]);
    const double total = std::accumulate(plain.begin(), plain.end(), 0.0);
    ASSERT_NEAR(tree.total(), total, 1e-9);
    if (total <= 0) continue;
    const double mass = random.uniform() * tree.total();
    const auto found = tree.find(mass);
    ASSERT_GT(plain[found], 0);
    const auto end = plain.begin() + static_cast<std::ptrdiff_t>(found);
    const double before = std::accumulate(plain.begin(), end, 0.0);
    ASSERT_LE(before, mass + 1e-9);
    ASSERT_GE(before + plain[found], mass - 1e-9);
  }
}

TEST_P(SumTrees, have_the_same_sums_however_their_leaves_came_to_be) {
  SumTree worn(GetParam());
  SumTree fresh(GetParam());
  Stream random(GetParam(), Purpose::replay, 1);
  for (int round = 0; round < 5000; ++round)
    worn.set(below(random, GetParam()), random.uniform(0, 1e6));
  for (std::size_t leaf = 0; leaf < GetParam(); ++leaf) fresh.set(leaf, worn.at(leaf));
  EXPECT_EQ(worn.total(), fresh.total());
}

TEST_P(SumTrees, never_find_a_leaf_without_a_weight) {
  SumTree tree(GetParam());
  const auto last = GetParam() - 1;
  tree.set(last / 2, 0.1);
  EXPECT_EQ(tree.find(0), last / 2);
  EXPECT_EQ(tree.find(tree.total()), last / 2) << "rounding can ask for the whole mass";
}

INSTANTIATE_TEST_SUITE_P(Sizes, SumTrees, testing::Values(1, 2, 7, 8, 9, 64, 65, 1000),
                         [](const auto& size) { return "of_" + std::to_string(size.param); });

// The priorities 1, 2, 3, 4 of the slots 0 to 3.
std::unique_ptr<Index> four(const IndexRule& rule) {
  auto index = make_index(rule, 4);
  for (std::size_t slot = 0; slot < 4; ++slot) index->add(slot);
  for (std::size_t slot = 0; slot < 4; ++slot)
    index->set_error(slot, static_cast<double>(slot + 1));
  return index;
}

std::vector<Draw> draws_of(const Index& index, std::size_t count) {
  std::vector<Draw> draws(count);
  Stream random(1, Purpose::replay, 2);
  index.draw(draws, random);
  return draws;
}

std::map<std::size_t, double> chances_of(const Index& index) {
  std::map<std::size_t, double> chances;
  for (const auto& draw : draws_of(index, 1000)) chances[draw.slot] = draw.probability;
  return chances;
}

TEST(Prioritized, proportional_probabilities_and_weights_are_the_published_ones) {
  const auto index = four({Priority::proportional, 0.6, 0});
  const auto chances = chances_of(*index);
  const std::vector<double> expected{.14823, .22467, .28655, .34054};
  std::vector<Draw> draws;
  for (std::size_t slot = 0; slot < 4; ++slot) {
    EXPECT_NEAR(chances.at(slot), expected[slot], 1e-5);
    draws.push_back({slot, chances.at(slot)});
  }
  std::vector<float> weights(4);
  importance_weights(draws, 4, 0.4, weights);
  const std::vector<double> golden{1, .84675, .76823, .71698};
  for (std::size_t slot = 0; slot < 4; ++slot) EXPECT_NEAR(weights[slot], golden[slot], 1e-5);
}

TEST(Prioritized, rank_probabilities_follow_the_rank_alone) {
  const auto index = four({Priority::rank, 0.7, 0});
  const auto chances = chances_of(*index);
  double sum = 0;
  for (int rank = 1; rank <= 4; ++rank) sum += std::pow(rank, -0.7);
  for (std::size_t slot = 0; slot < 4; ++slot)  // slot 3 has the largest error: rank 1
    EXPECT_NEAR(chances.at(slot), std::pow(4 - static_cast<double>(slot), -0.7) / sum, 1e-12);
}

TEST(Prioritized, a_weight_is_one_if_all_probabilities_are_equal) {
  const std::vector<Draw> draws(5, {0, 0.001});
  std::vector<float> weights(5);
  importance_weights(draws, 1000, 1, weights);
  for (const float weight : weights) EXPECT_FLOAT_EQ(weight, 1);
}

class Indexes : public testing::TestWithParam<Priority> {};

TEST_P(Indexes, draw_every_slot_as_often_as_they_state) {
  const auto index = make_index({GetParam(), 0.7, 1e-6}, 50);
  for (std::size_t slot = 10; slot < 30; ++slot) index->add(slot);
  Stream random(3, Purpose::replay, 0);
  for (int i = 0; i < 200; ++i) index->set_error(10 + below(random, 20), random.uniform(-5, 5));
  std::map<std::size_t, double> counts, chances;
  constexpr int rounds = 2000;
  std::vector<Draw> draws(32);
  for (int round = 0; round < rounds; ++round) {
    index->draw(draws, random);
    for (const auto& draw : draws) {
      counts[draw.slot] += 1.0 / (rounds * 32);
      chances[draw.slot] = draw.probability;
    }
  }
  double sum = 0;
  for (const auto& [slot, chance] : chances) {
    EXPECT_TRUE(index->contains(slot));
    EXPECT_NEAR(counts[slot], chance, 0.15 * chance + 1e-3) << slot;
    sum += chance;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST_P(Indexes, a_new_slot_has_the_largest_priority_so_far) {
  const auto index = make_index({GetParam(), 1, 0}, 8);
  for (std::size_t slot = 0; slot < 4; ++slot) index->add(slot);
  index->set_error(0, 100);
  for (const std::size_t slot : {1U, 2U, 3U}) index->set_error(slot, 1);
  index->add(5);
  const auto chances = chances_of(*index);
  for (const auto& [slot, chance] : chances) EXPECT_TRUE(slot == 0 || chances.at(5) >= chance);
}

TEST_P(Indexes, restored_from_their_words_draw_the_same) {
  const auto index = make_index({GetParam(), 0.6, 1e-6}, 40);
  Stream random(4, Purpose::replay, 0);
  for (int i = 0; i < 500; ++i) {
    const auto slot = below(random, 40);
    if (!index->contains(slot))
      index->add(slot);
    else if (random.uniform() < 0.3)
      index->remove(slot);
    else
      index->set_error(slot, random.uniform(-2, 2));
  }
  const auto copy = make_index({GetParam(), 0.6, 1e-6}, 40);
  ASSERT_TRUE(copy->restore(index->save()));
  EXPECT_EQ(copy->size(), index->size());
  const auto ours = draws_of(*index, 64);
  const auto theirs = draws_of(*copy, 64);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].slot, theirs[i].slot);
    EXPECT_EQ(ours[i].probability, theirs[i].probability);
  }
  EXPECT_EQ(copy->save(), index->save());
}

TEST_P(Indexes, refuse_words_of_more_slots_or_with_a_slot_twice) {
  const auto index = make_index({GetParam(), 0.6, 1e-6}, 40);
  index->add(39);
  const auto words = index->save();
  EXPECT_FALSE(make_index({GetParam(), 0.6, 1e-6}, 39)->restore(words));
  auto twice = words;
  const std::ptrdiff_t entry = GetParam() == Priority::uniform ? 1 : 2;
  twice.insert(twice.end(), words.end() - entry, words.end());
  EXPECT_FALSE(make_index({GetParam(), 0.6, 1e-6}, 40)->restore(twice));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Indexes,
                         testing::Values(Priority::uniform, Priority::proportional, Priority::rank),
                         [](const auto& kind) {
                           if (kind.param == Priority::uniform) return "uniform";
                           return kind.param == Priority::rank ? "rank" : "proportional";
                         });

// A memory with an observation of one number, its own count.
struct Line {
  explicit Line(std::size_t steps, double gamma, std::size_t slots = 64)
      : index(make_index({}, slots)), memory({slots, 1, 4, 1, 0, 1, steps, gamma}, *index) {}

  void append(float seen, float reward, Ending ending = Ending::none, float last = 0) {
    const float action = seen;
    memory.append(0, {&seen, {&action, 1}, reward, ending, &last});
  }
  Backup at(std::size_t slot) {
    float action = 0;
    return memory.read(slot, &observation, &next, {&action, 1});
  }

  std::unique_ptr<Index> index;
  Memory memory;
  float observation = -1, next = -1;
};

TEST(NStep, sums_discounted_rewards_and_takes_the_value_n_steps_later) {
  Line line(3, 0.9);
  const std::vector<float> rewards{1, 0, -2, 0.5F, 4};
  for (std::size_t i = 0; i < rewards.size(); ++i) line.append(static_cast<float>(i), rewards[i]);
  EXPECT_EQ(line.index->size(), 2U) << "the last three steps wait for their third successor";
  const auto backup = line.at(0);
  EXPECT_FLOAT_EQ(backup.reward, 1 - 2 * 0.81F);
  EXPECT_FLOAT_EQ(backup.discount, 0.729F);
  EXPECT_EQ(line.observation, 0);
  EXPECT_EQ(line.next, 3);
  EXPECT_FLOAT_EQ(line.at(1).reward, 0 - 2 * 0.9F + 0.5F * 0.81F);
}

TEST(NStep, ends_at_a_terminal_step_without_a_value) {
  Line line(3, 0.9);
  line.append(0, 1);
  line.append(1, 2, Ending::terminated);
  line.append(7, 100);
  EXPECT_EQ(line.index->size(), 2U);
  EXPECT_FLOAT_EQ(line.at(0).reward, 1 + 0.9F * 2);
  EXPECT_EQ(line.at(0).discount, 0);
  EXPECT_FLOAT_EQ(line.at(1).reward, 2);
}

TEST(NStep, takes_the_value_of_the_last_observation_of_a_truncated_episode) {
  Line line(3, 0.9);
  line.append(0, 1);
  line.append(1, 2, Ending::truncated, 50);
  line.append(7, 100);
  const auto backup = line.at(0);
  EXPECT_FLOAT_EQ(backup.reward, 1 + 0.9F * 2);
  EXPECT_FLOAT_EQ(backup.discount, 0.81F);
  EXPECT_EQ(line.next, 50);
  EXPECT_FLOAT_EQ(line.at(1).discount, 0.9F);
  EXPECT_EQ(line.next, 50);
}

TEST(NStep, does_not_reach_across_a_cut) {
  Line line(2, 0.9);
  line.append(0, 1);
  line.append(1, 1);
  line.memory.cut(0);
  line.append(5, 1);
  line.append(6, 1);
  line.append(7, 1);
  ASSERT_EQ(line.index->size(), 1U);
  EXPECT_TRUE(line.index->contains(2)) << "the first step after the cut";
}

}  // namespace
}  // namespace hone::replay
