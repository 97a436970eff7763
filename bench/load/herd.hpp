// The client processes of a measurement.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "bench/load/clients.hpp"

namespace hone::load {

class Herd {
 public:
  using Client = std::function<void(std::size_t number, const Signal& signal, Tally& tally)>;

  // Forks `count` processes that each run `client` and end.
  static Result<Herd> start(std::size_t count, const Client& client);
  ~Herd();  // kills those that still run
  Herd(Herd&&) noexcept = default;
  Herd& operator=(Herd&&) = delete;
  Herd(const Herd&) = delete;

  Signal& signal() { return *signal_; }
  [[nodiscard]] const SharedTallies& tallies() const { return tallies_; }
  [[nodiscard]] double cpu_s() const;  // once all have ended

  // Waits for all to end. True when they did within the time.
  bool ended_within(std::chrono::milliseconds time);
  [[nodiscard]] bool any_ended();

 private:
  struct Unmap {
    void operator()(Signal* signal) const;
  };
  Herd(SharedTallies tallies, Signal* signal) : tallies_(std::move(tallies)), signal_(signal) {}
  void reap();

  SharedTallies tallies_;
  std::unique_ptr<Signal, Unmap> signal_;
  std::vector<pid_t> alive_;
  bool one_ended_ = false;
};

}  // namespace hone::load
