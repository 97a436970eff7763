#include "sdk/cpp/import/source.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace hone {

std::optional<double> number_in(const Json* json) {
  if (json == nullptr) return std::nullopt;
  if (json->is_number()) return json->get<double>();
  if (!json->is_string()) return std::nullopt;
  const auto& text = json->get_ref<const std::string&>();
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_in(const Json* json, const std::string& otherwise) {
  if (json == nullptr) return otherwise;
  return json->is_string() ? json->get<std::string>() : to_text(*json);
}

const Json* member_of(const Json& json, const std::string& key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

Source::Source(const Json& object, std::string path, std::vector<std::string>& lost)
    : object_(object), path_(std::move(path)), lost_(lost) {}

void Source::done() {
  if (std::exchange(done_, true) || !object_.is_object()) return;
  for (const auto& [key, value] : object_.items())
    if (!taken_.contains(key)) lost_.push_back(path(key) + " is not translated");
}

const Json* Source::take(const std::string& key) {
  taken_.insert(key);
  return member_of(object_, key);
}

void Source::lose(const std::string& key, const std::string& why) {
  if (take(key) != nullptr) lost_.push_back(path(key) + " is not translated: " + why);
}

std::string Source::path(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

}  // namespace hone
