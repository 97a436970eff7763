#include "server/engines/fleet_thread.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace hone::engines {
namespace {

constexpr Duration pause = seconds(1);        // between two decisions
constexpr Duration idle_pause = seconds(60);  // without fleets; wake() ends it

Duration steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
}

}  // namespace

void FleetThread::start(Ask ask, Notice notice, Site site) {
  ask_ = std::move(ask);
  notice_ = std::move(notice);
  site_ = std::move(site);
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const std::exception& trouble) {
      spdlog::error("fleets are not served any more, restart the server: {}", trouble.what());
    }
  });
}

void FleetThread::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (news_) return;
    news_ = true;
  }
  changed_.notify_all();
}

void FleetThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Waits `least`, then until wake() or up to `most`. False after stop().
bool FleetThread::rest(Duration least, Duration most) {
  std::unique_lock lock(mutex_);
  const auto wait = [&](Duration time, auto until) {
    changed_.wait_for(lock, std::chrono::microseconds(time.us), until);
  };
  wait(least, [this] { return ending_; });
  wait(most - least, [this] { return ending_ || news_; });
  news_ = false;
  return !ending_;
}

bool FleetThread::ends() {
  const std::lock_guard lock(mutex_);
  return ending_;
}

bool FleetThread::may_ask(const EngineInfo& info, Running& running) {
  const Duration now = steady_now();
  if (now < running.next_command) {
    due_ = std::min(due_, running.next_command);
    return false;
  }
  running.next_command = now + info.gap;
  return true;
}

void FleetThread::run() {
  std::vector<FleetNews> news;
  do {
    // What was submitted is reported at once: a crash in between costs a list.
    while (step(news)) {
    }
  } while (rest(std::min(pause, due_ - steady_now()), any_ ? pause : idle_pause));
}

bool FleetThread::step(std::vector<FleetNews>& news) {
  const auto reply = ask_(Reconcile{std::exchange(news, {})});
  if (!reply) return false;
  const auto* orders = std::get_if<std::vector<FleetOrder>>(&*reply);
  if (orders == nullptr) return false;
  any_ = !orders->empty();
  due_ = steady_now() + pause;
  bool any_done = false;
  std::erase_if(running_, [&](const auto& one) {
    const bool gone = std::ranges::find(*orders, one.first, &FleetOrder::fleet) == orders->end();
    if (gone) notice_(one.first, {});
    return gone;
  });
  for (const FleetOrder& order : *orders) {
    if (ends()) return false;
    news.push_back(serve(order));
    any_done |= !news.back().submitted.empty() || news.back().listing;
  }
  return any_done;
}

FleetThread::Running& FleetThread::running_for(const FleetOrder& order) {
  Running& running = running_[order.fleet];
  if (!running.engine || running.spec != order.spec) {
    running.engine = engine_info(order.spec.engine).make(order, site_);
    running.spec = order.spec;
    running.next_list = {};
  }
  return running;
}

SubmitResult FleetThread::submit(Running& running, const FleetSpec& spec, const PilotOrder& pilot) {
  const std::string why = unreachable_server(spec, site_);
  auto result = why.empty() ? running.engine->submit(pilot)
                            : SubmitResult{pilot.pilot, Submission::rejected, {}, why, true};
  spdlog::info("fleet '{}': {} {}{}{}", spec.name, text(pilot.pilot),
               result.outcome == Submission::accepted   ? "submitted as " + result.handle
               : result.outcome == Submission::rejected ? "rejected"
                                                        : "perhaps submitted",
               result.detail.empty() ? "" : ": ", result.detail);
  return result;
}

// One turn: a submission, else what is due of cancellations and the list. Then it is the turn of
// the other fleets.
FleetNews FleetThread::serve(const FleetOrder& order) {
  FleetNews news{.fleet = order.fleet};
  Running& running = running_for(order);
  const EngineInfo& info = engine_info(order.spec.engine);
  for (const PilotOrder& pilot : order.submit)
    if (news.submitted.empty() && may_ask(info, running))
      news.submitted.push_back(submit(running, order.spec, pilot));
    else
      news.queued.insert(pilot.pilot);
  if (steady_now() < running.next_list) return news;
  if (!order.cancel.empty() && !running.canceled) {
    if (!may_ask(info, running)) return news;
    running.canceled = true;
    if (const auto canceled = running.engine->cancel(order.cancel); !canceled)
      spdlog::warn("fleet '{}': cannot cancel: {}", order.spec.name, canceled.error().detail);
  }
  if (may_ask(info, running)) list(order, running, news);
  return news;
}

// Why a pilot waits is recorded when it changes, not with every list.
void FleetThread::drop_known(Listing& listing, std::map<PilotId, std::string>& known) {
  std::map<PilotId, std::string> waits;
  for (ListedPilot& row : listing.pilots) {
    if (row.state != PilotState::pending && row.state != PilotState::held) continue;
    waits[row.pilot] = row.detail;
    const auto found = known.find(row.pilot);
    if (found != known.end() && found->second == row.detail) row.detail.clear();
  }
  known = std::move(waits);
}

void FleetThread::list(const FleetOrder& order, Running& running, FleetNews& news) {
  const EngineInfo& info = engine_info(order.spec.engine);
  running.canceled = false;
  auto listing = running.engine->list();
  running.next_list = steady_now() + info.period;
  const std::string trouble = listing ? listing->trouble : listing.error().detail;
  if (trouble != running.trouble)
    trouble.empty() ? spdlog::info("fleet '{}': the engine answers again", order.spec.name)
                    : spdlog::warn(
                          "fleet '{}': cannot list its pilots ({}); nothing is concluded "
                          "from that",
                          order.spec.name, trouble);
  running.trouble = trouble;
  notice_(order.fleet, trouble);
  if (!listing) return;
  listing->confirm = info.confirm;
  drop_known(*listing, running.waits);
  news.listing = *std::move(listing);
}

}  // namespace hone::engines
