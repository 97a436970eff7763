// Clients that ask, report and tell, like the storage benchmarks of other optimizers in
// tests/bench.
#include <thread>

#include "bench/load/clients.hpp"

namespace hone::load {
namespace {

using std::chrono::microseconds;

class Askers {
 public:
  Askers(const AskerOptions& options, const Signal& signal, Tally& tally, Wire wire)
      : options_(options), signal_(signal), tally_(tally), wire_(std::move(wire)) {}

  Status run() {
    for (int i = 0; i < options_.connections; ++i) {
      if (auto opened = wire_.open(); !opened) return opened.error();
      askers_.emplace_back();
      askers_.back().ask_body = "{\"asker\":\"" + options_.name + "-" + std::to_string(i) + "\"}";
    }
    tally_.ready = askers_.size();
    while (!signal_.go) std::this_thread::yield();
    for (std::size_t i = 0; i < askers_.size(); ++i)
      if (auto asked = ask(i); !asked) return asked;
    while (open_ > 0 && trouble_.ok())
      if (auto turned = wire_.turn(microseconds(100'000),
                                   [this](std::size_t i, const Answer& a) { on_answer(i, a); });
          !turned)
        return turned;
    return trouble_;
  }

 private:
  struct Asker {
    std::string ask_body, tell_target, report_target;
    int told = 0;  // reports so far
    double value = 0;
  };

  Status ask(std::size_t i) {
    ++open_;
    askers_[i].told = -1;
    return wire_.post(i, ask_target_, askers_[i].ask_body);
  }

  // The next step of a trial.
  Status post_next(std::size_t i) {
    Asker& asker = askers_[i];
    const std::string step = std::to_string(asker.told + 1);
    const std::string value = std::to_string(asker.value + 1.0 / (asker.told + 1));
    ++open_;
    if (asker.told == options_.reports)
      return wire_.post(i, asker.tell_target, "{\"step\":" + step + ",\"value\":" + value + "}");
    return wire_.post(i, asker.report_target,
                      "{\"phase\":" + std::to_string(asker.told) + ",\"step\":" + step +
                          ",\"value\":" + value + "}");
  }

  void on_answer(std::size_t i, const Answer& answer) {
    --open_;
    Asker& asker = askers_[i];
    const auto operation = asker.told < 0                   ? Operation::ask
                           : asker.told == options_.reports ? Operation::tell
                                                            : Operation::report;
    tally_.of(operation).add(answer.took_us);
    ++tally_.operations;
    if (answer.status != 200) {
      trouble_ =
          refuse(Code::internal, std::to_string(answer.status) + " " + std::string(answer.body));
      return;
    }
    if (operation == Operation::ask) note_trial(asker, answer.body);
    if (operation == Operation::tell) ++tally_.trials;
    if (operation != Operation::tell) ++asker.told;
    if (signal_.stop) return;
    if (auto sent = operation == Operation::tell ? ask(i) : post_next(i); !sent) trouble_ = sent;
  }

  static void note_trial(Asker& asker, std::string_view body) {
    const std::string_view number = member(body, "number");
    asker.tell_target.assign("/v1/trials/").append(member(body, "trial")).append("/tell");
    asker.report_target.assign("/v1/leases/").append(member(body, "lease")).append("/reports");
    asker.value = static_cast<double>(number.empty() ? 0 : number.back() - '0') / 10;
  }

  const AskerOptions& options_;
  const Signal& signal_;
  Tally& tally_;
  Wire wire_;
  std::string ask_target_ = "/v1/sweeps/" + options_.sweep + "/ask";
  std::vector<Asker> askers_;
  std::size_t open_ = 0;
  Status trouble_ = Done{};
};

}  // namespace

void run_askers(const AskerOptions& options, const Signal& signal, Tally& tally) {
  auto wire = Wire::to(options.server);
  const Status done =
      wire ? Askers(options, signal, tally, *std::move(wire)).run() : Status(wire.error());
  if (!done) tally.fail(done.error().detail);
}

}  // namespace hone::load
