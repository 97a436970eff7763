// Records the ledger speeds.jsonl, in simulated time: runs that slow each other down leave each
// other, a slot stays free, the pair is tried again, and runs change their slots. Prints its rows.
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "tests/unit/sweep/neighbours_given.hpp"

namespace hone {
namespace {

class Site : public Neighbourhood {
 public:
  // Two runs of one sweep, next to each other, at a tenth of their speed: one leaves, and its slot
  // stays free until the other has ended.
  void separate() {
    const WorkerId id = worker("node1");
    SweepSpec spec = small_spec(2, many_phases);
    spec.budget.per_run = many_phases;
    submit(spec, "pair");
    const auto first = ask(id);
    for (int i = 0; i < 3; ++i) phase_of_all(10);
    const auto second = ask(id);
    for (int i = 0; i < 3; ++i) phase_of_all(100);
    now = now + seconds(100);
    report_of(first->lease);
    report_of(second->lease);
    now = now + seconds(10);
    report_of(first->lease);
    ask(id);
    alive_for(2000);
    ask(id);  // the measurement is old by now
    end(first->lease);
    ask(id);
    phase_of_all(10);
  }
  // A run whose slots are a range gets more of them at the end of its phases.
  void widen() {
    const WorkerId id = worker("node2", 8, "wide");
    SweepSpec spec = small_spec(1, 12);
    spec.budget.per_run = 12;
    spec.resources.cpus_max = 6;
    submit(spec, "wide");
    auto grant = ask(id);
    for (int i = 0; i < 10 && grant; ++i) {
      now = now + seconds(60 / grant->resources.cpus);
      if (report_of(grant->lease).action != Action::go_on) grant = ask(id);
    }
  }
  // An idle worker asks for work: now and then that is recorded.
  void wait() {
    const WorkerId id = worker("node3", 1, "idle");
    now = now + seconds(400);
    ask(id);
    ask(id);
  }

 private:
  void alive_for(int whole) {
    for (int i = 0; i < whole; i += 10) {
      now = now + seconds(10);
      for (const auto& [lease, state] : std::map(book.leases)) when(Beat{state.worker, {{lease}}});
      tick();
    }
  }
};

void print(const Event& event) {
  const auto row = nlohmann::ordered_json{{"seq", event.seq}, {"at", event.at.us}};
  std::string line = row.dump();
  line.pop_back();
  line += ",\"kind\":\"" + std::string(kind(event.body)) + "\",\"body\":";
  std::printf("%s%s}\n", line.c_str(), to_text(encode(event.body)).c_str());
}

}  // namespace
}  // namespace hone

int main() {
  hone::Site site;
  site.separate();
  site.widen();
  site.wait();
  for (const hone::Event& event : site.ledger) hone::print(event);
}
