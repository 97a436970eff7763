// The event files of TensorBoard (events.out.tfevents.*): scalars, and for writers the settings of
// runs. Records with masked CRC-32C (TFRecord) of the protocol buffer message Event. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hone {

// The CRC-32C (Castagnoli) of the bytes.
std::uint32_t crc32c(std::string_view bytes);

struct Scalar {
  std::string tag;
  double value = 0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// One event with at least one scalar: a simple_value, or a tensor of one number.
struct ScalarEvent {
  std::int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  std::vector<Scalar> scalars{};
  friend bool operator==(const ScalarEvent&, const ScalarEvent&) = default;
};

// Reads a file piece by piece, while it grows. Holds at most one record of 1 MiB; skips longer
// ones, such as images. The bytes may come from anywhere.
class EventReader {
 public:
  using Take = std::function<void(const ScalarEvent&)>;

  // Calls `take` for every event that has become complete.
  void read(std::string_view bytes, const Take& take);
  // The file begins again.
  void restart() { *this = EventReader(); }

  // One sentence for each fault of the file. After a damaged length, nothing more is read:
  // where the next record begins is not known.
  std::optional<std::string> take_fault();

 private:
  void read_length();
  void read_record(const Take& take);

  std::string held_{};         // the incomplete part of a record: its head, or its body
  std::uint64_t length_ = 0;   // of the record whose head was read
  bool in_body_ = false;       // the head of a record was read
  std::uint64_t skipped_ = 0;  // bytes that are still to be skipped
  std::int64_t records_ = 0;
  bool damaged_ = false;
  std::optional<std::string> fault_{};
};

// The scalars of a serialized Event; nullopt if it is malformed. An event without scalars has none.
std::optional<ScalarEvent> parse_event(std::string_view message);

// The CRC-32C as records hold it.
std::uint32_t masked_crc(std::string_view bytes);

// For writers: a file is event_file_head() and then the records of its events.
std::string event_file_head(double wall_time);
std::string event_record(const ScalarEvent& event);

// The settings of a run for TensorBoard's tab HParams (plugins/hparams: plugin_data.proto).
using Setting = std::variant<bool, double, std::string>;
struct SessionStart {
  double wall_time = 0;
  std::vector<std::pair<std::string, Setting>> settings{};
  std::string group{};  // sessions of one group are repeats, such as the seeds of a trial
};
std::string session_start_record(const SessionStart& session);
enum class SessionStatus { success = 1, failure = 2 };
std::string session_end_record(double wall_time, SessionStatus status);

}  // namespace hone
