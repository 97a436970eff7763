// Serves the jobs of several speakers in turn, by what they cost: start-time fair queueing. Pure:
// costs are arguments. Not thread-safe. Internal to server/http.
//
// Each speaker has an account of what its jobs have cost, and the one that has used least is next.
// A speaker that was idle begins where those in service are, without credit for the past: it waits
// for at most one job of each other speaker, and no other waits for more than one of its jobs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"

namespace hone::http {

struct QueueBounds {
  std::size_t each_max;     // waiting jobs of one speaker
  std::size_t all_max;      // of all speakers
  std::size_t running_max;  // of one speaker at the same time
  // How far one job may put a speaker behind the others. Without it, a client that paid for one
  // read of a minute would wait for a minute of the others' reads.
  Duration debt_max;
};

template <class Job>
class FairQueue {
 public:
  explicit FairQueue(const QueueBounds& bounds) : bounds_(bounds) {}

  // Refuses (busy) a job beyond the bound of its speaker or of all; the job is then dropped.
  Status push(const std::string& speaker, Job job) {
    if (waiting_ >= bounds_.all_max)
      return refuse(Code::busy, "the server has " + std::to_string(waiting_) +
                                    " requests waiting, its bound: try again in a second");
    auto found = accounts_.find(speaker);
    if (found != accounts_.end() && found->second.waiting.size() >= bounds_.each_max)
      return refuse(Code::busy, "this token or address has " + std::to_string(bounds_.each_max) +
                                    " requests waiting, its bound: wait for one");
    if (found == accounts_.end())
      found = accounts_.emplace(speaker, Account{.used = reached_}).first;
    Account& account = found->second;
    if (account.is_idle()) account.used = std::max(account.used, reached_);
    account.waiting.push_back(std::move(job));
    ++waiting_;
    return Done{};
  }

  struct Turn {
    std::string speaker;
    Job job;
  };
  // The next job; nothing if none waits, or each is of a speaker that runs as many as it may. Call
  // finish once it has ended.
  std::optional<Turn> take() {
    const auto next = find_next();
    if (next == accounts_.end()) return std::nullopt;
    Account& account = next->second;
    Turn turn{next->first, std::move(account.waiting.front())};
    account.waiting.pop_front();
    account.served = ++turns_;
    ++account.running;
    ++running_;
    --waiting_;
    reached_ = std::max(reached_, account.used);
    return turn;
  }

  // Charges a speaker for a job that it took.
  void finish(const std::string& speaker, Duration cost) {
    const auto found = accounts_.find(speaker);
    Account& account = found->second;
    --account.running;
    --running_;
    account.used = std::clamp(account.used + cost, reached_, reached_ + bounds_.debt_max);
    if (waiting_ == 0 && running_ == 0) return accounts_.clear();  // none is behind another
    std::erase_if(accounts_, [this](const auto& entry) {
      return entry.second.is_idle() && entry.second.used <= reached_;
    });
  }

  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  // Speakers that are remembered.
  [[nodiscard]] std::size_t accounts() const { return accounts_.size(); }

 private:
  struct Account {
    std::deque<Job> waiting{};
    std::size_t running = 0;
    Duration used{};           // since `reached_` was 0
    std::uint64_t served = 0;  // the turn of its last job
    [[nodiscard]] bool is_idle() const { return waiting.empty() && running == 0; }
  };
  using Accounts = std::map<std::string, Account>;

  // Of equal ones, that which was served longest ago.
  typename Accounts::iterator find_next() {
    auto next = accounts_.end();
    for (auto one = accounts_.begin(); one != accounts_.end(); ++one) {
      const Account& account = one->second;
      if (account.waiting.empty() || account.running >= bounds_.running_max) continue;
      if (next == accounts_.end() || std::pair(account.used, account.served) <
                                         std::pair(next->second.used, next->second.served))
        next = one;
    }
    return next;
  }

  const QueueBounds bounds_;
  Accounts accounts_;
  Duration reached_{};  // the account of the speaker that was served last: where newcomers begin
  std::uint64_t turns_ = 0;
  std::size_t waiting_ = 0;
  std::size_t running_ = 0;
};

}  // namespace hone::http
