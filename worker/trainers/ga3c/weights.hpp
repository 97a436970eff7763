// The network's weights as immutable snapshots: readers never wait for an update to finish, and an
// update never waits for readers. Every snapshot has a version, so that the age of a prediction can
// be told.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace hone::ga3c {

class WeightBoard {
 public:
  // `readers_max` readings may be held at once.
  WeightBoard(std::size_t parameters, int readers_max);

  // A snapshot, kept unchanged while this object lives.
  class Reading {
   public:
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading();
    [[nodiscard]] std::span<const float> parameters() const;
    [[nodiscard]] std::uint64_t version() const { return version_; }

   private:
    friend class WeightBoard;
    Reading(WeightBoard& board, std::size_t snapshot, std::uint64_t version)
        : board_(board), snapshot_(snapshot), version_(version) {}

    WeightBoard& board_;
    std::size_t snapshot_;
    std::uint64_t version_;
  };

  [[nodiscard]] Reading read();
  // Publishes the next version. One writer at a time.
  void publish(std::span<const float> parameters);

 private:
  struct Snapshot {
    std::vector<float> parameters;
    int readers = 0;
  };

  std::mutex mutex_;
  std::vector<Snapshot> snapshots_;
  std::size_t current_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace hone::ga3c
