// What is written is read back as it was: through the text, not only through the document.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/submit.hpp"
#include "tests/unit/codec/generate.hpp"

namespace hone {
namespace {

constexpr std::uint64_t seed = 20261121;
constexpr int rounds = 500;

// The body, its text, the text's document, the body again, its text again: the two texts are equal.
template <class T, class Decode>
void expect_same_again(const T& body, Decode decode) {
  const std::string written = to_text(encode(body));
  const auto parsed = parse_json(written);
  ASSERT_TRUE(parsed.ok()) << parsed.error().detail << "\n" << written;
  const auto read = decode(*parsed);
  ASSERT_TRUE(read.ok()) << read.error().detail << " at " << read.error().at << "\n" << written;
  EXPECT_EQ(to_text(encode(*read)), written);
}

TEST(RoundTrip, sweep_specs_are_equal_again) {
  Generator random(seed);
  for (int i = 0; i < rounds; ++i) {
    const auto spec = random.spec();
    const auto text = to_text(encode(spec));
    const auto again = decode_request<SweepSpec>(parse_json(text).value());
    ASSERT_TRUE(again.ok()) << again.error().detail << " at " << again.error().at << "\n" << text;
    EXPECT_EQ(*again, spec) << text;
  }
}

TEST(RoundTrip, requests) {
  Generator random(seed);
  for (int i = 0; i < rounds; ++i) {
    expect_same_again(SubmitRequest{random.name(), random.spec(), random.workflow()},
                      decode_request<SubmitRequest>);
    expect_same_again(SteerRequest{random.word<Verb>()}, decode_request<SteerRequest>);
    expect_same_again(JoinRequest{random.name(), random.name(), random.integer(1, 99999),
                                  random.small(0, 64), random.small(0, 8), "0.1.0"},
                      decode_request<JoinRequest>);
    expect_same_again(
        AcquireRequest{random.name(), random.id<WorkerTag>(), 1, 0, random.duration()},
        decode_request<AcquireRequest>);
    expect_same_again(ReportRequest{random.small(0, 9999), random.integer(0, 1LL << 52),
                                    random.score(), random.scores()},
                      decode_request<ReportRequest>);
    expect_same_again(AskRequest{random.name()}, decode_request<AskRequest>);
    expect_same_again(random.tell(), decode_request<TellRequest>);
    expect_same_again(EnqueueRequest{random.name(), random.params()},
                      decode_request<EnqueueRequest>);
    expect_same_again(ConfirmRequest{random.name(), random.small(1, 100), random.small(2, 1000)},
                      decode_request<ConfirmRequest>);
    expect_same_again(SaveModelRequest{random.sha256(), random.integer(0, 1LL << 52), 7, 3},
                      decode_request<SaveModelRequest>);
    expect_same_again(SaveArtifactRequest{"plots/loss.png", random.sha256(), 7},
                      decode_request<SaveArtifactRequest>);
    expect_same_again(MetricsRequest{{{"loss", 1, random.real()}, {"größe", 2, random.real()}}},
                      decode_request<MetricsRequest>);
    expect_same_again(EndRequest{EndReason::exit_code, random.small(-9, 255), random.any_text(),
                                 random.any_text()},
                      decode_request<EndRequest>);
    expect_same_again(RecordCodeRequest{random.workflow()}, decode_request<RecordCodeRequest>);
    expect_same_again(EvaluateRequest{random.name(), random.evaluation()},
                      decode_request<EvaluateRequest>);
    expect_same_again(BeatRequest{{random.id<LeaseTag>(), random.id<LeaseTag>()}},
                      decode_request<BeatRequest>);
    BeatRequest sampled;
    sampled.machine =
        MachineSamples{1.5, random.integer(0, 1LL << 52), {random.sample(), random.sample()}};
    expect_same_again(sampled, decode_request<BeatRequest>);
  }
}

TEST(RoundTrip, replies) {
  Generator random(seed);
  for (int i = 0; i < rounds; ++i) {
    expect_same_again(JoinReply{random.id<WorkerTag>(), random.duration(), random.duration()},
                      decode_reply<JoinReply>);
    expect_same_again(std::optional(random.grant()), decode_reply<std::optional<LeaseGrant>>);
    expect_same_again(BeatReply{{{random.id<LeaseTag>(), random.word<Order>(), random.instant()}}},
                      decode_reply<BeatReply>);
    expect_same_again(ReportReply{random.verdict()}, decode_reply<ReportReply>);
    expect_same_again(AskReply{random.id<TrialTag>(), random.integer(0, 1'000'000),
                               random.id<LeaseTag>(), random.params(), 7, random.small(0, 9999)},
                      decode_reply<AskReply>);
    expect_same_again(TellReply{random.verdict()}, decode_reply<TellReply>);
    expect_same_again(EnqueueReply{random.integer(0, 1000)}, decode_reply<EnqueueReply>);
    expect_same_again(SaveModelReply{random.id<ModelTag>()}, decode_reply<SaveModelReply>);
    expect_same_again(EvaluateReply{random.id<EvaluationTag>()}, decode_reply<EvaluateReply>);
  }
  expect_same_again(std::optional<LeaseGrant>{}, decode_reply<std::optional<LeaseGrant>>);
}

TEST(RoundTrip, every_event) {
  Generator random(seed);
  for (int i = 0; i < rounds; ++i) {
    const auto events = random.one_of_each_event();
    ASSERT_EQ(events.size(), std::variant_size_v<EventAlternatives>);
    for (std::size_t k = 0; k < events.size(); ++k) {
      ASSERT_EQ(events[k].index(), k);
      const auto name = kind(events[k]);
      expect_same_again(events[k], [&](const Json& json) { return decode_event(name, json); });
    }
  }
}

// An older worker talks to a newer server.
TEST(Replies, unknown_fields_are_skipped_at_every_depth) {
  Generator random(seed);
  Json json = encode(std::optional(random.grant()));
  json["mood"] = "new";
  for (const char* block : {"objective", "budget", "resources", "trainer"})
    json["grant"][block]["mood"] = "new";
  const auto read = decode_reply<std::optional<LeaseGrant>>(json);
  EXPECT_TRUE(read.ok()) << read.error().at;
}

TEST(Replies, a_reply_that_makes_no_sense_is_not_the_callers_mistake) {
  const auto read = decode_reply<JoinReply>(Json{{"worker", "sw_1"}});
  EXPECT_EQ(read.error().code, Code::internal);
  EXPECT_EQ(read.error().at, "/worker");
}

TEST(RoundTrip, values_keep_their_type_and_every_bit) {
  Generator random(seed);
  for (int i = 0; i < 20 * rounds; ++i) {
    const Value value = random.value();
    const auto again = decode_value(parse_json(to_text(encode(value))).value(), "");
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->index(), value.index());
    EXPECT_EQ(*again, value);
  }
}

TEST(RoundTrip, an_infinite_input_of_a_verdict_survives) {
  const Verdict verdict{
      Action::stop, VerdictReason::evicted, {{"cutoff", -std::numeric_limits<double>::infinity()}}};
  EXPECT_EQ(to_text(encode(verdict)),
            R"({"verdict":"stop","reason":"evicted","inputs":{"cutoff":"-inf"}})");
  EXPECT_EQ(decode_verdict(encode(verdict), "").value(), verdict);
}

}  // namespace
}  // namespace hone
