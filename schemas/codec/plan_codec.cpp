// The plan of a sweep.
#include "schemas/codec/parts.hpp"
#include "schemas/types/sweep_plan.hpp"

namespace hone::codec {

void fields(auto& f, Of<ConfirmPlan> auto& c) {
  f("top", c.top)("seeds", c.seeds)("runs", c.runs)("phases", c.phases)("work", c.work);
}

void fields(auto& f, Of<SweepPlan> auto& p) {
  f("trials", p.trials)("runs", p.runs)("runs_at_most", p.runs_at_most);
  f("phases_at_most", p.phases_at_most).maybe("confirm", p.confirm);
  f("phases_expected", p.phases_expected)("phases_per_run", p.phases_per_run);
  f.maybe("phases_range", p.phases_range, ListOf{OfType{}, 2});
  f("work_at_most", p.work_at_most)("work_expected", p.work_expected)("unit", p.unit);
}

template struct Replies<SweepPlan>;

}  // namespace hone::codec
