// Stops no run early.
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

class NoTerminator final : public Terminator {
 public:
  explicit NoTerminator(const SweepShape& shape) : shape_(shape) {}

  Verdict judge(const History&, std::size_t, int, Score) const override {
    return {Action::go_on, VerdictReason::no_rule, {}};
  }
  Action recompute(const std::vector<VerdictInput>&) const override { return Action::go_on; }
  std::string explain(const Verdict&) const override { return "the sweep stops no run early"; }
  double expected_phases() const override { return shape_.phases; }

 private:
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_none(const TerminatorSpec& spec, const SweepShape& shape) {
  if (auto fits = only_settings(spec, {}); !fits) return fits.error();
  return std::unique_ptr<Terminator>(std::make_unique<NoTerminator>(shape));
}

}  // namespace hone
