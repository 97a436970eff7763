// The weights of the network as immutable snapshots: readers never wait for an update to finish,
// and an update never waits for readers. Every snapshot has a version, from which the age of a
// prediction follows.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "worker/train/nn/network.hpp"

namespace hone::rl {

class WeightBoard {
 public:
  // At most `readers_max` readings may exist at the same time.
  WeightBoard(std::size_t parameters, int readers_max);

  // A snapshot, kept unchanged while this object lives.
  class Reading {
   public:
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading();
    [[nodiscard]] std::span<const float> parameters() const;
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] nn::WeightView view() const { return {parameters(), version_}; }

   private:
    friend class WeightBoard;
    Reading(WeightBoard& board, std::size_t snapshot, std::uint64_t version)
        : board_(board), snapshot_(snapshot), version_(version) {}

    WeightBoard& board_;
    std::size_t snapshot_;
    std::uint64_t version_;
  };

  // The current version; the first is 1. Thread-safe.
  [[nodiscard]] Reading read();
  // Makes a copy of `parameters` the next version. One writer at a time.
  void publish(std::span<const float> parameters);

 private:
  struct Snapshot {
    dense::Floats parameters;
    int readers = 0;
  };

  std::mutex mutex_;
  std::vector<Snapshot> snapshots_;
  std::size_t current_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace hone::rl
