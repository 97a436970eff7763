// A sweep file under construction, and the parameter types that the formats share.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sdk/cpp/import/import.hpp"

namespace hone {

// The entry of a parameter, and how its meaning changed.
struct Translated {
  Json domain;
  std::string remark{};
};

constexpr double seed_max = 9e15;

struct Interval {
  double low = 0;
  double high = 1;
  bool log = false;
  bool whole = false;               // an int
  std::optional<double> step = {};  // anchored at low
};
Translated interval(const Interval& interval);

// round(x / q) * q for x between low and high: multiples of q, whatever low is. `clipped`: only
// those between the bounds.
Translated multiples(double low, double high, double q, bool log, bool clipped = false);

// An unbounded normal distribution of x or of log x; hone's is truncated.
Translated bell(double mu, double sigma, bool log, std::optional<double> q);

// The values of a list with their JSON types; ordered if they are ascending numbers.
Translated choice(const Json& values, const Json* weights = nullptr);

Translated fixed(const Json& value);

// Removes rounding errors: exp(log(0.01)) becomes 0.01.
double tidy(double value);

class Draft {
 public:
  // Several remarks become one comment.
  void remark(const std::string& pointer, const std::string& text);
  void lose(std::string at, std::string sentence) {
    import_.lost.push_back({std::move(at), std::move(sentence)});
  }
  std::vector<Untranslated>& lost() { return import_.lost; }

  void set(const std::string& key, Json value, const std::string& remark = {});
  void objective(const std::string& metric, bool maximize, const std::string& remark = {});
  [[nodiscard]] const Json& sweep() const { return import_.sweep; }
  // Adds to `limits`.
  void limit(const std::string& key, Json value);
  // Returns the name of the parameter in hone. What a sweep does not hold is left out and, once,
  // listed as lost.
  std::string add(const std::string& name, Translated translated, const std::string& when = {});
  void search(const std::string& method, std::optional<double> trials, const std::string& tool,
              const std::string& remark = {});

  // The entry of a parameter by hone's name.
  [[nodiscard]] const Json& domain(const std::string& ours) const { return parameters_.at(ours); }
  [[nodiscard]] std::string name_of(const std::string& name) const;
  // The original names and hone's, in order.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& names() const {
    return names_;
  }

  // Fills in the missing fields (the trainer, the budget), in the order of a sweep file.
  ImportedSpec finish(const std::string& tool) &&;

 private:
  [[nodiscard]] double combinations() const;
  // Names the parameters that no word of the command carries.
  void remark_on_passing();
  ImportedSpec import_;
  Json parameters_ = Json::object();
  std::set<std::string> taken_;  // hone's names
  bool full_ = false;
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace hone
