// One decision about a fleet, in this order: the answers of the engine to submissions, its list,
// the number of pilots wanted, cancellations, new submissions. Each step sees the events of the
// earlier ones.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "server/fleet/rules.hpp"

namespace hone {

Duration back_off(int failures) {
  constexpr std::array waits{seconds(0),  seconds(5),   seconds(15),   seconds(30),
                             seconds(60), seconds(900), seconds(1800), seconds(3600)};
  return waits.at(
      static_cast<std::size_t>(std::clamp(failures, 0, static_cast<int>(waits.size()) - 1)));
}

namespace {

// Whether a list that does not name the pilot says something about it: where it may be is known,
// or the whole engine has answered.
bool covers(const Listing& listing, const Pilot& pilot) {
  if (pilot.state == PilotState::wanted) return false;
  if (pilot.handle.empty()) return listing.silent.empty();
  return std::ranges::none_of(
      listing.silent, [&](const std::string& start) { return pilot.handle.starts_with(start); });
}

bool explains_failure(FleetRule rule) {
  return rule == FleetRule::back_off || rule == FleetRule::halted || rule == FleetRule::limited;
}

class Reconciler {
 public:
  Reconciler(const Fleet& fleet, const FleetLoad& load, PilotId last, Instant now)
      : fleet_(fleet), load_(load), last_(last), now_(now) {}

  std::vector<EventBody> run(const FleetNews& news) {
    for (const SubmitResult& result : news.submitted) answered(result);
    forgotten(news.queued);
    if (news.listing) listed(*news.listing);
    decide();
    return std::move(events_);
  }

 private:
  void emit(EventBody body) {
    evolve_fleet(fleet_, body, now_);
    events_.push_back(std::move(body));
  }
  // An adopted pilot may have a number that this ledger has not given yet.
  void see(PilotId pilot, PilotState state, std::string handle, std::string detail) {
    last_ = std::max(last_, pilot);
    emit(PilotSeen{pilot, fleet_.id, state, std::move(handle), std::move(detail)});
  }
  void end(PilotId pilot, FleetRule rule, std::string detail) {
    emit(PilotEnded{pilot, fleet_.id, rule, std::move(detail)});
  }
  [[nodiscard]] bool is_busy(const Pilot& pilot) const {
    return pilot.worker && load_.busy.contains(pilot.worker);
  }

  void answered(const SubmitResult& result);
  void forgotten(const std::set<PilotId>& queued);
  void listed(const Listing& listing);
  void listed(const ListedPilot& row);
  void not_listed(const Pilot& pilot, const Listing& listing);

  void decide();
  void stop_all();
  [[nodiscard]] std::pair<int, FleetRule> new_pilots(int want, int alive) const;
  void cancel_surplus(int want);
  [[nodiscard]] std::vector<const Pilot*> alive() const;
  [[nodiscard]] int pending() const;

