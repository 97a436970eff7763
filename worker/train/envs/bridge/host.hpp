// The C++ side of host.py: the specification of an environment, and a process that steps copies of
// it through shared memory. Internal to worker/train/envs/bridge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "worker/train/envs/bridge/python.hpp"
#include "worker/train/envs/core/env.hpp"

namespace hone::envs::bridge {

struct Description {
  EnvSpec spec;
  bool bytes = false;           // observations are bytes, else floats
  bool channels_first = false;  // planes are stored [channel][row][column]
};

// Starts a process, reads its description and ends it. Refuses (invalid, "/env") an environment
// that cannot be made, with the reason that Python gave.
Result<Description> describe(const std::string& name);

struct HostPlan {
  std::string name;
  int count = 1;
  double sticky = 0;
  Description what;
};

// Offsets of the arrays in the shared segment, in bytes.
struct Layout {
  explicit Layout(const HostPlan& plan);
  std::size_t error = 0, seeds = 0, actions = 0, rewards = 0, terminated = 0, truncated = 0;
  std::array<std::size_t, 2> observations{};
  std::size_t final = 0;
  std::size_t bytes = 0;  // of all
};

class Host {
 public:
  // Returns before the environments are made: the first command waits for that.
  static Result<std::unique_ptr<Host>> start(const HostPlan& plan);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Both refuse, with the reason, if the environment raised an exception, if its process ended and
  // if it did not answer in time. The host cannot be used after that.
  Status reset(std::span<const std::int64_t> seeds);
  Status step(const Actions& actions);

  // Results of the last step, one for each copy.
  [[nodiscard]] std::span<const float> rewards() const;
  [[nodiscard]] std::span<const std::uint8_t> terminated() const;
  [[nodiscard]] std::span<const std::uint8_t> truncated() const;
  // Writes the observation of copy i as the spec says: bytes become floats between 0 and 1 where
  // the spec stores floats, and channels come last.
  void observation(int i, float* out) const { read(layout_.observations[now_], i, out); }
  void final_observation(int i, float* out) const { read(layout_.final, i, out); }
  // The observation before the last command: intact even if that command failed.
  void observation_before(int i, float* out) const { read(layout_.observations[1 - now_], i, out); }

 private:
  struct Links {
    FileHandle memory, call, answer, lifeline;
  };
  Host(const HostPlan& plan, const Layout& layout, Links links, Python python, std::byte* segment)
      : plan_(plan),
        layout_(layout),
        links_(std::move(links)),
        python_(std::move(python)),
        segment_(segment) {}

  template <class T>
  [[nodiscard]] T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(segment_ + offset);
  }
  Status command(std::uint32_t number);
  Status await_answer();
  void read(std::size_t offset, int i, float* out) const;

  HostPlan plan_;
  Layout layout_;
  Links links_;
  Python python_;
  std::byte* segment_;
  std::size_t now_ = 0;  // index of the newer of the two observations
};

}  // namespace hone::envs::bridge
