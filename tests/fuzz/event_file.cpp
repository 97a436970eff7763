// An event file of TensorBoard, in pieces whose sizes the first bytes choose.
#include "base/event_file.hpp"

#include <algorithm>
#include <cmath>

#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  if (text.empty()) return;
  const std::size_t piece = static_cast<unsigned char>(text.front()) % 64U + 1;
  const auto file = text.substr(1);
  std::vector<ScalarEvent> in_pieces;
  EventReader reader;
  for (std::size_t at = 0; at < file.size(); at += piece)
    reader.read(file.substr(at, piece),
                [&](const ScalarEvent& event) { in_pieces.push_back(event); });
  std::size_t count = 0;
  EventReader whole;
  whole.read(file, [&](const ScalarEvent& event) {
    expect(!event.scalars.empty(), "an event that is passed on has a scalar");
    count += 1;
  });
  expect(count == in_pieces.size(), "pieces make the same events as the whole");
  // The messages themselves, whose checks a mutation seldom repairs.
  const auto event = parse_event(file);
  if (!event) return;
  for (const auto& scalar : event->scalars) expect(!scalar.tag.empty(), "a scalar has a tag");
  std::string again = event_record(*event);
  const auto message = std::string_view(again).substr(12, again.size() - 16);
  const auto read = parse_event(message);
  expect(read && read->step == event->step && read->scalars.size() == event->scalars.size(),
         "what is written is read again");
}

}  // namespace hone::fuzz
