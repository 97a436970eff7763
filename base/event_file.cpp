#include "base/event_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace hone {
namespace {

constexpr std::uint64_t record_bytes_max = 1024 * 1024;  // a scalar takes about 60
constexpr std::size_t head_bytes = 12;                   // the length and its check
constexpr std::size_t check_bytes = 4;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}

// Numbers are little-endian, as this machine's.
static_assert(std::endian::native == std::endian::little);

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Protocol buffers --------------------------------------------------------------------------------

enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtoField {
  std::uint32_t number = 0;
  Wire wire = Wire::varint;
  std::uint64_t integer = 0;  // varint, fixed64, fixed32
  std::string_view bytes{};
};

// Reads a message field by field.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  // Returns false at the end, and when the message is malformed: failed() tells which.
  bool next(ProtoField& field) {
    if (rest_.empty() || failed_) return false;
    std::uint64_t key = 0;
    if (!varint(key) || key >> 3U == 0 || key >> 3U > 0x1FFFFFFFU) return fail();
    field = {static_cast<std::uint32_t>(key >> 3U), static_cast<Wire>(key & 7U), 0, {}};
    switch (key & 7U) {
      case 0:
        return varint(field.integer) || fail();
      case 1:
        return fixed<std::uint64_t>(field.integer) || fail();
      case 2:
        return length_delimited(field.bytes) || fail();
      case 5:
        return fixed<std::uint32_t>(field.integer) || fail();
      default:  // groups are not in these messages
        return fail();
    }
  }
  [[nodiscard]] bool failed() const { return failed_; }

  bool varint(std::uint64_t& number) {
    number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return true;
    }
    return false;
  }

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  template <class Number>
  bool fixed(std::uint64_t& number) {
    if (rest_.size() < sizeof(Number)) return false;
    number = number_at<Number>(rest_, 0);
    rest_.remove_prefix(sizeof(Number));
    return true;
  }
  bool length_delimited(std::string_view& bytes) {
    std::uint64_t length = 0;
    if (!varint(length) || length > rest_.size()) return false;
    bytes = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(static_cast<std::size_t>(length));
    return true;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Scalars -----------------------------------------------------------------------------------------

// The types of a TensorProto that a scalar may have.
enum : std::uint64_t { dt_float = 1, dt_double = 2, dt_int32 = 3, dt_int64 = 9, dt_half = 19 };

double half_value(std::uint16_t half) {
  const int exponent = (half >> 10U) & 0x1F;
  const int fraction = half & 0x3FF;
  double value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return (half & 0x8000U) != 0 ? -value : value;
}

struct Tensor {
  std::uint64_t type = 0;
  std::string_view content{};  // tensor_content
  std::vector<double> values{};
  bool is_scalar = true;  // every dimension is 1
};

double float_of(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

double whole_of(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<std::int64_t>(bits));
}

// One value, or several in the packed form. A second one is enough to know that it is no scalar.
void take_values(Tensor& tensor, const ProtoField& field) {
  constexpr std::size_t most = 2;
  const bool is_float = field.number == 5;
  const bool is_double = field.number == 6;
  const auto add = [&](std::uint64_t bits) {
    if (tensor.values.size() >= most) return;
    if (is_float)
      tensor.values.push_back(float_of(bits));
    else if (is_double)
      tensor.values.push_back(std::bit_cast<double>(bits));
    else
      tensor.values.push_back(field.number == 13 ? half_value(static_cast<std::uint16_t>(bits))
                                                 : whole_of(bits));
  };
  if (field.wire != Wire::bytes) return add(field.integer);
  if (is_float || is_double) {
    const std::size_t size = is_float ? 4 : 8;
    for (std::size_t at = 0; at + size <= field.bytes.size() && tensor.values.size() < most;
         at += size)
      add(is_float ? number_at<std::uint32_t>(field.bytes, at)
                   : number_at<std::uint64_t>(field.bytes, at));
    return;
  }
  ProtoReader packed(field.bytes);
  for (std::uint64_t number = 0; tensor.values.size() < most && packed.varint(number);) add(number);
}

bool is_shape_of_one(std::string_view shape) {
  ProtoReader reader(shape);
  for (ProtoField dimension; reader.next(dimension);) {
    if (dimension.number != 2 || dimension.wire != Wire::bytes) continue;
    ProtoReader sizes(dimension.bytes);
    std::uint64_t size = 0;  // the default of the message
    for (ProtoField field; sizes.next(field);)
      if (field.number == 1 && field.wire == Wire::varint) size = field.integer;
    if (size != 1) return false;
  }
  return !reader.failed();
}

std::optional<double> value_of_content(const Tensor& tensor) {
  const auto& bytes = tensor.content;
  switch (tensor.type) {
    case dt_float:
      return bytes.size() == 4 ? std::optional(float_of(number_at<std::uint32_t>(bytes, 0)))
                               : std::nullopt;
    case dt_double:
      return bytes.size() == 8 ? std::optional(number_at<double>(bytes, 0)) : std::nullopt;
    case dt_int32:
      return bytes.size() == 4 ? std::optional<double>(number_at<std::int32_t>(bytes, 0))
                               : std::nullopt;
    case dt_int64:
      return bytes.size() == 8 ? std::optional(whole_of(number_at<std::uint64_t>(bytes, 0)))
                               : std::nullopt;
    case dt_half:
      return bytes.size() == 2 ? std::optional(half_value(number_at<std::uint16_t>(bytes, 0)))
                               : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<double> value_of_tensor(std::string_view message) {
  Tensor tensor;
  ProtoReader reader(message);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 1 && field.wire == Wire::varint) tensor.type = field.integer;
    if (field.number == 2 && field.wire == Wire::bytes)
      tensor.is_scalar = is_shape_of_one(field.bytes);
    if (field.number == 4 && field.wire == Wire::bytes) tensor.content = field.bytes;
    const bool is_value = field.number == 5 || field.number == 6 || field.number == 7 ||
                          field.number == 10 || field.number == 13;
    if (is_value) take_values(tensor, field);
  }
  if (reader.failed() || !tensor.is_scalar) return std::nullopt;
  if (!tensor.content.empty()) return value_of_content(tensor);
  return tensor.values.size() == 1 ? std::optional(tensor.values.front()) : std::nullopt;
}

// Adds the value of a summary if it is a scalar. Returns false if it is malformed.
bool take_value(std::string_view message, std::vector<Scalar>& scalars) {
  std::string_view tag;
  std::optional<double> value;
  ProtoReader reader(message);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 1 && field.wire == Wire::bytes) tag = field.bytes;
    if (field.number == 2 && field.wire == Wire::fixed32) value = float_of(field.integer);
    if (field.number == 8 && field.wire == Wire::bytes) value = value_of_tensor(field.bytes);
  }
  if (value && !tag.empty()) scalars.push_back({std::string(tag), *value});
  return !reader.failed();
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto table = make_crc_table();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = (crc >> 8U) ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