  Fleet fleet_;  // with the events so far
  const FleetLoad& load_;
  PilotId last_;
  Instant now_;
  std::vector<EventBody> events_;
};

void Reconciler::answered(const SubmitResult& result) {
  const auto found = fleet_.pilots.find(result.pilot);
  if (found == fleet_.pilots.end() || found->second.state != PilotState::wanted) return;
  switch (result.outcome) {
    case Submission::accepted:
      return see(result.pilot, PilotState::pending, result.handle, result.detail);
    case Submission::unknown:
      return see(result.pilot, PilotState::unknown, {}, result.detail);
    case Submission::rejected:
      end(result.pilot, result.limited ? FleetRule::limited : FleetRule::rejected, result.detail);
      if (result.permanent && fleet_.state == FleetState::running)
        emit(FleetSteered{fleet_.id, FleetState::halted, result.detail});
      return;
  }
}

// Recorded by an earlier decision and not answered since: the server ended in between.
void Reconciler::forgotten(const std::set<PilotId>& queued) {
  std::vector<PilotId> ids;
  for (const auto& [id, pilot] : fleet_.pilots)
    if (pilot.state == PilotState::wanted && !queued.contains(id)) ids.push_back(id);
  for (const PilotId id : ids)
    see(id, PilotState::unknown, {}, "no answer to its submission was recorded");
}

void Reconciler::listed(const Listing& listing) {
  std::set<PilotId> named;
  for (const ListedPilot& row : listing.pilots) {
    named.insert(row.pilot);
    listed(row);
  }
  std::vector<Pilot> others;
  for (const auto& [id, pilot] : fleet_.pilots)
    if (!named.contains(id) && covers(listing, pilot)) others.push_back(pilot);
  for (const Pilot& pilot : others) not_listed(pilot, listing);
}

void Reconciler::listed(const ListedPilot& row) {
  const auto found = fleet_.pilots.find(row.pilot);
  const bool known = found != fleet_.pilots.end();
  if (row.state == PilotState::ended) {
    if (known) end(row.pilot, row.failed ? FleetRule::failed : FleetRule::completed, row.detail);
    return;
  }
  const bool waits = row.state == PilotState::pending || row.state == PilotState::held;
  const bool has_news = waits && !row.detail.empty();
  if (known && found->second.state == row.state && !has_news &&
      (row.handle.empty() || found->second.handle == row.handle))
    return;
  // A pilot that has joined runs, whatever the engine calls its state.
  if (known && found->second.worker && found->second.state == PilotState::running &&
      found->second.handle == row.handle)
    return;
  const bool joined = known && found->second.worker;
  see(row.pilot, joined ? PilotState::running : row.state, row.handle, row.detail);
}

void Reconciler::not_listed(const Pilot& pilot, const Listing& listing) {
  if (is_busy(pilot)) return;
  if (pilot.state != PilotState::absent)
    return see(pilot.id, PilotState::absent, {}, "a complete list of the engine did not name it");
  if (now_ - pilot.state_at < listing.confirm) return;
  const bool submitted = !pilot.handle.empty() || pilot.worker;
  end(pilot.id, submitted ? FleetRule::vanished : FleetRule::never_seen,
      "two lists of the engine did not name it" +
          std::string(pilot.worker ? ", and its worker is silent" : ""));
}

std::vector<const Pilot*> Reconciler::alive() const {
  std::vector<const Pilot*> pilots;
  for (const auto& [id, pilot] : fleet_.pilots)
    if (!pilot.canceled) pilots.push_back(&pilot);
  return pilots;
}

int Reconciler::pending() const {
  return static_cast<int>(std::ranges::count_if(
      fleet_.pilots, [](const auto& one) { return !one.second.worker && !one.second.canceled; }));
}

// How many to submit now, and the rule: why some, or why no more.
std::pair<int, FleetRule> Reconciler::new_pilots(int want, int alive) const {
  const bool probe = fleet_.failures >= failures_before_probe;
  if (fleet_.state == FleetState::halted) return {0, FleetRule::halted};
  if (fleet_.failures > 0 && now_ - fleet_.failed_at < back_off(fleet_.failures))
    return {0, FleetRule::back_off};
  const int total = static_cast<int>(fleet_.pilots.size());
  int room =
      std::min(fleet_.spec.backlog - pending(), fleet_.spec.max + fleet_.spec.backlog - total);
  if (fleet_.limit) {
    const bool waits = now_ - fleet_.limited_at < limit_wait;
    room = std::min(room, waits ? *fleet_.limit - total : 1);
    if (room <= 0 && waits) return {0, FleetRule::limited};
  }
  const int count = std::min({want - alive, room, probe ? 1 - pending() : room});
  if (count <= 0) return {0, FleetRule::backlog};
  if (probe) return {count, FleetRule::probe};
  return {count, alive < fleet_.spec.min ? FleetRule::minimum : FleetRule::demand};
}

void Reconciler::decide() {
  if (fleet_.state == FleetState::stopping) return stop_all();
  const auto pilots = alive();
  const int now_alive = static_cast<int>(pilots.size());
  const std::int64_t needed = load_.waiting + std::ranges::count_if(pilots, [&](const Pilot* one) {
                                return is_busy(*one);
                              });
  const int want =
      static_cast<int>(std::clamp<std::int64_t>(needed, fleet_.spec.min, fleet_.spec.max));
  auto [count, rule] = std::pair{0, needed > fleet_.spec.max   ? FleetRule::at_max
                                    : needed < fleet_.spec.min ? FleetRule::minimum
                                                               : FleetRule::enough};
  if (now_alive < want) std::tie(count, rule) = new_pilots(want, now_alive);
  if (want != fleet_.want || rule != fleet_.rule)
    emit(FleetDecided{fleet_.id, want, rule,
                      explains_failure(rule) ? fleet_.failure : load_.detail});
  cancel_surplus(want);
  const int min = fleet_.spec.min;
  for (int i = 0; i < count; ++i) {
    last_ = PilotId{last_.value + 1};
    const bool keeps = now_alive + i < min && rule != FleetRule::probe;
    const FleetRule why = keeps                        ? FleetRule::minimum
                          : rule == FleetRule::minimum ? FleetRule::demand
                                                       : rule;
    emit(
        PilotWanted{last_, fleet_.id, why,
                    std::to_string(now_alive + i) + " alive, " + std::to_string(want) + " wanted"});
  }
}

// Those that have not joined first, then the idle ones, the youngest of each.
void Reconciler::cancel_surplus(int want) {
  auto pilots = alive();
  std::ranges::stable_sort(pilots, [&](const Pilot* a, const Pilot* b) {
    const auto rank = [&](const Pilot* one) {
      return std::tuple(static_cast<bool>(one->worker), is_busy(*one), -one->id.value);
    };
    return rank(a) < rank(b);
  });
  const auto count = static_cast<int>(pilots.size());
  const bool patient = now_ - fleet_.decided_at < fleet_.spec.idle;
  std::vector<PilotCanceled> canceled;
  for (const Pilot* pilot : pilots) {
    const int left = count - static_cast<int>(canceled.size());
    if (left > fleet_.spec.max)
      canceled.push_back({pilot->id, fleet_.id, FleetRule::over_max});
    else if (left > want && !pilot->worker && !patient && !pilot->handle.empty())
      canceled.push_back({pilot->id, fleet_.id, FleetRule::surplus});
  }
  for (const PilotCanceled& one : canceled) emit(one);
}

void Reconciler::stop_all() {
  if (fleet_.want != 0 || fleet_.rule != FleetRule::stopping)
    emit(FleetDecided{fleet_.id, 0, FleetRule::stopping, {}});
  std::vector<PilotId> ids;
  for (const Pilot* pilot : alive()) ids.push_back(pilot->id);
  for (const PilotId id : ids) emit(PilotCanceled{id, fleet_.id, FleetRule::stopping});
  if (fleet_.pilots.empty()) emit(FleetSteered{fleet_.id, FleetState::stopped, {}});
}

}  // namespace

std::vector<EventBody> reconcile(const Fleet& fleet, const FleetNews& news, const FleetLoad& load,
                                 PilotId last, Instant now) {
  return Reconciler(fleet, load, last, now).run(news);
}

}  // namespace hone
