// Every body of the API and of the ledger: its kind in the first line, then the JSON. A body that
// is accepted is the same after it was encoded and decoded again.
#include "schemas/codec/body.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "schemas/codec/event_codec.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/submit.hpp"
#include "schemas/types/wire.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

template <auto decode>
void check(const Json& document) {
  const auto body = decode(document);
  if (!body) {
    expect(!body.error().detail.empty(), "a refusal says why");
    return;
  }
  const Json written = encode(*body);
  const auto again = decode(written);
  expect(again.ok(), "what was accepted can be read again");
  expect(to_text(encode(*again)) == to_text(written), "and is the same");
}

struct Kind {
  std::string_view name;
  void (*check)(const Json&);
};

constexpr std::array kinds{
    Kind{"spec", check<decode_request<SweepSpec>>},
    Kind{"submit", check<decode_request<SubmitRequest>>},
    Kind{"steer", check<decode_request<SteerRequest>>},
    Kind{"join", check<decode_request<JoinRequest>>},
    Kind{"acquire", check<decode_request<AcquireRequest>>},
    Kind{"report", check<decode_request<ReportRequest>>},
    Kind{"ask", check<decode_request<AskRequest>>},
    Kind{"tell", check<decode_request<TellRequest>>},
    Kind{"enqueue", check<decode_request<EnqueueRequest>>},
    Kind{"confirm", check<decode_request<ConfirmRequest>>},
    Kind{"save_model", check<decode_request<SaveModelRequest>>},
    Kind{"metrics", check<decode_request<MetricsRequest>>},
    Kind{"end", check<decode_request<EndRequest>>},
    Kind{"beat", check<decode_request<BeatRequest>>},
    Kind{"join_reply", check<decode_reply<JoinReply>>},
    Kind{"acquire_reply", check<decode_reply<std::optional<LeaseGrant>>>},
    Kind{"beat_reply", check<decode_reply<BeatReply>>},
    Kind{"report_reply", check<decode_reply<ReportReply>>},
    Kind{"ask_reply", check<decode_reply<AskReply>>},
    Kind{"tell_reply", check<decode_reply<TellReply>>},
    Kind{"enqueue_reply", check<decode_reply<EnqueueReply>>},
    Kind{"save_model_reply", check<decode_reply<SaveModelReply>>},
};

void check_event(std::string_view name, const Json& document) {
  const auto event = decode_event(name, document);
  if (!event) return;
  expect(kind(*event) == name, "an event is of the kind that it was read as");
  const auto again = decode_event(name, encode(*event));
  expect(again.ok() && to_text(encode(*again)) == to_text(encode(*event)),
         "an event that was read can be stored again");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto [name, text] = first_line(text_of(data, size));
  const auto document = parse_json(text);
  if (!document) return;
  for (const Kind& row : kinds)
    if (row.name == name) row.check(*document);
  check_event(name, *document);
  static_cast<void>(decode_problem(*document));
}

}  // namespace hone::fuzz
