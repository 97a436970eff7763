// TensorBoard's event files: golden bytes, pieces, and files that are damaged.
#include "base/event_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/base64.hpp"

namespace hone {
namespace {

std::vector<ScalarEvent> events_of(EventReader& reader, std::string_view bytes) {
  std::vector<ScalarEvent> events;
  reader.read(bytes, [&](const ScalarEvent& event) { events.push_back(event); });
  return events;
}

std::vector<ScalarEvent> events_in(std::string_view bytes) {
  EventReader reader;
  return events_of(reader, bytes);
}

// Written by tensorboard 2.21: the version record of time 1; then a simple_value, a tensor of one
// float with the metadata of the plugin scalars, and a tensor of one double.
constexpr std::string_view head_record = "GAAAAAAAAACjf0siCQAAAAAAAPA/Gg1icmFpbi5FdmVudDoyhr9Xeg==";
constexpr std::string_view golden_file =
    "GAAAAAAAAACjf0siCQAAAAAAAPA/Gg1icmFpbi5FdmVudDoyhr9XehwAAAAAAAAAyMGVHQkAAAAAAAAAQBAHKg8KDQoG"
    "c2ltcGxlFQAAgD5KAfU7MAAAAAAAAACV9dBfCQAAAAAAAAhAEAgqIwohCgZ0ZW5zb3JCCggBEgAqBAAAwL9KCwoJCgdz"
    "Y2FsYXJzvbemqCcAAAAAAAAAu+GxRgkAAAAAAAAQQBAJKhoKGAoGZG91YmxlQg4IAhIAMggAAAAAAAAEQNnAfPo=";

TEST(Crc32c, has_the_value_of_rfc_3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST(Base64, has_the_vectors_of_rfc_4648) {
  const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64_text(bytes), text);
    EXPECT_EQ(base64_bytes(text), bytes);
  }
  for (const char* wrong : {"Zg=", "Zg", "Z===", "Zh==", "Z=g=", "Zm9v=A==", "Zm 9"})
    EXPECT_EQ(base64_bytes(wrong), std::nullopt) << wrong;
}

TEST(EventFile, begins_with_the_golden_record_of_its_version) {
  EXPECT_EQ(base64_text(event_file_head(1)), head_record);
  EXPECT_TRUE(events_in(event_file_head(1)).empty());
}

TEST(EventFile, reads_the_golden_file_of_tensorboard) {
  const std::vector<ScalarEvent> events{
      {7, 2, {{"simple", 0.25}}}, {8, 3, {{"tensor", -1.5}}}, {9, 4, {{"double", 2.5}}}};
  const std::string file = base64_bytes(golden_file).value_or("");
  EXPECT_EQ(events_in(file), events);
  const std::string simple = event_record(events[0]);
  EXPECT_EQ(file.substr(40, simple.size()), simple) << "the same bytes are written";
}

TEST(EventFile, reads_what_it_writes_in_pieces_of_every_size) {
  const std::vector<ScalarEvent> events{{0, 1.5, {{"loss", 0.25}}},
                                        {1'000'000'007, 2, {{"charts/return", -3}, {"x", 8}}},
                                        {-1, 3, {{"loss", 1}}}};
  std::string file = event_file_head(1);
  for (const auto& event : events) file += event_record(event);
  for (std::size_t size = 1; size <= file.size(); ++size) {
    EventReader reader;
    std::vector<ScalarEvent> read;
    for (std::size_t at = 0; at < file.size(); at += size)
      for (auto& event : events_of(reader, std::string_view(file).substr(at, size)))
        read.push_back(std::move(event));
    ASSERT_EQ(read, events) << size;
    EXPECT_EQ(reader.take_fault(), std::nullopt);
  }
}

// tag "t", then a TensorProto: dtype, an empty shape, and the value in one of its fields.
std::string tensor_event(const std::string& tensor) {
  const auto field = [](char key, const std::string& bytes) {
    return std::string(1, key) + static_cast<char>(bytes.size()) + bytes;
  };
  return field('\x2A', field('\x0A', field('\x0A', "t") + field('\x42', tensor)));
}

TEST(EventFile, reads_scalars_from_every_field_of_a_tensor) {
  using std::string_literals::operator""s;
  const std::vector<std::pair<std::string, double>> tensors{
      {"\x08\x01\x12\x00\x22\x04\x00\x00\x20\x40"s, 2.5},                  // tensor_content, float
      {"\x08\x02\x12\x00\x22\x08\x00\x00\x00\x00\x00\x00\x04\x40"s, 2.5},  // double
      {"\x08\x01\x12\x00\x2A\x04\x00\x00\x20\x40"s, 2.5},                  // float_val, packed
      {"\x08\x01\x2D\x00\x00\x20\x40"s, 2.5},                              // float_val
      {"\x08\x02\x32\x08\x00\x00\x00\x00\x00\x00\x04\x40"s, 2.5},          // double_val
      {"\x08\x03\x3A\x01\x07"s, 7},                                        // int_val
      {"\x08\x09\x52\x02\x80\x01"s, 128},                                  // int64_val
      {"\x08\x13\x6A\x02\x80\x78"s, 1},                                    // half_val
      {"\x08\x01\x12\x04\x12\x02\x08\x01\x2D\x00\x00\x20\x40"s, 2.5},      // of shape [1]
  };
  for (const auto& [tensor, value] : tensors) {
    const auto event = parse_event(tensor_event(tensor));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->scalars, (std::vector<Scalar>{{"t", value}})) << base64_text(tensor);
  }
}

TEST(EventFile, leaves_out_histograms_texts_and_images) {
  using std::string_literals::operator""s;
  for (const auto& tensor :
       {"\x08\x02\x12\x04\x12\x02\x08\x02\x22\x10"s + std::string(16, 'x'), "\x08\x07\x42\x02hi"s,
        "\x08\x01\x12\x00"s, "\x08\x01\x2A\x08\x00\x00\x20\x40\x00\x00\x20\x40"s}) {
    const auto event = parse_event(tensor_event(tensor));
    ASSERT_TRUE(event);
    EXPECT_TRUE(event->scalars.empty()) << base64_text(tensor);
  }
}

TEST(EventFile, skips_a_damaged_record_and_reads_the_next) {
  std::string damaged = event_record({1, 1, {{"loss", 1}}});
  damaged[20] ^= '\x10';
  EventReader reader;
  const auto events = events_of(reader, damaged + event_record({2, 1, {{"loss", 2}}}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].step, 2);
  EXPECT_NE(reader.take_fault().value_or("").find("record 1"), std::string::npos);
}

TEST(EventFile, reads_nothing_after_a_damaged_length) {
  std::string damaged = event_record({1, 1, {{"loss", 1}}});
  damaged[0] ^= '\x01';
  EventReader reader;
  EXPECT_TRUE(events_of(reader, damaged + event_record({2, 1, {{"loss", 2}}})).empty());
  EXPECT_TRUE(reader.take_fault());
  EXPECT_TRUE(events_of(reader, event_record({3, 1, {{"loss", 2}}})).empty());
  EXPECT_FALSE(reader.take_fault()) << "a fault is reported once";
}

TEST(EventFile, skips_a_record_that_is_longer_than_any_scalar) {
  const std::string image = event_record({1, 1, {{std::string(2'000'000, 'i'), 1}}});
  const auto events = events_in(image + event_record({2, 1, {{"loss", 2}}}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].step, 2);
}

TEST(EventFile, writes_the_settings_of_a_run_as_the_hparams_plugin_reads_them) {
  using std::string_literals::operator""s;
  // HParamsPluginData {session_start_info (3): {hparams (1): {"a": 0.5}, group_name (4): "tr_1",
  // start_time_secs (5): 2}}
  const std::string half = "\x11\x00\x00\x00\x00\x00\x00\xE0\x3F"s;
  const std::string two = "\x00\x00\x00\x00\x00\x00\x00\x40"s;
  const std::string start = "\x0A\x0E\x0A\x01"s + "a\x12\x09" + half + "\x22\x04tr_1\x29" + two;
  const std::string record = session_start_record({2, {{"a", 0.5}}, "tr_1"});
  EXPECT_NE(record.find("\x12\x21\x1A\x1F"s + start), std::string::npos);
  EXPECT_NE(record.find("\x0A\x1C_hparams_/session_start_info"), std::string::npos);
  EXPECT_NE(session_start_record({2, {{"a", "x"s}}, ""}).find("\x12\x03\x1A\x01x"),
            std::string::npos);
  EXPECT_NE(session_start_record({2, {{"a", true}}, ""}).find("\x12\x02\x20\x01"),
            std::string::npos);
  const std::string end = session_end_record(2, SessionStatus::failure);
  EXPECT_NE(end.find("\x12\x0D\x22\x0B\x08\x02\x11"s + two), std::string::npos);
  EXPECT_TRUE(events_in(record + end).empty()) << "they are no scalars";
}

TEST(EventFile, refuses_messages_that_end_early) {
  const std::string record = event_record({300, 1, {{"loss", 1}}});
  const std::string message = record.substr(12, record.size() - 16);
  ASSERT_TRUE(parse_event(message));
  for (std::size_t size = 1; size < message.size(); ++size) {
    const auto event = parse_event(message.substr(0, size));
    EXPECT_TRUE(!event || event->scalars.empty()) << size;
  }
}

}  // namespace
}  // namespace hone
