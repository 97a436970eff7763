#include "schemas/codec/reader.hpp"

#include <algorithm>

namespace hone::codec {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown_max = 60;
  std::string shown(text.substr(0, shown_max));
  // Not in the middle of a character.
  if (text.size() > shown_max)
    while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xc0U) == 0x80U)
      shown.pop_back();
  std::replace_if(shown.begin(), shown.end(), is_control, '?');
  return "'" + shown + (text.size() > shown_max ? "...'" : "'");
}

std::string described(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "the text " + in_quotes(json.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return json.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return to_text(json);
    case Json::value_t::binary:
    case Json::value_t::discarded:
      return "no JSON value";
  }
  return "no JSON value";
}

namespace {

// What an unknown field should have been: the one that is nearly the word, or any.
std::string instead_of(std::string_view key, std::span<const std::string_view> known) {
  if (auto meant = did_you_mean(key, known); !meant.empty()) return meant;
  if (known.empty()) return "; there is none here";
  std::string all;
  for (auto name = known.begin(); name != known.end(); ++name)
    if (std::find(known.begin(), name, *name) == name)
      all += (all.empty() ? "; there is " : ", ") + std::string(*name);
  return all;
}

}  // namespace

std::string Place::pointer() const {
  std::string path = parent_ == nullptr ? std::string(key_) : parent_->pointer();
  if (parent_ == nullptr) return path;
  path += '/';
  if (index_) return path + std::to_string(*index_);
  for (const char c : key_) {
    if (c == '~')
      path += "~0";
    else if (c == '/')
      path += "~1";
    else
      path += c;
  }
  return path;
}

void Fault::note(const Place& place, std::string detail) {
  if (!first_) first_ = hone::refuse(code_, std::move(detail), place.pointer());
}

void Fault::note_rule(const Place& place, std::string detail) {
  if (rules_ == Rules::apply) note(place, std::move(detail));
}

Fields::Fields(const Spot& spot)
    : object_(spot.json.get_ptr<const Json::object_t*>()), place_(spot.place), fault_(spot.fault) {
  if (object_ == nullptr) spot.refuse("must be an object, not " + described(spot.json));
  known_.reserve(12);
}

const Json* Fields::find(std::string_view key) {
  known_.push_back(key);
  if (object_ == nullptr) return nullptr;
  for (const auto& [name, json] : *object_)
    if (name == key) return json.is_null() ? nullptr : &json;
  return nullptr;
}

bool Fields::is_known(std::string_view key) const {
  return std::find(known_.begin(), known_.end(), key) != known_.end();
}

bool Fields::done() {
  if (object_ != nullptr && fault_.refuses_unknown() && !rest_taken_) {
    for (const auto& [key, json] : *object_) {
      if (is_known(key)) continue;
      refuse(key, "unknown field " + in_quotes(key) + instead_of(key, known_));
      return false;
    }
  }
  if (!missing_.empty())
    refuse(missing_, "is missing: " + in_quotes(missing_) + " is required here");
  return fault_.clear();
}

}  // namespace hone::codec