std::optional<ScalarEvent> parse_event(std::string_view message) {
  ScalarEvent event;
  ProtoReader reader(message);
  for (ProtoField field; reader.next(field);) {
    if (field.number == 1 && field.wire == Wire::fixed64)
      event.wall_time = std::bit_cast<double>(field.integer);
    if (field.number == 2 && field.wire == Wire::varint)
      event.step = std::bit_cast<std::int64_t>(field.integer);
    if (field.number != 5 || field.wire != Wire::bytes) continue;
    ProtoReader values(field.bytes);
    for (ProtoField value; values.next(value);)
      if (value.number == 1 && value.wire == Wire::bytes && !take_value(value.bytes, event.scalars))
        return std::nullopt;
    if (values.failed()) return std::nullopt;
  }
  if (reader.failed()) return std::nullopt;
  return event;
}

void EventReader::read(std::string_view bytes, const Take& take) {
  while (!bytes.empty() && !damaged_) {
    if (skipped_ > 0) {
      const auto now = std::min<std::uint64_t>(skipped_, bytes.size());
      skipped_ -= now;
      bytes.remove_prefix(static_cast<std::size_t>(now));
      continue;
    }
    const std::size_t whole =
        in_body_ ? static_cast<std::size_t>(length_) + check_bytes : head_bytes;
    const auto now = std::min(whole - held_.size(), bytes.size());
    held_.append(bytes, 0, now);
    bytes.remove_prefix(now);
    if (held_.size() < whole) return;
    if (in_body_)
      read_record(take);
    else
      read_length();
    held_.clear();
  }
}

void EventReader::read_length() {
  length_ = number_at<std::uint64_t>(held_, 0);
  const std::string_view head(held_.data(), 8);
  if (number_at<std::uint32_t>(held_, 8) != masked_crc(head)) {
    damaged_ = true;
    fault_ = "record " + std::to_string(records_ + 1) +
             " of the event file is damaged; the rest of the file is not read";
    return;
  }
  in_body_ = length_ <= record_bytes_max;
  if (in_body_) return;
  ++records_;
  const std::uint64_t most = ~std::uint64_t{0} - check_bytes;
  skipped_ = std::min(length_, most) + check_bytes;
}

void EventReader::read_record(const Take& take) {
  in_body_ = false;
  ++records_;
  const std::string_view message(held_.data(), static_cast<std::size_t>(length_));
  const bool intact =
      number_at<std::uint32_t>(held_, static_cast<std::size_t>(length_)) == masked_crc(message);
  const auto event = intact ? parse_event(message) : std::nullopt;
  if (!event)
    fault_ = "record " + std::to_string(records_) + " of the event file is damaged and was skipped";
  else if (!event->scalars.empty())
    take(*event);
}

std::optional<std::string> EventReader::take_fault() { return std::exchange(fault_, std::nullopt); }

}  // namespace hone
