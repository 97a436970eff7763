// The link of an imported confirmation: to the sweep that it confirms, where that one was imported
// before.
#include <algorithm>
#include <map>
#include <ranges>

#include "server/sweep/state/rules.hpp"
#include "server/sweep/state/schedule.hpp"

namespace hone {
namespace {

Error misfit(const std::string& why, const std::string& at = {}) {
  return refuse(Code::invalid, why, "/export/confirms" + at);
}

const Sweep* newest_submitted(const Book& book, const PastConfirmed& confirms) {
  for (const auto& [id, sweep] : std::views::reverse(book.sweeps))
    if (sweep.submitted_at == confirms.submitted_at && sweep.spec.seed == confirms.seed &&
        !sweep.spec.confirms)
      return &sweep;
  return nullptr;
}

std::map<TrialId, const TrialProposed*> proposed_in(const std::vector<Event>& past) {
  std::map<TrialId, const TrialProposed*> proposed;
  for (const Event& event : past)
    if (const auto* e = std::get_if<TrialProposed>(&event.body)) proposed.emplace(e->trial, e);
  return proposed;
}

// The forks that led to trials, all together: following them takes a second at most.
constexpr std::int64_t forks_followed_max = 1'000'000;

std::int64_t forks_to(const Book& book, TrialId id) {
  std::int64_t forks = 0;
  for (const Trial* trial = find_trial(book, id); trial->origin;
       trial = find_trial(book, trial->origin->run.trial))
    ++forks;
  return forks;
}

// Whether the trial has the parameters of the known one, or those of all runs that it continues.
bool trains_again(const Book& book, TrialId known, const TrialProposed& trial) {
  if (trial.schedule.empty() && trial.params == find_trial(book, known)->params) return true;
  const TrialSchedule schedule = schedule_of(book, known);
  return trial.params == schedule.first && trial.schedule == schedule.later;
}

// Seeds follow from the seed of the confirmation and the number of the sweep that it confirmed.
Status check_seeds(const Book& book, const Sweep& confirmed, const SweepSpec& spec) {
  for (const SweepId id : confirmed.confirmed_by) {
    const Sweep* other = find_sweep(book, id);
    if (other != nullptr && other->spec.seed == spec.seed && other->spec.confirms == spec.confirms)
      return refuse(Code::conflict,
                    text(id) + " confirms " + text(confirmed.id) +
                        " with the same seeds: they would count twice. Remove \"confirms\" from "
                        "the document to import it as any other sweep",
                    "/export/confirms");
  }
  return Done{};
}

Status check_trials(const Book& book, const Sweep& confirmed, const SweepPast& past) {
  const auto proposed = proposed_in(past.events);
  std::int64_t forks = 0;
  for (std::size_t i = 0; i < past.confirms->trials.size(); ++i) {
    const auto& [trial, of] = past.confirms->trials[i];
    const std::string at = "/trials/" + std::to_string(i);
    const auto found = proposed.find(trial);
    if (found == proposed.end()) return misfit("there is no trial " + text(trial) + " in it", at);
    if (of.value < 1 || std::cmp_greater(of.value, confirmed.trials.size()))
      return misfit(text(confirmed.id) + " has no trial of the number of " + text(of), at);
    const TrialId known = confirmed.trials[static_cast<std::size_t>(of.value) - 1];
    forks += forks_to(book, known);
    if (forks > forks_followed_max)
      return misfit("its trials come from more than " + std::to_string(forks_followed_max) +
                        " forks, all together",
                    at);
    if (!trains_again(book, known, *found->second))
      return misfit(text(trial) + " has other parameters than " + text(known) + " of " +
                        text(confirmed.id) + ", which it confirms",
                    at);
  }
  return Done{};
}

}  // namespace

Result<const Sweep*> find_confirmed(const Book& book, const SweepPast& past) {
  if (!past.confirms) return nullptr;
  const auto* submitted =
      past.events.empty() ? nullptr : std::get_if<SweepSubmitted>(&past.events.front().body);
  if (submitted == nullptr || !submitted->spec->confirms) return misfit("it confirms no sweep");
  const Sweep* confirmed = newest_submitted(book, *past.confirms);
  if (confirmed == nullptr)
    return refuse(
        Code::not_found,
        "it confirms " + text(submitted->spec->confirms) +
            " of the server that it was exported from, which is not here: import that "
            "one first, or remove \"confirms\" from the document to import it as any other "
            "sweep",
        "/export/confirms");
  if (auto other = check_seeds(book, *confirmed, submitted->spec); !other) return other.error();
  if (auto fit = check_trials(book, *confirmed, past); !fit) return fit.error();
  return confirmed;
}

TrialLinks::TrialLinks(const Sweep& confirmed, const PastConfirmed& confirms) {
  for (const auto& [trial, of] : confirms.trials)
    origins_[static_cast<std::size_t>(trial.value) - 1] =
        confirmed.trials[static_cast<std::size_t>(of.value) - 1];
}

void TrialLinks::set(std::size_t number, std::optional<TrialId>& from) const {
  if (const auto origin = origins_.find(number); origin != origins_.end()) from = origin->second;
}

void TrialLinks::link(EventBody& body) {
  if (auto* e = std::get_if<TrialEnqueued>(&body)) set(enqueued_++, e->from);
  if (auto* e = std::get_if<TrialProposed>(&body)) set(proposed_++, e->from);
}

}  // namespace hone
