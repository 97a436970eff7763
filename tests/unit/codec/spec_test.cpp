#include "schemas/types/spec.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/space.hpp"

namespace hone {
namespace {

constexpr std::string_view least = R"({
  "objective": {"metric": "return"},
  "trainer": {"name": "ga3c", "envs": 16},
  "parameters": {
    "lr": {"type": "float", "min": 1e-5, "max": 1, "scale": "log"},
    "t_max": {"type": "int", "min": 2, "max": "1k"},
    "act": {"values": ["relu", 1, 0.5, true], "when": "lr > 0.1"},
    "hidden": {"value": 128}
  },
  "search": {"trials": "1k"},
  "terminator": {"rule": "hypertrick", "eviction_rate": 0.25},
  "budget": {"per_run": "1.5M", "phases": 10},
  "limits": {"duration": "90m"}
})";

SweepSpec spec_of(std::string_view text) {
  auto spec = decode_request<SweepSpec>(parse_json(text).value());
  EXPECT_TRUE(spec.ok()) << spec.error().detail << " at " << spec.error().at;
  return std::move(spec).value();
}

// What `describe --resolved` shows and the ledger keeps. A change of this text is a change of the
// words.
TEST(SweepSpec, is_written_with_every_default_filled_in) {
  EXPECT_EQ(to_text(encode(spec_of(least))),
            R"({"name":"sweep","project":"default","seed":0,)"
            R"("objective":{"metric":"return","goal":"maximize"},)"
            R"("trainer":{"name":"ga3c","envs":16},)"
            R"("parameters":{"lr":{"type":"float","min":1e-05,"max":1.0,"scale":"log"},)"
            R"("t_max":{"type":"int","min":2,"max":1000,"scale":"linear","step":1},)"
            R"("act":{"type":"choice","values":["relu",1,0.5,true],"when":"lr > 0.1"},)"
            R"("hidden":{"type":"fixed","value":128}},)"
            R"("search":{"method":"hone","trials":1000},)"
            R"("terminator":{"rule":"hypertrick","eviction_rate":0.25},)"
            R"("budget":{"unit":"frames","per_run":1500000,"phases":10},)"
            R"("replicates":{"seeds":1},"resources":{"cpus":1,"gpus":0},)"
            R"("limits":{"duration":5400,"max_retries":3},"checkpoints":{"keep":"best"}})");
}

TEST(SweepSpec, an_objective_of_time_gets_the_version_that_keeps_times_apart) {
  const auto chosen = [](const std::string& objective) {
    return spec_of(R"({"objective": )" + objective + R"(, "trainer": {"name": "ga3c"},
      "parameters": {"lr": {"type": "float", "min": 0, "max": 1}}, "search": {"trials": 3},
      "budget": {"per_run": 1000, "phases": 5}})")
        .terminator;
  };
  EXPECT_EQ(chosen(R"({"metric": "return"})"), (TerminatorSpec{"hone", {{"version", 5}}}));
  EXPECT_EQ(chosen(R"({"metric": "return", "reach": 475})"),
            (TerminatorSpec{"hone", {{"version", 3}}}));
  const auto warm = spec_of(R"({"name": "d", "objective": {"metric": "return"}, "command": "train",
      "parameters": {"lr": {"type": "float", "min": 0, "max": 1}},
      "search": {"trials": 3, "warm_start": ["sw_1"]}, "budget": {"per_run": 1000, "phases": 5}})");
  EXPECT_EQ(warm.terminator, (TerminatorSpec{"hone", {{"version", 5}}}));
}

TEST(SweepSpec, what_is_written_is_a_sweep_file_again) {
  const auto spec = spec_of(least);
  EXPECT_EQ(spec_of(to_text(encode(spec))), spec);
}

TEST(SweepSpec, parameters_keep_their_order_and_kind) {
  const auto spec = spec_of(least);
  ASSERT_EQ(spec.parameters.size(), 4U);
  EXPECT_EQ(spec.parameters[0].name, "lr");
  EXPECT_EQ(std::get<FloatDomain>(spec.parameters[0].domain),
            (FloatDomain{1e-5, 1.0, Scale::log, std::nullopt, std::nullopt}));
  const auto& values = std::get<ChoiceDomain>(spec.parameters[2].domain).values;
  EXPECT_EQ(values, (std::vector<Value>{std::string("relu"), std::int64_t{1}, 0.5, true}));
  EXPECT_EQ(spec.limits.duration, seconds(5400));
}

TEST(SweepSpec, the_first_fault_is_told_even_if_there_are_many) {
  const auto spec = decode_request<SweepSpec>(
      parse_json(R"({"objective": {}, "budget": 3, "colour": 1})").value());
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().code, Code::invalid);
  EXPECT_EQ(spec.error().at, "/objective/metric");
}

TEST(SweepSpec, long_and_odd_texts_are_shortened_in_the_sentence) {
  const Json json{{"objective", {{"metric", "r"}, {"goal", std::string(1000, 'x') + "\n"}}}};
  const auto spec = decode_request<SweepSpec>(json);
  EXPECT_LT(spec.error().detail.size(), 200U);
}

}  // namespace
}  // namespace hone
