// Parameters by value are written for many trials at once: what is found must not show it.
#include <nlohmann/json.hpp>

#include "db/filter/syntax.hpp"
#include "db/ledger/ledger.hpp"
#include "db/queries/find.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

class ParamIndex : public testing::Test {
 protected:
  ParamIndex() {
    auto spec = small_spec(100'000, 1);
    spec.trainer = AskTrainer{};
    spec.parameters = {{"layer", IntDomain{1, 100'000}, ""},
                       {"kind", ChoiceDomain{{"a", "b", "rare"}, false, {0.5, 0.499, 0.001}}, ""}};
    fed.must(Start{"test", seconds(15)}, now);
    sweep = fed.must<Submitted>(Submit{{"submit", spec, {}}}, now).sweep;
  }

  void ask(int trials) {
    for (int i = 0; i < trials; ++i) {
      const auto asker = std::to_string(asked.size());
      asked.push_back(fed.must<AskReply>(Ask{sweep, {asker}}, now));
    }
  }

  std::vector<std::string> found(const std::string& filter) {
    const auto where = read_filter(filter, now);
    EXPECT_TRUE(where.ok()) << filter;
    const auto page = find_ids(*db, *where, {}, {100, {}});
    EXPECT_TRUE(page.ok());
    std::vector<std::string> ids;
    for (const FoundId& id : page->items) ids.push_back(text(std::get<TrialId>(id)));
    return ids;
  }

  // Newest first, by the parameters that the askers were given.
  [[nodiscard]] std::vector<std::string> given(const std::string& name, const Value& value) const {
    std::vector<std::string> ids;
    for (auto one = asked.rbegin(); one != asked.rend(); ++one)
      for (const Param& param : one->params)
        if (param.name == name && param.value == value) ids.push_back(text(one->trial));
    return ids;
  }

  [[nodiscard]] std::int64_t indexed() const {
    return db->execAndGet("SELECT count(*) FROM param_number").getInt64();
  }

  Instant now{1'700'000'000'000'000};
  std::unique_ptr<SQLite::Database> db = open_in_memory();
  FedLedger fed{*db};
  SweepId sweep;
  std::vector<AskReply> asked;
};

TEST_F(ParamIndex, trials_are_found_before_and_after_they_are_indexed) {
  ask(1500);
  EXPECT_GT(indexed(), 0);
  EXPECT_LT(indexed(), 1500) << "this test is of trials on both sides";
  for (const std::size_t one : {std::size_t{0}, std::size_t{500}, std::size_t{1498}})
    EXPECT_EQ(found("trial where params.layer = " +
                    std::to_string(std::get<std::int64_t>(asked[one].params[0].value))),
              given("layer", asked[one].params[0].value));
  const auto rare = given("kind", std::string("rare"));
  ASSERT_FALSE(rare.empty());
  EXPECT_EQ(found("trial where params.kind = rare"), rare);
}

TEST_F(ParamIndex, it_goes_on_after_a_restart_and_is_made_again_alike) {
  ask(1100);
  FedLedger again(*db);
  fed.ledger.replay(0, [&](const Event& event) {
    evolve(again.book, event);
    again.seq = event.seq;
  });
  for (int i = 0; i < 1100; ++i)
    again.must<AskReply>(Ask{sweep, {"again-" + std::to_string(i)}}, now);
  const auto live = dump_projection(*db);
  EXPECT_GT(live.at("param_text").size(), 2000U);
  rebuild_projection(*db);
  EXPECT_EQ(dump_projection(*db), live);
}

}  // namespace
}  // namespace hone
