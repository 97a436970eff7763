// A checkpoint that lacks a member, or has one of another kind or size, is refused by a value with
// one sentence: no trainer throws, and none reads beyond its memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/adam.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

struct Writer {
  const char* name;
  const char* trainer;
  Params settings;
  std::int64_t steps;
};

void PrintTo(const Writer& writer, std::ostream* out) { *out << writer.name; }

class DamagedCheckpoint : public testing::TestWithParam<Writer> {
 protected:
  DamagedCheckpoint()
      : path_(std::filesystem::temp_directory_path() /
              ("hone-damaged-" + std::to_string(::getpid()) + "-" + GetParam().name)) {
    const auto trainer = made();
    trainer->advance(GetParam().steps, {}, [] {});
    EXPECT_TRUE(trainer->save(path_).ok());
    std::ifstream file(path_);
    document_ = Json::parse(file);
  }
  ~DamagedCheckpoint() override { std::filesystem::remove(path_); }

  static std::unique_ptr<Trainer> made() {
    auto settings = Settings::resolve(*find_trainer(GetParam().trainer), GetParam().settings, {});
    EXPECT_TRUE(settings.ok()) << settings.error().detail;
    auto trainer = find_trainer_row(GetParam().trainer)->make({*std::move(settings), 3, 1000});
    EXPECT_TRUE(trainer.ok()) << trainer.error().detail;
    return *std::move(trainer);
  }

  Status load(const Json& document) {
    std::ofstream(path_) << document.dump();
    return made()->load(path_);
  }

  void expect_refused(const Json& document, const std::string& what) {
    const auto loaded = load(document);
    ASSERT_FALSE(loaded.ok()) << what;
    EXPECT_NE(loaded.error().detail.find(path_.string()), std::string::npos) << what;
    EXPECT_EQ(loaded.error().detail.find("json.exception"), std::string::npos)
        << loaded.error().detail;
    EXPECT_EQ(loaded.error().detail.find('\n'), std::string::npos) << what;
  }

  // The members that load() reads: the others describe the model to users.
  static bool is_read(const std::string& member) {
    for (const char* other :
         {"graph", "method", "settings", "placement", "hidden", "episode_steps"})
      if (member == other) return false;
    return true;
  }

  std::filesystem::path path_;
  Json document_;
};

TEST_P(DamagedCheckpoint, loads_if_it_is_not_damaged) { EXPECT_TRUE(load(document_).ok()); }

TEST_P(DamagedCheckpoint, is_refused_if_a_member_is_missing) {
  for (const auto& [name, value] : document_.items()) {
    if (!is_read(name)) continue;
    auto damaged = document_;
    damaged.erase(name);
    expect_refused(damaged, name);
  }
}

TEST_P(DamagedCheckpoint, is_refused_if_a_member_is_of_another_kind) {
  for (const auto& [name, value] : document_.items()) {
    if (!is_read(name)) continue;
    auto damaged = document_;
    damaged[name] = value.is_string() ? Json(7) : Json("seven");
    expect_refused(damaged, name);
  }
}

TEST_P(DamagedCheckpoint, is_refused_if_a_member_of_its_state_is_missing_or_of_another_kind) {
  for (const char* part : {"agent", "adam", "actor_adam", "critic_adam"}) {
    if (!document_.contains(part)) continue;
    for (const auto& [name, value] : document_[part].items()) {
      auto missing = document_;
      missing[part].erase(name);
      expect_refused(missing, name);
      auto other = document_;
      other[part][name] = "seven";
      expect_refused(other, name);
    }
  }
}

TEST_P(DamagedCheckpoint, is_refused_if_it_is_not_json_or_not_an_object) {
  for (const char* text :
       {"", "[", "[]", "7", "{}", R"({"format": 7})", R"({"format": "other"})"}) {
    std::ofstream(path_) << text;
    const auto loaded = made()->load(path_);
    ASSERT_FALSE(loaded.ok()) << text;
    EXPECT_NE(loaded.error().detail.find("is not a model"), std::string::npos)
        << loaded.error().detail;
  }
}

