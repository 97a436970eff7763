#include "worker/train/envs/bridge/gym_env.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "worker/train/envs/bridge/host.hpp"
#include "worker/train/envs/core/stream.hpp"

namespace hone::envs {
namespace {

constexpr int failures_max = 5;                // with fewer than steps_of_trust between them
constexpr std::int64_t steps_of_trust = 1000;  // of a group

class GymEnv final : public VecEnv {
 public:
  GymEnv(bridge::HostPlan plan, const EnvPlan& ours) : plan_(std::move(plan)) {
    for (int i = 0; i < ours.count; ++i)
      streams_.emplace_back(ours.seed, Purpose::environment,
                            ours.first_index + static_cast<std::uint64_t>(i));
  }

  // Call it first. Refuses with the reason.
  Status begin() {
    auto started = bridge::Host::start(plan_);
    if (!started) return started.error();
    host_ = *std::move(started);
    return host_->reset(fresh_seeds());
  }

  const EnvSpec& spec() const override { return plan_.what.spec; }
  int count() const override { return plan_.count; }

  void reset(float* observations) override {
    if (fresh_) return show(observations);  // begin() has reset the copies
    if (auto done = host_->reset(fresh_seeds()); !done) replace(done.error());
    show(observations);
  }

  void step(const Actions& actions, const StepOut& out) override {
    fresh_ = false;
    if (auto done = host_->step(actions); !done) return cut_short(done.error(), out);
    if (++steps_ == steps_of_trust) failures_ = 0;
    std::ranges::copy(host_->rewards(), out.rewards);
    std::ranges::copy(host_->terminated(), out.terminated);
    std::ranges::copy(host_->truncated(), out.truncated);
    for (int i = 0; i < plan_.count; ++i)
      if (episode_over(out.terminated[i], out.truncated[i]))
        host_->final_observation(i, row(out.final_observations, i));
    show(out.observations);
  }

  std::vector<std::uint64_t> save() const override {
    std::vector<std::uint64_t> words;
    for (const auto& stream : streams_)
      words.insert(words.end(), stream.words().begin(), stream.words().end());
    return words;
  }

  bool restore(std::span<const std::uint64_t> words, float* observations) override {
    constexpr auto each = std::tuple_size_v<Stream::Words>;
    if (words.size() != streams_.size() * each) return false;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      Stream::Words part;
      std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * each), each, part.begin());
      streams_[i] = Stream(part);
    }
    fresh_ = false;
    reset(observations);
    return true;
  }

 private:
  std::vector<std::int64_t> fresh_seeds() {
    std::vector<std::int64_t> seeds;
    for (auto& stream : streams_) seeds.push_back(static_cast<std::int64_t>(stream.bits() >> 33));
    fresh_ = true;
    return seeds;
  }

  float* row(float* rows, int i) const {
    return rows + static_cast<std::ptrdiff_t>(i) * plan_.what.spec.row_floats();
  }

  void show(float* observations) const {
    for (int i = 0; i < plan_.count; ++i) host_->observation(i, row(observations, i));
  }

  // Truncates every episode at its state before this step and starts another process.
  void cut_short(const Error& why, const StepOut& out) {
    const auto count = static_cast<std::size_t>(plan_.count);
    std::fill_n(out.rewards, count, 0.0F);
    std::fill_n(out.terminated, count, std::uint8_t{0});
    std::fill_n(out.truncated, count, std::uint8_t{1});
    for (int i = 0; i < plan_.count; ++i)
      host_->observation_before(i, row(out.final_observations, i));
    replace(why);
    show(out.observations);
  }

  void replace(Error why) {
    while (true) {
      steps_ = 0;
      ++failures_;
      std::fprintf(stderr, "hone-train: %s: %s; %s\n", plan_.name.c_str(), why.detail.c_str(),
                   failures_ > failures_max ? "given up after too many failures"
                                            : "its episodes are cut short and it starts again");
      // A VecEnv cannot report an error, and nothing is lost: the last phase ended with a
      // checkpoint.
      if (failures_ > failures_max) std::_Exit(EXIT_FAILURE);
      host_.reset();
      auto begun = begin();
      if (begun) return;
      why = begun.error();
    }
  }

  bridge::HostPlan plan_;
  std::vector<Stream> streams_;  // of the seeds
  std::unique_ptr<bridge::Host> host_;
  bool fresh_ = false;  // no step since the last reset
  int failures_ = 0;
  std::int64_t steps_ = 0;  // since the last failure
};

}  // namespace

bool is_gym_name(std::string_view name) {
  return name.starts_with("gym:") || name.starts_with("atari:");
}

Result<Env> find_gym_env(std::string_view name) {
  const std::string known(name);
  const auto what = bridge::describe(known);
  if (!what) return what.error();
  const auto make = [known, what = *what](const EnvPlan& plan) -> Result<std::unique_ptr<VecEnv>> {
    const double sticky = plan.sticky.value_or(what.spec.sticky.value_or(0.0));
    auto env = std::make_unique<GymEnv>(bridge::HostPlan{known, plan.count, sticky, what}, plan);
    if (auto begun = env->begin(); !begun)
      return refuse(Code::invalid, known + ": " + begun.error().detail, "/env");
    return std::unique_ptr<VecEnv>(std::move(env));
  };
  return Env{known, what->spec, make};
}

}  // namespace hone::envs
