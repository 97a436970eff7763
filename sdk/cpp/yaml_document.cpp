#include "sdk/cpp/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/values/literal.hpp"

namespace hone {
namespace {

constexpr std::size_t depth_max = 64;
constexpr std::size_t values_max = 100'000;  // after aliases are expanded
// A longer text or key counts as several values, and so does the pointer to a value, which has the
// keys around it: 6 MB in all.
constexpr std::size_t value_bytes = 64;

Position position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}

// Thrown through yaml-cpp's parser, caught in parse_yaml.
struct Refusal {
  Position position;
  std::string detail;
};

std::string pointer_to(const std::string& parent, std::string_view key) {
  std::string pointer = parent + "/";
  for (const char c : key) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

// A plain scalar under the core schema of YAML 1.2.
Json plain(const std::string& text, Position position) {
  struct Visitor {
    Json operator()(bool truth) const { return truth; }
    Json operator()(std::int64_t whole) const { return whole; }
    Json operator()(double real) const { return real; }
    Json operator()(const std::string& other) const { return other; }
    Json operator()(const JsonText&) const { return nullptr; }  // no literal is one
  };
  const auto value = read_literal(text);
  if (!value) throw Refusal{position, value.error().detail};
  return std::visit(Visitor{}, *value);
}

// Folds yaml-cpp's events into one document.
class Builder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (awaits_key()) throw Refusal{position_of(mark), "a key must be a text"};
    put(nullptr, position_of(mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto position = position_of(mark);
    if (awaits_key()) throw Refusal{position, "a key must be a text, not an alias"};
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Refusal{position, "an alias must not stand inside its own anchor"};
    count(found->second.values, position);
    check_depth(found->second.depth, position);
    place(found->second.json, position);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const auto position = position_of(mark);
    if (awaits_key()) return take_key(value, position);
    if (tag == "?") return put(plain(value, position), position, anchor);
    if (tag == "!" || tag == "tag:yaml.org,2002:str") return put(value, position, anchor);
    put(tagged(value, tag, position), position, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Json::array(), mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Json::object(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  YamlDocument take() { return std::move(document_); }

 private:
  struct Frame {
    Json* container;
    std::string pointer;
    YAML::anchor_t anchor;
    std::size_t values_before;
    std::size_t depth_inside = 1;    // of the container, itself included
    std::optional<std::string> key;  // read, its value is next
    Position key_position;
    std::map<std::string, Position> keys;  // of an object: for repeats
  };
  struct Anchored {
    Json json;
    std::size_t values;
    std::size_t depth;
  };

  // !!float 1e-4, !!int "3": what they say must be so.
  static Json tagged(const std::string& value, const std::string& tag, Position position) {
    const Json read = plain(value, position);
    if (tag == "tag:yaml.org,2002:float" && read.is_number()) return read.get<double>();
    if (tag == "tag:yaml.org,2002:int" && read.is_number_integer()) return read;
    if (tag == "tag:yaml.org,2002:bool" && read.is_boolean()) return read;
    if (tag == "tag:yaml.org,2002:null" && read.is_null()) return read;
    throw Refusal{position, "the tag " + tag + " is not supported, or not what the value is"};
  }

  [[nodiscard]] bool awaits_key() const {
    return !frames_.empty() && frames_.back().container->is_object() && !frames_.back().key;
  }

  void take_key(const std::string& key, Position position) {
    auto& frame = frames_.back();
    const auto [first, is_new] = frame.keys.emplace(key, position);
    if (!is_new)
      throw Refusal{position, "the key '" + key + "' appears twice; first in line " +
                                  std::to_string(first->second.line)};
    count(key.size() / value_bytes, position);
    frame.key = key;
    frame.key_position = position;
  }

  void put(Json value, Position position, YAML::anchor_t anchor) {
    const std::size_t values =
        value.is_string() ? 1 + value.get_ref<const std::string&>().size() / value_bytes : 1;
    count(values, position);
    const Json* placed = place(std::move(value), position);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {*placed, values, 0};
  }

  // The pointer stays valid while the node is open: its parent cannot grow meanwhile.
  Json* place(Json value, Position position) {
    last_pointer_.clear();
    if (frames_.empty()) {
      document_.positions[""] = position;
      document_.json = std::move(value);
      return &document_.json;
    }
    auto& frame = frames_.back();
    if (frame.container->is_array()) {
      last_pointer_ = pointer_to(frame.pointer, std::to_string(frame.container->size()));
      count(last_pointer_.size() / value_bytes, position);
      document_.positions[last_pointer_] = position;
      frame.container->push_back(std::move(value));
      return &frame.container->back();
    }
    last_pointer_ = pointer_to(frame.pointer, *frame.key);
    count(last_pointer_.size() / value_bytes, position);
    document_.positions[last_pointer_] = frame.key_position;
    // Not operator[], which would search all members again: the key is new.
    Json::object_t::Container& members = frame.container->get_ref<Json::object_t&>();
    Json* placed = &members.emplace_back(std::move(*frame.key), std::move(value)).second;
    frame.key.reset();
    return placed;
  }

  void open(Json container, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const auto position = position_of(mark);
    if (awaits_key()) throw Refusal{position, "a key must be a text, not a list or an object"};
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refusal{position, "the tag " + tag + " is not supported"};
    check_depth(1, position);
    const auto before = values_;
    count(1, position);
    Json* opened = place(std::move(container), position);
    frames_.push_back(Frame{opened, last_pointer_, anchor, before, 1, {}, {}, {}});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (!frames_.empty())
      frames_.back().depth_inside = std::max(frames_.back().depth_inside, frame.depth_inside + 1);
    if (frame.anchor != YAML::NullAnchor)
      anchors_[frame.anchor] = {*frame.container, values_ - frame.values_before,
                                frame.depth_inside};
  }

  void check_depth(std::size_t more, Position position) {
    if (frames_.size() + more > depth_max)
      throw Refusal{position, "nested deeper than " + std::to_string(depth_max) + " levels"};
    if (!frames_.empty())
      frames_.back().depth_inside = std::max(frames_.back().depth_inside, more + 1);
  }

  void count(std::size_t more, Position position) {
    values_ += more;
    if (values_ > values_max)
      throw Refusal{position,
                    "more than " + std::to_string(values_max) + " values, aliases expanded"};
  }

  YamlDocument document_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::string last_pointer_;  // of what was placed last
  std::size_t values_ = 0;
};

// The length of a UTF-8 character that starts with this byte; 0 if none does.
std::size_t length_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

bool is_character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  for (std::size_t i = 1; i < bytes.size(); ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return false;
  // Rejects surrogates, code points above U+10FFFF and overlong forms.
  if (byte(0) == 0xe0) return byte(1) >= 0xa0;
  if (byte(0) == 0xed) return byte(1) < 0xa0;
  if (byte(0) == 0xf0) return byte(1) >= 0x90;
  if (byte(0) == 0xf4) return byte(1) < 0x90;
  return true;
}

// yaml-cpp treats byte 4 as the end of the file and accepts invalid UTF-8, so both are rejected
// here.
std::optional<Refusal> bad_character(std::string_view text) {
  Position position;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto length = length_from(first);
    const bool whole =
        length > 0 && i + length <= text.size() && is_character(text.substr(i, length));
    if (!whole) return Refusal{position, "not valid UTF-8"};
    const bool control =
        (first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7f;
    if (control) return Refusal{position, "control characters are not allowed"};
    position = first == '\n' ? Position{position.line + 1, 1}
                             : Position{position.line, position.column + 1};
    i += length;
  }
  return std::nullopt;
}

// yaml-cpp keeps every open bracket while it looks for the end of a key: 230 bytes for each.
bool nests_too_deep(std::string_view text) {
  constexpr std::ptrdiff_t open_max = 10'000;
  std::ptrdiff_t open = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > open_max) return true;
  }
  return false;
}

}  // namespace

std::string place_in(const std::string& origin, Position position) {
  return origin + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

namespace {

// A tab among the blanks with which the line of a mistake begins, or the line above. The parser's
// words for it, "illegal map value", name what follows from it.
std::optional<Position> indenting_tab(const std::string& text, Position mistake) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line) && number <= mistake.line; ++number) {
    const auto place = line.find_first_not_of(' ');
    if (number + 1 >= mistake.line && place != std::string::npos && line[place] == '\t')
      return Position{number, place + 1};
  }
  return std::nullopt;
}

}  // namespace

Result<YamlDocument> parse_yaml(const std::string& text, const std::string& origin) {
  const auto refused = [&](Position position, const std::string& detail) {
    return refuse(Code::invalid, place_in(origin, position) + ": " + detail);
  };
  if (text.size() > yaml_bytes_max)
    return refuse(Code::too_large, origin + " is larger than 1 MiB, the most that is read of YAML");
  if (nests_too_deep(text)) return refused({}, "brackets are nested too deep");
  if (const auto bad = bad_character(text)) return refused(bad->position, bad->detail);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder;
    if (!parser.HandleNextDocument(builder)) return refused({}, "the document is empty");
    YamlDocument document = builder.take();
    Builder rest;
    if (parser.HandleNextDocument(rest))
      return refused({}, "holds more than one document; keep one");
    return document;
  } catch (const Refusal& refusal) {
    return refused(refusal.position, refusal.detail);
  } catch (const YAML::Exception& error) {
    if (const auto tab = indenting_tab(text, position_of(error.mark)))
      return refused(*tab, "a tab indents this line; YAML is indented by blanks");
    return refused(position_of(error.mark), error.msg);
  } catch (const std::exception& error) {
    return refused({}, error.what());
  }
}

}  // namespace hone
