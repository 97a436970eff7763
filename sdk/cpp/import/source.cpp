#include "sdk/cpp/import/source.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "schemas/values/number.hpp"

namespace hone {

std::optional<double> number_in(const Json* json) {
  if (json == nullptr) return std::nullopt;
  if (json->is_string()) return read_finite_number(json->get_ref<const std::string&>());
  if (!json->is_number() || !std::isfinite(json->get<double>())) return std::nullopt;
  return json->get<double>();
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

std::string pointer_to(const std::string& object, const std::string& key) {
  std::string result = object + "/";
  for (const char c : key) result += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return result;
}

std::string dotted(const std::string& pointer) {
  const auto hash = pointer.find('#');
  std::string result;
  for (auto i = hash == std::string::npos ? 0 : hash + 1; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '~' && i + 1 < pointer.size())
      result += pointer[++i] == '1' ? '/' : '~';
    else
      result += c == '/' ? '.' : c;
  }
  return result.starts_with('.') ? result.substr(1) : result;
}

namespace {
std::string snake_case(const std::string& camel) {
  std::string result;
  for (const char c : camel)
    result += c >= 'A' && c <= 'Z' ? std::string{'_', static_cast<char>(c - 'A' + 'a')}
                                   : std::string(1, c);
  return result;
}

// 4096, not 4096.0.
std::string bound(double value) {
  return to_text(std::floor(value) == value ? Json(static_cast<std::int64_t>(value)) : Json(value));
}
}  // namespace

Source::Source(const Json& object, std::string at, std::vector<Untranslated>& lost)
    : object_(object), at_(std::move(at)), lost_(lost) {}

void Source::done() {
  if (std::exchange(done_, true)) return;
  if (!object_.is_object())
    lost_.push_back({at_, dotted(at_) + " is not translated: it is no object"});
  if (!object_.is_object()) return;
  for (const auto& [key, value] : object_.items())
    if (!taken_.contains(key))
      lost_.push_back({pointer(key), dotted(pointer(key)) + " is not translated"});
}

const Json* Source::take(const std::string& key) {
  taken_.insert(key);
  const std::string found = spelled(key);
  taken_.insert(found);
  return member_of(object_, found);
}

std::string Source::spelled(const std::string& key) const {
  if (!snake_case_ || member_of(object_, key) != nullptr) return key;
  std::string other = snake_case(key);
  return member_of(object_, other) == nullptr ? key : other;
}

std::optional<double> Source::number(const std::string& key) {
  const auto found = number_in(take(key));
  if (!found) lose(key, "its value is no number");
  return found;
}

std::optional<double> Source::number(const std::string& key, double low, double high) {
  const auto found = number_in(take(key));
  if (found && *found >= low && *found <= high) return found;
  lose(key, "no number from " + bound(low) + " to " + bound(high));
  return std::nullopt;
}

std::optional<std::int64_t> Source::whole(const std::string& key, double low, double high) {
  const auto found = number_in(take(key));
  if (found && *found >= low && *found <= high && std::floor(*found) == *found)
    return static_cast<std::int64_t>(*found);
  lose(key, "no whole number from " + bound(low) + " to " + bound(high));
  return std::nullopt;
}

void Source::lose(const std::string& key, const std::string& why) {
  if (take(key) != nullptr)
    lost_.push_back({pointer(key), dotted(pointer(key)) + " is not translated: " + why});
}

}  // namespace hone
