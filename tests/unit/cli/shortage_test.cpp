// Sweeps that no worker can train are reported, with what is needed and what there is.
#include "sdk/cli/session/shortage.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "tests/unit/cli/given.hpp"

namespace hone::cli {
namespace {

constexpr Instant at{1'790'000'000'000'000};

Json worker(const std::string& id, int cpus, int gpus, Duration silent = {}) {
  return {{"id", id}, {"cpus", cpus}, {"gpus", gpus}, {"last_seen_at", rfc3339(at - silent)}};
}

Json needing(int cpus, int gpus) {
  return {{"command", {"train"}}, {"resources", {{"cpus", cpus}, {"gpus", gpus}}}};
}

TEST(CliShortage, none_if_one_worker_is_large_enough) {
  EXPECT_EQ(shortage_text(needing(2, 1), {worker("wk_1", 1, 0), worker("wk_2", 2, 1)}, at), "");
}

TEST(CliShortage, names_what_is_needed_and_what_there_is) {
  EXPECT_EQ(shortage_text(needing(1, 5), {worker("wk_1", 8, 0), worker("wk_2", 4, 2)}, at),
            "no worker can train it: a run needs 1 slot and 5 GPUs; connected: wk_2 with 4 slots "
            "and 2 GPUs, wk_1 with 8 slots");
  EXPECT_EQ(shortage_text(needing(2, 1), {worker("wk_1", 8, 0), worker("wk_2", 1, 1)}, at)
                .find("no worker can train it: a run needs 2 slots and 1 GPU;"),
            0U)
      << "two workers do not train one run";
}

TEST(CliShortage, memory_and_labels_are_counted_and_named) {
  Json spec = needing(1, 0);
  spec["resources"]["memory"] = 4LL << 30;
  spec["resources"]["labels"] = {"zone=a"};
  Json fits = worker("wk_1", 1, 0), small = worker("wk_2", 2, 0), elsewhere = worker("wk_3", 3, 0);
  fits["memory"] = 4LL << 30, small["memory"] = 1LL << 30, elsewhere["memory"] = 8LL << 30;
  fits["labels"] = {"fast", "zone=a"}, small["labels"] = {"zone=a"};
  elsewhere["labels"] = {"zone=b"};
  EXPECT_EQ(shortage_text(spec, {fits, small}, at), "");
  EXPECT_EQ(shortage_text(spec, {small, elsewhere, worker("wk_4", 1, 0)}, at),
            "no worker can train it: a run needs 1 slot, 4 GiB and zone=a; connected: wk_3 with 3 "
            "slots, 8 GiB and zone=b, wk_2 with 2 slots, 1 GiB and zone=a, wk_4 with 1 slot and "
            "unknown memory");
}

TEST(CliShortage, a_worker_with_a_label_only_is_none_for_other_runs) {
  Json reserved = worker("wk_1", 8, 0), spec = needing(1, 0);
  reserved["labels"] = {"only=mine"};
  EXPECT_NE(shortage_text(spec, {reserved}, at), "");
  spec["resources"]["labels"] = {"only=mine"};
  EXPECT_EQ(shortage_text(spec, {reserved}, at), "");
}

TEST(CliShortage, names_the_largest_of_many_workers) {
  std::vector<Json> workers;
  for (int i = 1; i <= 9; ++i) workers.push_back(worker("wk_" + std::to_string(i), i, 0));
  const auto text = shortage_text(needing(16, 0), workers, at);
  EXPECT_TRUE(contains(text, "connected: wk_9 with 9 slots, wk_8 with 8 slots, wk_7")) << text;
  EXPECT_TRUE(contains(text, "and 6 smaller ones")) << text;
}

TEST(CliShortage, workers_that_left_and_askers_do_not_count) {
  const std::vector<Json> gone{worker("wk_1", 8, 8, seconds(361)), worker("wk_2", 0, 0)};
  EXPECT_EQ(shortage_text(needing(1, 0), gone, at),
            "no worker is connected: a run needs 1 slot; start one with: hone worker");
  EXPECT_EQ(shortage_text(needing(1, 0), {worker("wk_1", 8, 8, seconds(359))}, at), "")
      << "an idle worker shows itself every 5 min";
}

Json fleet_of(const std::string& state, int pilots, int slots) {
  return {{"name", "gpu"},
          {"state", state},
          {"pilots", pilots},
          {"joined", 0},
          {"spec", {{"slots", slots}, {"gpus", 1}, {"labels", Json::array()}}}};
}

// With a fleet that started pilots, the advice was to start a worker by hand.
TEST(CliShortage, names_the_fleet_whose_pilots_can_train_the_sweep) {
  const std::string needs = "no worker is connected: a run needs 2 slots and 1 GPU; ";
  const auto with = [](const Json& fleet) {
    return shortage_text(needing(2, 1), {}, at, {fleet_of("stopped", 0, 8), fleet});
  };
  EXPECT_EQ(with(fleet_of("running", 2, 2)),
            needs + "fleet 'gpu' starts 2 pilots: hone fleet explain gpu");
  EXPECT_EQ(with(fleet_of("running", 0, 2)),
            needs + "fleet 'gpu' starts pilots when runs wait: hone fleet explain gpu");
  EXPECT_EQ(with(fleet_of("halted", 0, 2)),
            needs + "fleet 'gpu' is halted: hone fleet explain gpu");
  EXPECT_EQ(with(fleet_of("running", 2, 1)), needs + "start one with: hone worker")
      << "its pilots are too small";
}

TEST(CliShortage, live_fleets_tell_what_they_do_about_a_lack_of_workers) {
  EXPECT_EQ(promise_of({fleet_of("stopped", 0, 1), fleet_of("stopping", 1, 1)}).text, "");
  const auto starts = promise_of({fleet_of("stopping", 1, 1), fleet_of("running", 0, 1)});
  EXPECT_TRUE(starts.starts);
  EXPECT_EQ(starts.text, "fleet 'gpu' starts pilots when runs wait: hone fleet explain gpu");
  const auto halted = promise_of({fleet_of("halted", 0, 1)});
  EXPECT_FALSE(halted.starts);
  EXPECT_EQ(halted.text, "fleet 'gpu' is halted: hone fleet explain gpu");
  EXPECT_EQ(promise_of({fleet_of("running", 2, 1), fleet_of("halted", 0, 1)}).text,
            "fleet 'gpu' starts 2 pilots: hone fleet explain gpu; " + halted.text);
}

TEST(CliShortage, sweeps_of_askers_need_no_worker) {
  EXPECT_EQ(shortage_text({{"trainer", {{"name", "ask"}}}}, {}, at), "");
}

// The commands, before and after a worker joins.
TEST(CliShortage, is_in_every_command_that_looks_at_a_sweep) {
  ServedApi server;
  server.api.submit();
  const std::string why = "no worker is connected: a run needs 1 slot";
  EXPECT_TRUE(contains(server.run({"ls"}).messages, "sw_1 waits: " + why));
  EXPECT_TRUE(contains(server.out({"show", "sw_1"}), "waits: " + why));
  server.api.join();
  EXPECT_FALSE(contains(server.run({"ls"}).messages, "waits"));
  EXPECT_FALSE(contains(server.out({"show", "sw_1"}), "waits"));
}

}  // namespace
}  // namespace hone::cli
