// The reads that wait for a reader thread or run on it: how many of them a client may have, and
// which of them must stop. Used on the io thread, except for ReadTicket::stop. Internal to
// server/http.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/result.hpp"
#include "server/http/pools.hpp"

namespace hone::http {

class Connection;

// A read that was accepted. The reader thread looks at `stop` before and while it works.
struct ReadTicket {
  Lane lane{};
  std::string speaker;  // a token or an address
  std::atomic<bool> stop = false;
  bool too_late = false;  // stopped by its deadline, not by its client's end
  Connection* connection = nullptr;
  std::chrono::steady_clock::time_point deadline{};
};

class Reads {
 public:
  explicit Reads(boost::asio::io_context& io) : timer_(io) {}
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  // Ends the read, and its count, with its own end.
  class Pass {
   public:
    Pass(Reads& reads, Lane lane, std::string speaker, Connection& connection);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    [[nodiscard]] const std::shared_ptr<ReadTicket>& ticket() const { return ticket_; }
    void renew();  // begins the time of its lane again

   private:
    Reads& reads_;
    std::shared_ptr<ReadTicket> ticket_ = std::make_shared<ReadTicket>();
  };

  // Refuses (busy) a read of a whole sweep where its speaker has as many as it may, or if there
  // are as many in all.
  [[nodiscard]] Status may_start(Lane lane, const std::string& speaker) const;

  // Those that must stop and have not ended yet.
  [[nodiscard]] std::size_t wasted() const;

 private:
  void watch();
  void stop_wasted();

  boost::asio::steady_timer timer_;
  bool watching_ = false;
  std::set<std::shared_ptr<ReadTicket>> tickets_;
  std::map<std::string, std::size_t> heavy_;  // by speaker; none of 0
  std::size_t heavy_in_all_ = 0;
};

}  // namespace hone::http
