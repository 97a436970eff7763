// Carries the engine's replies to the io thread, one wake-up for each batch. Internal to
// server/http.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <utility>
#include <vector>

namespace hone::http {

// Used on the engine's thread alone.
class Outbox {
 public:
  explicit Outbox(boost::asio::io_context& io) : io_(io) {}

  // `resume` runs on the io thread, after the next send().
  void add(std::function<void()> resume) { waiting_.push_back(std::move(resume)); }

  void send() {
    if (waiting_.empty()) return;
    boost::asio::post(io_, [batch = std::exchange(waiting_, {})] {
      for (const auto& resume : batch) resume();
    });
  }

 private:
  boost::asio::io_context& io_;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace hone::http
