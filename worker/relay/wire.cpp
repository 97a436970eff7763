#include "worker/relay/wire.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "schemas/codec/json.hpp"
#include "worker/train/ipc/shared_memory.hpp"

namespace hone::relay {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are sent as they are in memory");

struct Header {
  std::uint32_t protocol = 0;
  std::uint32_t kind = 0;
  std::uint32_t message = 0;
  std::uint32_t slot = 0;
  std::uint64_t seat = 0;
  std::int64_t number = 0;
};

// A guest would map so much; only what is written takes memory.
constexpr std::uint64_t memory_bytes_max = std::uint64_t{1} << 40;
constexpr std::uint64_t slots_max = 64;  // as the setting
constexpr std::uint64_t seats_max = 256;

}  // namespace

std::size_t header_bytes() { return sizeof(Header); }

std::string bytes_of(const Frame& frame) {
  const Header header{protocol,
                      static_cast<std::uint32_t>(frame.kind),
                      static_cast<std::uint32_t>(frame.message),
                      frame.slot,
                      frame.seat,
                      frame.number};
  std::string bytes(sizeof header, 0);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes += frame.body;
}

std::optional<Frame> frame_of(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.protocol != protocol) return std::nullopt;
  if (header.kind > static_cast<std::uint32_t>(FrameKind::bye)) return std::nullopt;
  if (header.message > static_cast<std::uint32_t>(ipc::MessageKind::answer)) return std::nullopt;
  return Frame{static_cast<FrameKind>(header.kind),
               header.seat,
               static_cast<ipc::MessageKind>(header.message),
               header.slot,
               header.number,
               std::string(bytes.substr(sizeof header))};
}

std::string body_of(const Assignment& assignment) {
  const auto& at = assignment.layout;
  return to_text(Json{{"trainer", assignment.trainer},
                      {"index", assignment.index},
                      {"seats", assignment.seats},
                      {"layout",
                       {at.bytes, at.parameters, at.floats, at.first_slot, at.slot_stride,
                        at.slot_bytes, at.slots}}});
}

bool is_sound(const ipc::SharedLayout& layout, std::uint64_t seats) {
  const auto inside = [&](std::uint64_t begin, std::uint64_t size) {
    return begin <= layout.bytes && size <= layout.bytes - begin;
  };
  if (layout.bytes > memory_bytes_max || layout.floats > layout.bytes / sizeof(float)) return false;
  if (seats < 1 || seats > seats_max || layout.slots < 1 || layout.slots > slots_max) return false;
  if (layout.slot_bytes > layout.slot_stride || layout.slot_stride > layout.bytes) return false;
  return layout.parameters % alignof(std::max_align_t) == 0 &&
         inside(layout.parameters, ipc::SharedParameters::bytes(layout.floats)) &&
         layout.slot_stride <= memory_bytes_max / (seats_max * slots_max) &&
         inside(layout.first_slot, seats * layout.slots * layout.slot_stride);
}

std::optional<Assignment> assignment_of(std::string_view body) {
  const auto document = parse_json(body);
  if (!document || !document->is_object()) return std::nullopt;
  const auto number = [&](const Json& value) -> std::optional<std::uint64_t> {
    return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
  };
  const auto trainer = document->value("trainer", Json());
  const auto index = number(document->value("index", Json()));
  const auto seats = number(document->value("seats", Json()));
  const auto at = document->value("layout", Json());
  if (!trainer.is_string() || !index || !seats || !at.is_array() || at.size() != 7)
    return std::nullopt;
  if (!std::all_of(at.begin(), at.end(),
                   [](const Json& value) { return value.is_number_unsigned(); }))
    return std::nullopt;
  Assignment assignment{
      trainer.get<std::string>(),
      *index,
      *seats,
      {at[0].get<std::uint64_t>(), at[1].get<std::uint64_t>(), at[2].get<std::uint64_t>(),
       at[3].get<std::uint64_t>(), at[4].get<std::uint64_t>(), at[5].get<std::uint64_t>(),
       at[6].get<std::uint64_t>()}};
  if (assignment.trainer.empty() || !is_plain(assignment.trainer, "")) return std::nullopt;
  if (*index >= *seats || !is_sound(assignment.layout, *seats)) return std::nullopt;
  return assignment;
}

}  // namespace hone::relay
