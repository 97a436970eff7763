#include "tests/sim/faults.hpp"

#include <sstream>

namespace hone::sim {

FaultPlan FaultPlan::none() {
  FaultPlan plan;
  plan.delay_max = milliseconds(5);
  return plan;
}

// Half of the kinds are absent in any one world, so that rare combinations occur.
FaultPlan FaultPlan::draw(Rng& rng) {
  const auto rate = [&](double most) { return rng.uniform() < 0.5 ? 0.0 : most * rng.uniform(); };
  FaultPlan plan;
  plan.drop = rate(0.2);
  plan.duplicate = rate(0.2);
  plan.delay_max =
      milliseconds(rng.uniform() < 0.5 ? 5 : static_cast<std::int64_t>(rng.below(20'000)) + 1);
  plan.disk = rate(0.001);
  plan.crash = rate(0.02);
  plan.worker_death = rate(0.05);
  plan.process_death = rate(0.2);
  plan.deaf = rate(1.0);
  plan.diverged = rate(0.1);
  plan.partition = rate(0.03);
  plan.clock_step = rate(0.05);
  plan.broken = rate(0.05);
  plan.worker_end = rate(0.1);
  plan.contention = rate(4);
  if (plan.worker_end > 0 && rng.uniform() < 0.3) {
    plan.drop = plan.duplicate = plan.disk = plan.crash = plan.partition = plan.clock_step = 0;
    plan.delay_max = milliseconds(5);
  }
  return plan;
}

bool FaultPlan::reaches_the_server() const {
  return drop == 0 && duplicate == 0 && disk == 0 && crash == 0 && partition == 0 &&
         clock_step == 0 && delay_max <= milliseconds(5);
}

std::string text(const FaultPlan& plan) {
  std::ostringstream out;
  out << "drop " << plan.drop << " duplicate " << plan.duplicate << " delay "
      << plan.delay_max.us / 1000 << "ms disk " << plan.disk << " crash " << plan.crash
      << " worker_death " << plan.worker_death << " process_death " << plan.process_death
      << " deaf " << plan.deaf << " diverged " << plan.diverged << " partition " << plan.partition
      << " clock_step " << plan.clock_step << " broken " << plan.broken << " worker_end "
      << plan.worker_end << " contention " << plan.contention;
  return out.str();
}

}  // namespace hone::sim