TEST_P(DamagedCheckpoint, is_refused_if_its_values_take_far_more_memory_than_its_bytes) {
  auto brackets = document_;
  brackets["more"] = Json(std::vector<Json>(200'000, Json::array()));
  expect_refused(brackets, "brackets");
  auto numbers = document_;
  numbers["more"] = std::vector<double>(200'000, 0.0);
  EXPECT_TRUE(load(numbers).ok()) << "as of an optimizer that has not learned yet";
}

TEST_P(DamagedCheckpoint, is_refused_if_it_was_cut_off) {
  const auto whole = document_.dump();
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 50) {
    std::ofstream(path_) << whole.substr(0, length);
    EXPECT_FALSE(made()->load(path_).ok()) << length;
  }
}

TEST_P(DamagedCheckpoint, is_not_evaluated) {
  EvaluationPlan plan;
  plan.model = path_;
  plan.episodes = 1;
  for (const char* name : {"settings", "hidden", "weights", "episode_steps", "format"}) {
    if (!document_.contains(name)) continue;
    auto damaged = document_;
    damaged[name] = true;
    std::ofstream(path_) << damaged.dump();
    EXPECT_FALSE(find_trainer_row(GetParam().trainer)->evaluate(plan).ok()) << name;
  }
}

// Each evaluated episode kept its observations: 2^31 of them for a policy that never fails.
TEST_P(DamagedCheckpoint, is_refused_with_longer_episodes_or_more_returns_than_there_are) {
  if (!document_.contains("episode_steps")) GTEST_SKIP() << "no episodes";
  auto damaged = document_;
  damaged["recent"] = std::vector<double>(1000, 1.0);
  expect_refused(damaged, "recent");
  damaged = document_;
  damaged["episode_steps"] = std::numeric_limits<int>::max();
  std::ofstream(path_) << damaged.dump();
  EvaluationPlan plan;
  plan.model = path_;
  plan.episodes = 1;
  EXPECT_FALSE(find_trainer_row(GetParam().trainer)->evaluate(plan).ok());
}

const Params small_graph{{"graph", std::string("rnnlm")},
                         {"devices", std::int64_t{2}},
                         {"hidden", std::int64_t{4}},
                         {"polish", std::int64_t{0}}};

Params with_agent(const char* agent) {
  auto params = small_graph;
  params.push_back({"agent", std::string(agent)});
  return params;
}

const Params small_harmony{{"samples", std::int64_t{30}}, {"reward_epochs", std::int64_t{1}},
                           {"hidden", std::int64_t{4}},   {"replay", std::int64_t{20}},
                           {"updates", std::int64_t{1}},  {"batch", std::int64_t{8}}};

Params with_controllers() {
  auto params = with_agent("seq2seq");
  params.push_back({"controllers", std::int64_t{2}});
  return params;
}

INSTANTIATE_TEST_SUITE_P(Trainers, DamagedCheckpoint,
                         testing::Values(Writer{"cem", "cem", {}, 32},
                                         Writer{"reinforce", "reinforce", {}, 8},
                                         Writer{"post", "placement", with_agent("post"), 13},
                                         Writer{"seq2seq", "placement", with_agent("seq2seq"), 13},
                                         Writer{"controllers", "placement", with_controllers(), 13},
                                         Writer{"harmony", "harmony", small_harmony, 40}),
                         [](const auto& row) { return std::string(row.param.name); });

class DamagedPlacement : public DamagedCheckpoint {};

TEST_P(DamagedPlacement, is_refused_if_a_device_does_not_exist) {
  for (const Json& placed : {Json{9, 9, 9}, Json{-1}, Json::array({0})}) {
    auto damaged = document_;
    damaged["best"] = placed;
    expect_refused(damaged, "best");
  }
  const char* samples = std::string_view(GetParam().name) == "seq2seq" ? "batch" : "window";
  auto damaged = document_;
  ASSERT_FALSE(damaged["agent"][samples].empty());
  damaged["agent"][samples][0][0][0] = 2;  // devices 0 and 1 exist
  expect_refused(damaged, samples);
}

TEST_P(DamagedPlacement, is_refused_if_it_is_of_another_graph) {
  auto damaged = document_;
  damaged["digest"] = "0000";
  const auto loaded = load(damaged);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().detail.find("another graph"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Agents, DamagedPlacement,
                         testing::Values(Writer{"post", "placement", with_agent("post"), 13},
                                         Writer{"seq2seq", "placement", with_agent("seq2seq"), 13}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(AdamState, continues_with_the_same_steps) {
  std::vector<double> values{1, 2};
  Adam adam;
  adam.step(values, {0.5, -0.5}, 0.1);
  auto copy = values;
  Adam restored;
  ASSERT_TRUE(restored.restore(adam.state(), 2));
  adam.step(values, {0.25, 1}, 0.1);
  restored.step(copy, {0.25, 1}, 0.1);
  EXPECT_EQ(copy, values);
}

TEST(AdamState, of_no_step_fits_any_number_of_values) {
  Adam adam;
  EXPECT_TRUE(adam.restore(Adam().state(), 5));
}

TEST(AdamState, is_refused_if_its_numbers_contradict_each_other) {
  const Json sound{{"count", 1}, {"mean", {1.0, 2.0}}, {"square", {1.0, 2.0}}};
  Adam adam;
  EXPECT_TRUE(adam.restore(sound, 2));
  EXPECT_FALSE(adam.restore(sound, 3)) << "another number of values";
  auto damaged = sound;
  damaged["square"] = {1.0};
  EXPECT_FALSE(adam.restore(damaged, 2));
  damaged = sound;
  damaged["count"] = -1;
  EXPECT_FALSE(adam.restore(damaged, 2));
  damaged["count"] = 1.5;
  EXPECT_FALSE(adam.restore(damaged, 2));
  EXPECT_FALSE(adam.restore(Json::array(), 2));
}

TEST(JsonStateReader, names_the_first_member_that_is_damaged) {
  const Json state{{"a", 1}, {"b", "text"}};
  JsonState reader(state);
  int a = 0;
  int b = 5;
  int c = 6;
  reader.read("a", a).read("b", b).read("c", c);
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 5) << "keeps its value";
  EXPECT_EQ(c, 6);
  EXPECT_FALSE(reader.sound());
  EXPECT_NE(reader.status().error().detail.find("'b'"), std::string::npos);
}

TEST(JsonStateReader, reads_no_fractions_as_whole_numbers) {
  const Json state{{"a", 1.5}, {"b", true}};
  JsonState reader(state);
  std::int64_t a = 2;
  reader.read("a", a);
  EXPECT_EQ(a, 2);
  EXPECT_FALSE(reader.sound());
  bool b = false;
  EXPECT_TRUE(JsonState(state).read("b", b).sound());
  EXPECT_TRUE(b);
}

}  // namespace
}  // namespace hone::trainers
