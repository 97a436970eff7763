// host.py from this side: what an environment is like, and a process that steps copies of it
// through memory that both see. Internal to worker/train/envs/bridge.
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
  bool channels_first = false;  // planes lie [channel][row][column] there
};

// Asks a process that ends then. Refuses (invalid, "/env") what cannot be made, with the reason
// that Python gave.
Result<Description> describe(const std::string& name);

struct HostPlan {
  std::string name;
  int count = 1;
  double sticky = 0;
  Description what;
};

// Where the arrays lie in the segment, in bytes.
struct Layout {
  explicit Layout(const HostPlan& plan);
  std::size_t error = 0, seeds = 0, actions = 0, rewards = 0, terminated = 0, truncated = 0;
  std::array<std::size_t, 2> observations{};
  std::size_t final = 0;
  std::size_t bytes = 0;  // of all
};

class Host {
 public:
  // Its first command waits until the environments are made.
  static Result<std::unique_ptr<Host>> start(const HostPlan& plan);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Both refuse, with the reason, when the environment raised, when its process ended and when it
  // did not answer in time; the host is then of no more use.
  Status reset(std::span<const std::int64_t> seeds);
  Status step(const Actions& actions);

  // Of the last step, a row for each copy.
  [[nodiscard]] std::span<const float> rewards() const;
  [[nodiscard]] std::span<const std::uint8_t> terminated() const;
  [[nodiscard]] std::span<const std::uint8_t> truncated() const;
  // Writes row i as the specification says; bytes that it wants as floats come out between 0 and 1,
  // and channels last.
  void observation(int i, float* out) const { read(layout_.observations[now_], i, out); }
  void final_observation(int i, float* out) const { read(layout_.final, i, out); }
  // As the last command found them, whatever a failed one left.
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
  std::size_t now_ = 0;  // which of the two observations is newest
};

}  // namespace hone::envs::bridge
