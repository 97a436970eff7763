// The server of a study on this machine: `hone up` on the study's own data folder.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "sdk/cli/local/child.hpp"

namespace hone::cli {

class LocalServer {
 public:
  // Starts it with so many slots; 0: without a worker, to read what is recorded. Waits for the
  // end of an earlier one of a killed study, which still closes the folder.
  static Result<std::unique_ptr<LocalServer>> start(const std::string& folder, int slots);
  // Ends it in order, and waits for that.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  LocalServer(Child child, std::string url, std::string folder)
      : child_(std::move(child)), url_(std::move(url)), folder_(std::move(folder)) {}

  Child child_;
  std::string url_;
  std::string folder_;
};

// Where the server of a running study listens; empty if none runs.
std::string recorded_url(const std::string& folder);

}  // namespace hone::cli
