// Every body of the API and of the ledger: its kind in the first line, then the JSON. A body that
// is accepted is the same after it was encoded and decoded again.
#include "schemas/codec/body.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "schemas/codec/json.hpp"
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
    Kind{"spec", check<decode_sweep_spec>},
    Kind{"submit", check<decode_submit_request>},
    Kind{"steer", check<decode_steer_request>},
    Kind{"join", check<decode_join_request>},
    Kind{"acquire", check<decode_acquire_request>},
    Kind{"report", check<decode_report_request>},
    Kind{"ask", check<decode_ask_request>},
    Kind{"tell", check<decode_tell_request>},
    Kind{"enqueue", check<decode_enqueue_request>},
    Kind{"confirm", check<decode_confirm_request>},
    Kind{"save_model", check<decode_save_model_request>},
    Kind{"metrics", check<decode_metrics_request>},
    Kind{"end", check<decode_end_request>},
    Kind{"beat", check<decode_beat_request>},
    Kind{"join_reply", check<decode_join_reply>},
    Kind{"acquire_reply", check<decode_acquire_reply>},
    Kind{"beat_reply", check<decode_beat_reply>},
    Kind{"report_reply", check<decode_report_reply>},
    Kind{"ask_reply", check<decode_ask_reply>},
    Kind{"tell_reply", check<decode_tell_reply>},
    Kind{"enqueue_reply", check<decode_enqueue_reply>},
    Kind{"save_model_reply", check<decode_save_model_reply>},
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
