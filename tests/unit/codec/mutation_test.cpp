// Whatever arrives, a decoder answers: a value, or a refusal that points into the document.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/submit.hpp"
#include "tests/unit/codec/generate.hpp"

namespace hone {
namespace {

constexpr std::uint64_t mutation_seed = 20261121;
constexpr int mutation_rounds = 300;

Json junk(Generator& random) {
  static const Json all = Json::parse(
      R"([null, true, -1, 0, 1e300, 18446744073709551615, -9223372036854775808, "",
          "diverged", "le_0", "inf", [], [[]], {}, {"": null}, "2026-99-99T00:00:00Z", "\u0000",
          0.5, "9999999G"])");
  return all[static_cast<std::size_t>(random.integer(0, std::ssize(all) - 1))];
}

// Replaces, removes or adds one member somewhere below.
void damage(Json& json, Generator& random) {
  if (json.is_structured() && !json.empty() && random.integer(0, 3) > 0) {
    auto member = json.begin();
    std::advance(member, random.integer(0, std::ssize(json) - 1));
    if (random.integer(0, 9) == 0)
      json.erase(member);
    else
      damage(*member, random);
    return;
  }
  if (json.is_object() && random.coin())
    json[random.any_text()] = junk(random);
  else
    json = junk(random);
}

template <class Decode>
void expect_an_answer(const Json& document, Decode decode) {
  const auto decoded = decode(document);
  if (decoded.ok()) return;
  EXPECT_FALSE(decoded.error().detail.empty());
  const auto& at = decoded.error().at;
  if (at.empty()) return;
  // It points at a field that is there, or at one that is missing from something that is there.
  const Json::json_pointer pointer(at);
  EXPECT_TRUE(document.contains(pointer) || document.contains(pointer.parent_pointer()) ||
              at.ends_with("/search/trials"))
      << at << " in " << to_text(document);
}

template <class T, class Decode>
void expect_answers(const T& body, Decode decode, Generator& random) {
  Json document = encode(body);
  for (int i = 0; i < 4; ++i) {
    damage(document, random);
    expect_an_answer(document, decode);
  }
}

TEST(Mutation, of_bodies_is_answered) {
  Generator random(mutation_seed);
  for (int i = 0; i < mutation_rounds; ++i) {
    expect_answers(random.spec(), decode_request<SweepSpec>, random);
    expect_answers(SubmitRequest{"r", random.spec(), random.workflow()},
                   decode_request<SubmitRequest>, random);
    expect_answers(std::optional(random.grant()), decode_reply<std::optional<LeaseGrant>>, random);
    expect_answers(ReportRequest{1, 2, random.score()}, decode_request<ReportRequest>, random);
    expect_answers(ReportReply{random.verdict()}, decode_reply<ReportReply>, random);
    expect_answers(EndRequest{EndReason::signal, 9, "", ""}, decode_request<EndRequest>, random);
    expect_answers(MetricsRequest{{{"a", 1, 2}}}, decode_request<MetricsRequest>, random);
    expect_answers(JoinReply{random.id<WorkerTag>(), {}, {}}, decode_reply<JoinReply>, random);
  }
}

TEST(Mutation, of_events_is_answered) {
  Generator random(mutation_seed);
  for (int i = 0; i < mutation_rounds; ++i)
    for (const auto& event : random.one_of_each_event())
      expect_answers(
          event, [&](const Json& json) { return decode_event(kind(event), json); }, random);
}

TEST(Mutation, of_text_is_answered) {
  Generator random(mutation_seed);
  for (int i = 0; i < mutation_rounds; ++i) {
    std::string text = to_text(encode(random.spec()));
    for (int k = 0; k < 8; ++k) {
      const auto at = static_cast<std::size_t>(random.integer(0, std::ssize(text) - 1));
      text[at] = static_cast<char>(random.integer(0, 255));
      const auto parsed = parse_json(text);
      if (parsed.ok()) expect_an_answer(*parsed, decode_request<SweepSpec>);
    }
  }
}

}  // namespace
}  // namespace hone
