// A sweep file from its text to its first two trials: what is accepted can be written, read again,
// submitted and proposed from.
#include "sdk/cpp/sweep_file.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/submit.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/submit/check.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

constexpr Instant now{1'700'000'000'000'000};

// Whether the command was accepted.
bool perform(Book& book, std::int64_t& seq, const Command& command) {
  const auto events = decide(book, command, now);
  if (!events) return false;
  for (const EventBody& body : *events) evolve(book, Event{++seq, now, body});
  static_cast<void>(answer(book, command));
  return true;
}

void run(const SweepSpec& spec) {
  Book book;
  std::int64_t seq = 0;
  perform(book, seq, Start{"fuzz", seconds(15)});
  expect(perform(book, seq, Submit{{"submit", spec, {}}}) || !spec.search.warm_start.empty(),
         "what was checked can be submitted");
  perform(book, seq, Join{{"join", "host", 1, 4096, 64, "fuzz"}});
  for (const char* request : {"first", "second"})
    perform(book, seq, Acquire{{request, WorkerId{1}, 4096, 64, {}}});
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto file = read_sweep_text(std::string(text_of(data, size)), "sweep.yaml");
  if (!file) return;
  const auto spec = decode_request<SweepSpec>(file->document);
  if (!spec) {
    expect(!file->place(spec.error().at).empty(), "a refusal has a place");
    return;
  }
  const auto again = decode_request<SweepSpec>(encode(*spec));
  expect(again.ok() && *again == *spec, "a sweep that was read can be written and read again");
  if (check_spec(*spec)) run(*spec);
}

}  // namespace hone::fuzz
