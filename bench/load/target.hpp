// The server under load: one started in a temporary folder, or one that runs already.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::load {

// Samples of GET /metrics by series: {"hone_commits_total": 12, ...}.
using Samples = std::map<std::string, double>;

class Target {
 public:
  // Starts hone-server in a new folder under `parent`.
  static Result<Target> start(const std::string& parent, const std::vector<std::string>& arguments);
  static Result<Target> running(const std::string& url);
  ~Target();  // stops a started server and removes its folder
  Target(Target&&) noexcept;
  Target& operator=(Target&&) = delete;
  Target(const Target&) = delete;

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] const std::string& folder() const {
    return folder_;
  }  // "" for a server that ran already

  Result<Json> post(const std::string& path, const Json& body) const;
  [[nodiscard]] Result<Samples> samples() const;

 private:
  Target() = default;
  Endpoint endpoint_;
  std::string folder_;
  pid_t pid_ = 0;
};

}  // namespace hone::load
