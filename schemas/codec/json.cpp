#include "schemas/codec/json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "schemas/values/json_text.hpp"

namespace hone {
namespace {

constexpr std::size_t depth_max = 64;
constexpr std::size_t program_depth_max = 1000;

using Members = Json::object_t::Container;

// What an allocation takes besides its content.
constexpr std::size_t heap_bytes = 16;
constexpr std::size_t container_bytes = sizeof(Json::array_t) + heap_bytes;
constexpr std::size_t text_bytes = sizeof(Json::string_t) + heap_bytes;
// Containers grow by doubling: while one moves, an element has its old place and two new ones.
constexpr std::size_t element_bytes = 3 * sizeof(Json);
constexpr std::size_t member_bytes = 3 * sizeof(Members::value_type);
constexpr std::size_t key_bytes = sizeof(Json::string_t) + 3 * heap_bytes;  // in a map

// Builds the document and stops at the first thing that a sweep, a request or a ledger must not
// contain.
class Builder {
 public:
  explicit Builder(std::size_t memory_bytes_max) : memory_bytes_left_(memory_bytes_max) {}
  static Builder of_program() {
    Builder builder(std::numeric_limits<std::size_t>::max());
    builder.of_program_ = true;
    return builder;
  }

  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  // The interface that nlohmann's sax_parse calls.
  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(number_integer_t value) { return put(value); }
  bool number_unsigned(number_unsigned_t value) { return put(value); }
  bool number_float(number_float_t value, const string_t&) { return put(value); }
  bool string(string_t& value) {
    return takes(text_bytes + value.capacity()) && put(std::move(value));
  }
  bool binary(binary_t&) { return refuse_with("binary values are not JSON"); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    auto& frame = frames_.back();
    const auto [known, is_new] = frame.keys.emplace(name, frame.keys.size());
    frame.repeats = is_new ? std::nullopt : std::optional(known->second);
    if (!is_new && !of_program_)
      return refuse_with("the key '" + name + "' appears twice in one object");
    frame.key = std::move(name);
    return takes(frame.key.capacity()) && takes_while_open(key_bytes + frame.key.capacity());
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) {
    return refuse_with("not valid JSON at byte " + std::to_string(position) + ", " +
                       reason(e.what()));
  }

  Result<Json> finish() {
    if (error_) return std::move(*error_);
    return std::move(root_);
  }

 private:
  struct Frame {
    Json* container;
    std::string key;  // of the member that comes next
    std::map<std::string, std::size_t>
        keys{};                            // of an object with their places: repeats in n log n
    std::optional<std::size_t> repeats{};  // the place of the member that the next one replaces
    std::size_t growing_bytes = 0;         // of `keys` and for elements, until the container ends
  };

  bool takes(std::size_t bytes) {
    if (bytes <= memory_bytes_left_) {
      memory_bytes_left_ -= bytes;
      return true;
    }
    error_ =
        refuse(Code::too_large,
               "its values take more memory than those of one document may: send fewer of them");
    return false;
  }

  bool takes_while_open(std::size_t bytes) {
    frames_.back().growing_bytes += bytes;
    return takes(bytes);
  }

  bool takes_place() {
    if (frames_.empty()) return true;
    return takes_while_open(frames_.back().container->is_array() ? element_bytes : member_bytes);
  }

  template <class T>
  bool put(T&& value) {
    if (!takes_place()) return false;
    place(Json(std::forward<T>(value)));
    return true;
  }

  // The place stays valid while it is open: its parent cannot grow meanwhile.
  Json* place(Json value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    auto& frame = frames_.back();
    if (frame.container->is_array()) {
      frame.container->push_back(std::move(value));
      return &frame.container->back();
    }
    // Not operator[], which would look through all members again: the key is known to be new.
    Members& members = frame.container->get_ref<Json::object_t&>();
    if (frame.repeats) return &(members[*frame.repeats].second = std::move(value));
    return &members.emplace_back(std::move(frame.key), std::move(value)).second;
  }

  bool open(Json container) {
    if (const auto most = of_program_ ? program_depth_max : depth_max; frames_.size() == most)
      return refuse_with("nested deeper than " + std::to_string(most) + " levels");
    if (!takes_place() || !takes(container_bytes)) return false;
    Json* opened = place(std::move(container));
    frames_.push_back(Frame{opened, {}});
    return true;
  }

  bool close() {
    const Frame& frame = frames_.back();
    const auto* array = frame.container->get_ptr<const Json::array_t*>();
    const std::size_t kept = array != nullptr
                                 ? array->capacity() * sizeof(Json)
                                 : frame.container->get_ref<const Json::object_t&>().capacity() *
                                       sizeof(Members::value_type);
    memory_bytes_left_ += frame.growing_bytes - std::min(kept, frame.growing_bytes);
    frames_.pop_back();
    return true;
  }

  bool refuse_with(std::string detail) {
    error_ = refuse(Code::invalid, std::move(detail));
    return false;
  }

  // nlohmann says "[json.exception.parse_error.101] parse error at line 1, column 2: why".
  static std::string reason(std::string_view what) {
    const auto bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    constexpr std::string_view opening = "parse error at ";
    if (what.starts_with(opening)) what.remove_prefix(opening.size());
    return std::string(what);
  }

  std::size_t memory_bytes_left_;
  bool of_program_ = false;
  Json root_;
  std::vector<Frame> frames_;
  std::optional<Error> error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::size_t memory_bytes_max) {
  Builder builder(memory_bytes_max);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.finish();
}

Result<Json> parse_program_json(std::string_view text) {
  const std::string strict = strict_json(text);
  auto builder = Builder::of_program();
  Json::sax_parse(strict.begin(), strict.end(), &builder);
  return builder.finish();
}

std::string to_text(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_pretty_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hone
