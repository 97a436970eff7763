// Writes the event files of TensorBoard: protocol buffers by hand, in records with checks.
#include <array>
#include <bit>
#include <cstring>

#include "base/event_file.hpp"
#include "base/expect.hpp"

namespace hone {
namespace {

// Numbers are little-endian, as this machine's.
static_assert(std::endian::native == std::endian::little);

template <class Number>
void append_number(std::string& bytes, Number number) {
  std::array<char, sizeof number> raw{};
  std::memcpy(raw.data(), &number, sizeof number);
  bytes.append(raw.data(), raw.size());
}

void append_varint(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80U; number >>= 7U) bytes += static_cast<char>((number & 0x7FU) | 0x80U);
  bytes += static_cast<char>(number);
}

// Field keys are number << 3 | wire; below 16 fields they are one byte.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void append_key(std::string& message, unsigned field, WireType wire) {
  expect(field < 16, "a field's key is one byte");
  message += static_cast<char>(field << 3U | static_cast<unsigned>(wire));
}
void append_bytes(std::string& message, unsigned field, std::string_view bytes) {
  append_key(message, field, WireType::bytes);
  append_varint(message, bytes.size());
  message += bytes;
}
void append_double(std::string& message, unsigned field, double number) {
  append_key(message, field, WireType::fixed64);
  append_number(message, number);
}
void append_integer(std::string& message, unsigned field, std::uint64_t number) {
  append_key(message, field, WireType::varint);
  append_varint(message, number);
}

std::string record_of(std::string_view message) {
  std::string record;
  append_number(record, static_cast<std::uint64_t>(message.size()));
  append_number(record, masked_crc(record));
  record += message;
  append_number(record, masked_crc(message));
  return record;
}

std::string event_head(double wall_time) {
  std::string message;
  append_double(message, 1, wall_time);
  return message;
}

// A google.protobuf.Value.
std::string value_of(const Setting& setting) {
  std::string value;
  if (const auto* number = std::get_if<double>(&setting)) append_double(value, 2, *number);
  if (const auto* text = std::get_if<std::string>(&setting)) append_bytes(value, 3, *text);
  if (const auto* is = std::get_if<bool>(&setting)) append_integer(value, 4, *is ? 1 : 0);
  return value;
}

// An event whose summary is one HParamsPluginData: `field` of it is the data.
std::string hparams_record(double wall_time, std::string_view tag, unsigned field,
                           std::string_view data) {
  std::string content, plugin, metadata, value, summary;
  append_bytes(content, field, data);
  append_bytes(plugin, 1, "hparams");
  append_bytes(plugin, 2, content);
  append_bytes(metadata, 1, plugin);
  append_bytes(value, 1, tag);
  append_bytes(value, 9, metadata);
  append_bytes(summary, 1, value);
  std::string message = event_head(wall_time);
  append_bytes(message, 5, summary);
  return record_of(message);
}

}  // namespace

std::uint32_t masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15U) | (crc << 17U)) + 0xA282EAD8U;
}

std::string event_file_head(double wall_time) {
  std::string message = event_head(wall_time);
  append_bytes(message, 3, "brain.Event:2");
  return record_of(message);
}

std::string event_record(const ScalarEvent& event) {
  std::string message = event_head(event.wall_time);
  append_integer(message, 2, std::bit_cast<std::uint64_t>(event.step));
  std::string summary;
  for (const Scalar& scalar : event.scalars) {
    std::string value;
    append_bytes(value, 1, scalar.tag);
    append_key(value, 2, WireType::fixed32);  // simple_value
    append_number(value, static_cast<float>(scalar.value));
    append_bytes(summary, 1, value);
  }
  append_bytes(message, 5, summary);
  return record_of(message);
}

std::string session_start_record(const SessionStart& session) {
  std::string data;
  for (const auto& [name, setting] : session.settings) {
    std::string entry;
    append_bytes(entry, 1, name);
    append_bytes(entry, 2, value_of(setting));
    append_bytes(data, 1, entry);
  }
  append_bytes(data, 4, session.group);
  append_double(data, 5, session.wall_time);
  return hparams_record(session.wall_time, "_hparams_/session_start_info", 3, data);
}

std::string session_end_record(double wall_time, SessionStatus status) {
  std::string data;
  append_integer(data, 1, static_cast<std::uint64_t>(status));
  append_double(data, 2, wall_time);
  return hparams_record(wall_time, "_hparams_/session_end_info", 4, data);
}

}  // namespace hone
