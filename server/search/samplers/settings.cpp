#include "server/search/samplers/settings.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/nearest.hpp"

namespace hone {
namespace {

Error outside(std::string_view name, const char* kind, Bounds bounds) {
  std::ostringstream text;
  text << name << " must be " << kind << " from " << bounds.low << " to " << bounds.high;
  return refuse(Code::invalid, text.str(), "/search/" + std::string(name));
}

}  // namespace

Status only_settings(const SearchSpec& search, std::span<const std::string_view> known) {
  for (const Param& setting : search.settings) {
    if (std::find(known.begin(), known.end(), setting.name) != known.end()) continue;
    std::vector<std::string_view> meant(known.begin(), known.end());
    meant.insert(meant.end(), {"method", "trials", "warm_start", "command"});
    std::string detail = "search method '" + search.method + "' has no setting '" + setting.name +
                         "'" + did_you_mean(setting.name, meant);
    for (const auto& one : known)
      detail += (&one == &known.front() ? "; it has " : ", ") + std::string(one);
    return refuse(Code::invalid, detail, "/search/" + setting.name);
  }
  return Done{};
}

Result<double> number_setting(const SearchSpec& search, std::string_view name, double otherwise,
                              Bounds bounds) {
  const Value* value = find(search.settings, name);
  if (value == nullptr) return otherwise;
  double number = std::nan("");
  if (const auto* real = std::get_if<double>(value)) number = *real;
  if (const auto* whole = std::get_if<std::int64_t>(value)) number = static_cast<double>(*whole);
  if (!(number >= bounds.low && number <= bounds.high)) return outside(name, "a number", bounds);
  return number;
}

Result<std::int64_t> count_setting(const SearchSpec& search, std::string_view name,
                                   std::int64_t otherwise, Bounds bounds) {
  const Value* value = find(search.settings, name);
  if (value == nullptr) return otherwise;
  const auto* whole = std::get_if<std::int64_t>(value);
  if (whole == nullptr || static_cast<double>(*whole) < bounds.low ||
      static_cast<double>(*whole) > bounds.high)
    return outside(name, "a whole number", bounds);
  return *whole;
}

Result<bool> cost_setting(const SearchSpec& search) {
  const Value* value = find(search.settings, "cost");
  if (value == nullptr) return false;
  const auto* name = std::get_if<std::string>(value);
  if (name != nullptr && *name == "seconds") return true;
  return refuse(Code::invalid, "cost must be seconds: what the phases of a run take",
                "/search/cost");
}

Result<bool> flag_setting(const SearchSpec& search, std::string_view name, bool otherwise) {
  const Value* value = find(search.settings, name);
  if (value == nullptr) return otherwise;
  if (const auto* flag = std::get_if<bool>(value)) return *flag;
  return refuse(Code::invalid, std::string(name) + " must be true or false",
                "/search/" + std::string(name));
}

}  // namespace hone
