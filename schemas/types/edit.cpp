#include "schemas/types/edit.hpp"

#include "schemas/types/event.hpp"
#include "schemas/types/space.hpp"

namespace hone {
namespace {

struct Widen {
  const Widening& to;

  void operator()(FloatDomain& domain) const {
    domain.min = to.min.value_or(domain.min);
    domain.max = to.max.value_or(domain.max);
  }
  void operator()(IntDomain& domain) const {
    if (to.min) domain.min = static_cast<std::int64_t>(*to.min);
    if (to.max) domain.max = static_cast<std::int64_t>(*to.max);
  }
  void operator()(ChoiceDomain& domain) const {
    for (const Value& value : to.values) {
      domain.values.push_back(value);
      if (!domain.weights.empty()) domain.weights.push_back(domain.weights.back());
    }
  }
  void operator()(BoolDomain&) const {}
  void operator()(FixedDomain&) const {}
  void operator()(DerivedDomain&) const {}
};

}  // namespace

void widen(Parameter& parameter, const Widening& widening) {
  std::visit(Widen{widening}, parameter.domain);
}

void apply(const SweepEdited& edit, SweepSpec& spec) {
  if (edit.trials) spec.search.trials = *edit.trials;
  if (edit.concurrency)
    spec.limits.concurrency = *edit.concurrency == 0 ? std::nullopt : edit.concurrency;
  if (edit.share) spec.share = edit.share;
  if (edit.slots) spec.slots = *edit.slots;
  if (edit.by) spec.by = *edit.by == Deadline{} ? std::nullopt : edit.by;
  if (edit.command) spec.trainer = *edit.command;
  for (const Widening& widening : edit.widened)
    for (Parameter& parameter : spec.parameters)
      if (parameter.name == widening.name) widen(parameter, widening);
}

}  // namespace hone
