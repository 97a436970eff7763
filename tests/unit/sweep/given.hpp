// Given events, when command, then events: a Book, a clock that the test moves, and ids of what was
// made.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schemas/types/event.hpp"
#include "schemas/types/submit.hpp"
#include "server/sweep/decide.hpp"

namespace hone {

inline SweepSpec small_spec(std::int64_t trials = 4, int phases = 3) {
  SweepSpec spec;
  spec.name = "small";
  spec.seed = 17;
  spec.objective = {"score", Goal::maximize};
  spec.trainer = CommandTrainer{{"train", "${x}"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""}};
  spec.search = {"random", trials};
  spec.terminator = {"none", {}};
  spec.budget = {"steps", 30, phases};
  return spec;
}

class Given {
 public:
  Given() {
    now = Instant{1'000'000'000};
    when(Start{"test", seconds(15)});
  }

  // Decides, numbers and folds; the events of a refused command are empty and `error` is set.
  Events when(const Command& command) {
    error.reset();
    auto decided = decide(book, command, now);
    if (!decided) {
      error = decided.error();
      return {};
    }
    for (const EventBody& body : *decided) {
      ledger.push_back({++seq, now, body});
      evolve(book, ledger.back());
    }
    return *decided;
  }

  SweepId submit(const SweepSpec& spec, const std::string& request = "submit-1") {
    const Command command = Submit{{request, spec, {}}};
    when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<Submitted>(answer(book, command)).sweep;
  }
  WorkerId join(const std::string& request = "join-1") {
    const Command command = Join{{request, "host", 1, 1024, 0, "test"}};
    when(command);
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  std::optional<LeaseGrant> acquire(WorkerId worker, const std::string& request) {
    const Command command = Acquire{{request, worker, 1, 0, {}}};
    when(command);
    if (error) return std::nullopt;
    return std::get<std::optional<LeaseGrant>>(answer(book, command));
  }
  Verdict report(LeaseId lease, int phase, Score score) {
    const Command command = Report{lease, {phase, 10 * (phase + 1), score}};
    when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<ReportReply>(answer(book, command)).verdict;
  }
  // Every deadline that has passed, as the engine does it.
  Events tick() {
    Events all;
    while (true) {
      const auto deadline = next_deadline(book);
      if (!deadline || *deadline > now) return all;
      for (auto& event : when(Tick{})) all.push_back(std::move(event));
    }
  }
  // Until every returned run has rested and is open to every worker.
  void rest() {
    while (!book.rests.empty()) {
      now = std::max(now, book.rests.begin()->first);
      tick();
    }
  }
  [[nodiscard]] const Run& run(RunId id) const { return *find_run(book, id); }
  [[nodiscard]] const Sweep& sweep(SweepId id) const { return *find_sweep(book, id); }

  Book book;
  Instant now;
  std::int64_t seq = 0;
  std::optional<Error> error;
  std::vector<Event> ledger{};
};

template <class... Kinds>
void expect_kinds(const Events& events) {
  ASSERT_EQ(events.size(), sizeof...(Kinds));
  std::size_t i = 0;
  const auto expect_kind = [&](bool holds) {
    EXPECT_TRUE(holds) << "event " << i;
    ++i;
  };
  (expect_kind(std::holds_alternative<Kinds>(events[i])), ...);
}

}  // namespace hone
