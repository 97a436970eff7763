// Edits of a sweep, and the continuation of one that has ended. Proposed trials stay as they are,
// so that every number in the ledger keeps its meaning and a replay proposes the same trials again.
#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "schemas/rules/rules.hpp"
#include "schemas/types/command_words.hpp"
#include "schemas/types/edit.hpp"
#include "schemas/types/passing.hpp"
#include "schemas/values/member.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone {
namespace {

struct CheckWidening {
  const Widening& to;
  const std::string& at;

  [[nodiscard]] Error error(const std::string& why) const {
    return refuse(Code::invalid, "'" + to.name + "': " + why, at);
  }
  template <class Domain>
  [[nodiscard]] Status bounds(const Domain& domain) const {
    if (!to.values.empty()) return error("a range has bounds, not values");
    if (!to.min && !to.max) return error("name a new bound");
    if ((to.min && *to.min > static_cast<double>(domain.min)) ||
        (to.max && *to.max < static_cast<double>(domain.max)))
      return error(
          "a space can only become wider: trials outside would lose their place. A new sweep with "
          "the narrower range learns from those inside by search: {warm_start: [ID]}");
    return Done{};
  }
  Status operator()(const FloatDomain& domain) const {
    if (domain.step && to.min)
      return error("a step is counted from the lower bound: move the upper");
    return bounds(domain);
  }
  Status operator()(const IntDomain& domain) const {
    const auto whole = [](const std::optional<double>& bound) {
      return !bound || (std::abs(*bound) < 0x1p63 && *bound == std::trunc(*bound));
    };
    if (!whole(to.min) || !whole(to.max)) return error("its bounds are whole numbers");
    if (domain.step > 1 && to.min)
      return error("a step is counted from the lower bound: move the upper");
    return bounds(domain);
  }
  Status operator()(const ChoiceDomain& domain) const {
    if (to.min || to.max) return error("a choice has values, not bounds");
    if (to.values.empty()) return error("name the values to add");
    for (const Value& value : to.values)
      if (member_of(domain, value)) return error("it has one of these values already");
    return Done{};
  }
  Status operator()(const BoolDomain&) const { return error("true and false are all there is"); }
  Status operator()(const FixedDomain&) const { return error("it is fixed; fork the sweep"); }
  Status operator()(const DerivedDomain&) const { return error("it is computed; fork the sweep"); }
};

// What a sweep file may not state is no result of an edit either.
Status check_widened(Parameter parameter, const Widening& widening, const std::string& at) {
  if (auto grows = std::visit(CheckWidening{widening, at}, parameter.domain); !grows) return grows;
  widen(parameter, widening);
  const auto allowed = rules::check(parameter);
  if (allowed) return Done{};
  const std::string field = allowed.error().at.substr(0, allowed.error().at.find('/', 1));
  const bool named = field == "/min" || field == "/max" || field == "/values";
  return refuse(allowed.error().code, "'" + parameter.name + "': " + allowed.error().detail,
                named ? at + field : at);
}

// Widens `spec` after the check, so that the next widening of the same parameter is checked against
// its result.
Status check_widening(SweepSpec& spec, const Widening& widening, const std::string& at) {
  const auto found = std::ranges::find(spec.parameters, widening.name, &Parameter::name);
  if (found != spec.parameters.end()) {
    if (auto fits = check_widened(*found, widening, at); !fits) return fits;
    widen(*found, widening);
    return Done{};
  }
  std::vector<std::string_view> known;
  for (const Parameter& parameter : spec.parameters) known.push_back(parameter.name);
  return refuse(
      Code::invalid,
      "the sweep has no parameter '" + widening.name + "'" + did_you_mean(widening.name, known),
      at);
}

Status check_trials(const Sweep& sweep, std::int64_t trials) {
  const auto taken = static_cast<std::int64_t>(sweep.trials.size() + sweep.enqueued.size());
  if (trials > taken || (trials == sweep.spec.search.trials && !is_end(sweep.state))) return Done{};
  if (is_end(sweep.state))
    return refuse(Code::conflict,
                  text(sweep.id) + " has " + std::to_string(taken) +
                      " trials: name more than these, all together, to continue it",
                  "/trials");
  return refuse(Code::conflict,
                std::to_string(taken) +
                    " trials are proposed or enqueued: name more than these, or end the sweep "
                    "with hone stop " +
                    text(sweep.id),
                "/trials");
}

// An ended sweep is continued by further trials only.
Status check_state(const Book& book, const Sweep& sweep, const EditRequest& request) {
  const std::string id = text(sweep.id);
  if (sweep.state == SweepState::stopping)
    return refuse(Code::conflict, id + " is stopping: wait for its end, or fork it");
  if (!is_end(sweep.state)) return Done{};
  if (sweep.spec.confirms) {
    const auto confirmed = confirmed_of(book, sweep.id);
    return refuse(
        Code::conflict,
        id + " is a confirmation and has ended" +
            (confirmed ? ": train further seeds with hone confirm " + text(*confirmed) + " --start"
                       : ", and the sweep that it confirms is not on this server"));
  }
  if (!request.trials)
    return refuse(Code::conflict, id + " has ended: continue it with more --trials, or fork it");
  return Done{};
}

}  // namespace

void shorten_seeds(CommandTrainer& command) {
  command.short_seeds = names(naming_words(command), "hone.seed");
}

Result<CommandTrainer> settled_command(SweepSpec spec, const CommandTrainer& command) {
  if (!std::holds_alternative<CommandTrainer>(spec.trainer))
    return refuse(Code::conflict, "the sweep has no command but a trainer or steps; fork it",
                  "/command");
  spec.trainer = command;
  auto settled = rules::settled(spec);
  if (!settled) return settled.error();
  return std::get<CommandTrainer>(std::move(settled->trainer));
}

Status check_widenings(SweepSpec spec, const std::vector<Widening>& widenings) {
  for (std::size_t i = 0; i < widenings.size(); ++i) {
    const std::string at = "/widen/" + std::to_string(i);
    if (auto fits = check_widening(spec, widenings[i], at); !fits) return fits;
  }
  return Done{};
}

Result<Events> decide_edit(const Book& book, const Edit& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  const EditRequest& request = command.request;
  if (book.known_requests.contains(request.request_id)) return Events{};
  if (auto fits = check_state(book, *sweep, request); !fits) return fits.error();
  if (is_end(sweep->state))
    if (auto fits = check_open_sweeps(book); !fits) return fits.error();
  if (request.trials)
    if (auto fits = check_trials(*sweep, *request.trials); !fits) return fits.error();
  if (auto fits = check_widenings(sweep->spec, request.widen); !fits) return fits.error();
  SweepEdited edited{sweep->id,           request.request_id, request.trials,
                     request.concurrency, request.widen,      request.share,
                     request.slots,       request.by,         {}};
  if (request.command) {
    auto settled = settled_command(sweep->spec, *request.command);
    if (!settled) return settled.error();
    shorten_seeds(*settled);
    edited.command = *std::move(settled);
  }
  SweepSpec spec = sweep->spec;
  apply(edited, spec);
  if (const int most = most_resources(spec).cpus;
      request.slots && spec.slots.max.value_or(most) < most)
    return refuse(Code::invalid, "a run needs " + std::to_string(most) + " slots", "/slots/max");
  // What an earlier hone accepted stays: it is checked again only where it asks for more.
  if (request.trials || !request.widen.empty() || request.slots || request.by || request.share ||
      request.command)
    if (auto fits = check_changed(spec, value_rule(sweep->rules)); !fits) return fits.error();
  return Events{edited};
}

}  // namespace hone
