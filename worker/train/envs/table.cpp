#include "worker/train/envs/table.hpp"

#include <array>

#include "base/nearest.hpp"
#include "schemas/trainers/environments.hpp"
#include "worker/train/envs/bridge/gym_env.hpp"

namespace hone::envs {

#define HONE_DECLARE(name, place, function, actions) \
  namespace place {                                  \
  BuiltinEnv function();                             \
  }
HONE_ENVIRONMENTS(HONE_DECLARE, HONE_DECLARE)
#undef HONE_DECLARE

namespace {

EnvRow env_row(std::string_view name, const BuiltinEnv& env) { return {name, env.spec, env.make}; }

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : env_table()) names.push_back(row.name);
  return did_you_mean(name, names);
}

#define HONE_NO_ROW(...)
#define HONE_IS(known, ...) || name == known
bool needs_box2d(std::string_view name) { return false HONE_ENVIRONMENTS(HONE_NO_ROW, HONE_IS); }
#undef HONE_IS

}  // namespace

#define HONE_ROW(name, place, function, actions) env_row(name, place::function()),
#ifdef HONE_BOX2D
#define HONE_BOX2D_ROW HONE_ROW
#else
#define HONE_BOX2D_ROW HONE_NO_ROW
#endif
std::span<const EnvRow> env_table() {
  static const std::array rows{HONE_ENVIRONMENTS(HONE_ROW, HONE_BOX2D_ROW)};
  return rows;
}
#undef HONE_ROW
#undef HONE_NO_ROW
#undef HONE_BOX2D_ROW

Result<Env> find_env(std::string_view name) {
  for (const auto& row : env_table())
    if (row.name == name)
      return Env{std::string(name), *row.spec, [make = row.make](const EnvPlan& plan) {
                   return Result<std::unique_ptr<VecEnv>>(make(plan));
                 }};
  if (is_gym_name(name)) return find_gym_env(name);
  if (needs_box2d(name))
    return refuse(Code::unavailable,
                  std::string(name) +
                      " needs Box2D, and hone was built without it: install libbox2d-dev and "
                      "configure the build again",
                  "/env");
  return refuse(Code::invalid,
                "hone-train has no environment '" + std::string(name) + "'" + suggestion(name),
                "/env");
}

}  // namespace hone::envs
