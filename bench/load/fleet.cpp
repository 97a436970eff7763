// Simulated workers: each with a connection, a lease, a heartbeat and a report now and then.
#include <algorithm>
#include <queue>
#include <thread>

#include "bench/load/clients.hpp"

namespace hone::load {
namespace {

using std::chrono::microseconds;

class Workers {
 public:
  Workers(const FleetOptions& options, const Signal& signal, Tally& tally, Wire wire)
      : options_(options), signal_(signal), tally_(tally), wire_(std::move(wire)) {}

  Status run() {
    while (!signal_.go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto begin = Clock::now();
    for (int i = 0; i < options_.workers; ++i)
      due_.push({begin + options_.ramp * i / options_.workers, static_cast<std::size_t>(i)});
    workers_.resize(static_cast<std::size_t>(options_.workers));
    const auto answered = [this](std::size_t line, const Answer& answer) {
      on_answer(worker_of_line_[line], answer);
    };
    while (!(signal_.stop && open_ == 0) && trouble_.ok()) {
      start_what_is_due();
      if (auto turned = wire_.turn(until_next(), answered); !turned) return turned;
    }
    return trouble_;
  }

 private:
  enum class Doing { nothing, joining, leasing, beating, reporting };
  struct Worker {
    Doing doing = Doing::nothing;
    std::size_t line = 0;
    bool beat_next = false;
    std::string beat_target, beat_body, report_target;
    int phase = 0;
  };
  struct Due {
    Clock::time_point at;
    std::size_t worker;
    bool operator<(const Due& other) const { return at > other.at; }  // the earliest on top
  };

  microseconds until_next() const {
    constexpr microseconds longest(20'000);
    if (due_.empty()) return longest;
    const auto left = std::chrono::duration_cast<microseconds>(due_.top().at - Clock::now());
    return std::clamp(left, microseconds(0), longest);
  }

  void start_what_is_due() {
    const auto now = Clock::now();
    while (!signal_.stop && !due_.empty() && due_.top().at <= now && trouble_.ok()) {
      const Due due = due_.top();
      due_.pop();
      begin(due.worker);
    }
  }

  void begin(std::size_t i) {
    Worker& worker = workers_[i];
    if (worker.report_target.empty()) {
      const auto line = wire_.open();
      if (!line) return note(line.error());
      worker.line = *line;
      worker_of_line_.push_back(i);
      return post(i, Doing::joining, "/v1/workers",
                  "{\"request_id\":\"" + name(i) + "\",\"host\":\"" + name(i) +
                      "\",\"pid\":1,\"cpus\":1,\"gpus\":0,\"hone_version\":\"load\"}");
    }
    if (std::exchange(worker.beat_next, !worker.beat_next))
      return post(i, Doing::beating, worker.beat_target, worker.beat_body);
    const std::string phase = std::to_string(worker.phase);
    post(i, Doing::reporting, worker.report_target,
         "{\"phase\":" + phase + ",\"step\":" + phase + ",\"value\":" + phase + ".5}");
  }

  void post(std::size_t i, Doing doing, const std::string& target, const std::string& body) {
    ++open_;
    workers_[i].doing = doing;
    if (auto sent = wire_.post(workers_[i].line, target, body); !sent) note(sent);
  }

  void on_answer(std::size_t i, const Answer& answer) {
    Worker& worker = workers_[i];
    --open_;
    ++tally_.operations;
    if (answer.status != 200 && answer.status != 201) return note_refusal(answer);
    switch (std::exchange(worker.doing, Doing::nothing)) {
      case Doing::joining:
        tally_.of(Operation::join).add(answer.took_us);
        return lease(i, answer);
      case Doing::leasing:
        tally_.of(Operation::lease).add(answer.took_us);
        return note_lease(i, answer);
      case Doing::beating:
        tally_.of(Operation::beat).add(answer.took_us);
        if (answer.body.find("gone") != std::string_view::npos) note_refusal(answer);
        return again(i);
      case Doing::reporting:
        tally_.of(Operation::report).add(answer.took_us);
        ++worker.phase;
        return again(i);
      case Doing::nothing:
        return;
    }
  }

  void lease(std::size_t i, const Answer& joined) {
    const std::string worker(member(joined.body, "worker"));
    workers_[i].beat_target = "/v1/workers/" + worker + "/beat";
    post(i, Doing::leasing, "/v1/leases",
         "{\"request_id\":\"" + name(i) + "-lease\",\"worker\":\"" + worker +
             "\",\"cpus\":1,\"gpus\":0,\"wait\":0}");
  }

  void note_lease(std::size_t i, const Answer& answer) {
    const std::string lease(member(answer.body, "lease"));
    if (lease.empty()) return note_refusal(answer);
    Worker& worker = workers_[i];
    worker.report_target = "/v1/leases/" + lease + "/reports";
    worker.beat_body = R"({"leases":[")" + lease + "\"]}";
    ++tally_.ready;
    again(i);
  }

  // Sends a beat and a report in every period, the second half a period after the first.
  void again(std::size_t i) { due_.push({Clock::now() + options_.period / 2, i}); }

  std::string name(std::size_t i) const { return options_.name + "-" + std::to_string(i); }

  void note(const Status& refused) { trouble_ = refused; }
  void note_refusal(const Answer& answer) {
    note(refuse(Code::internal, std::to_string(answer.status) + " " + std::string(answer.body)));
  }

  const FleetOptions& options_;
  const Signal& signal_;
  Tally& tally_;
  Wire wire_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> worker_of_line_;
  std::priority_queue<Due> due_;
  std::size_t open_ = 0;
  Status trouble_ = Done{};
};

}  // namespace

void run_workers(const FleetOptions& options, const Signal& signal, Tally& tally) {
  auto wire = Wire::to(options.server);
  const Status done =
      wire ? Workers(options, signal, tally, *std::move(wire)).run() : Status(wire.error());
  if (!done) tally.fail(done.error().detail);
}

}  // namespace hone::load
