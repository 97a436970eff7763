// The lines of a trial process, and its run file.
#include "worker/agent/trial_line.hpp"

#include <tuple>

#include "sdk/cpp/run_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  for (auto [line, rest] = first_line(text); !line.empty() || !rest.empty();
       std::tie(line, rest) = first_line(rest)) {
    const auto said = worker::hone_line(line);
    const auto parsed = worker::parse_trial_line(said ? *said : line);
    if (parsed) continue;
    expect(!parsed.error().detail.empty(), "a refusal says why");
    static_cast<void>(worker::trial_answer_text(parsed.error()));
  }
  static_cast<void>(parse_run_file(text));
}

}  // namespace hone::fuzz
