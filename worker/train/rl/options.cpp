#include "worker/train/rl/options.hpp"

#include <algorithm>

namespace hone::rl {
namespace {

using trainers::Settings;

constexpr int screen_side = 20;  // smaller planes get the network of MinAtar

nn::NetKind kind_of(const std::string& word, const envs::Planes& planes) {
  if (word == "mlp") return nn::NetKind::mlp;
  if (word == "minatar") return nn::NetKind::minatar;
  if (word == "conv") return nn::NetKind::conv;
  if (planes == envs::Planes{}) return nn::NetKind::mlp;
  return std::min(planes.rows, planes.columns) < screen_side ? nn::NetKind::minatar
                                                             : nn::NetKind::conv;
}

}  // namespace

nn::Backend backend_of(const std::string& word) {
  if (word == "cuda") return nn::Backend::cuda;
  return word == "torch" ? nn::Backend::torch : nn::Backend::own;
}

Status take_kind(const Settings& settings, const envs::Env& env, nn::NetShape& net) {
  const auto& planes = env.spec.planes;
  const auto kind = kind_of(settings.word("network"), planes);
  if (kind == nn::NetKind::mlp) return Done{};
  if (std::min(planes.rows, planes.columns) < 3)
    return refuse(Code::invalid,
                  "network " + settings.word("network") +
                      " needs observations that are planes of at least 3 by 3, and those of " +
                      env.name + " are not",
                  "/network");
  net.kind = kind;
  net.planes = planes;
  return Done{};
}

Result<bool> scales_observations(const Settings& settings, const envs::Env& env) {
  if (settings.word("observation_scale") == "no") return false;
  if (env.spec.planes == envs::Planes{}) return true;
  if (!settings.given("observation_scale")) return false;
  return refuse(Code::invalid,
                "the observations of " + env.name + " are planes, which are not scaled",
                "/observation_scale");
}

Result<std::optional<double>> sticky_of(const Settings& settings, const envs::Env& env) {
  if (!settings.given("sticky")) return std::optional<double>();
  if (!env.spec.sticky)
    return refuse(Code::invalid, env.name + " has no sticky actions", "/sticky");
  return std::optional<double>(settings.real("sticky"));
}

}  // namespace hone::rl
