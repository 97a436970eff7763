// Tokens, and whose word counts.
#include "server/sweep/state/caller.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

CreateTokenRequest request(const std::string& name, Scopes scopes = Scope::worker) {
  return {"request-" + name, name, scopes, std::string(63, '0') + name.back(), {}};
}

TEST(Token, is_made_once_for_a_request) {
  Given given;
  expect_kinds<TokenCreated>(given.when(CreateToken{request("a")}));
  EXPECT_TRUE(given.when(CreateToken{request("a")}).empty());
  EXPECT_FALSE(given.error);
  EXPECT_EQ(std::get<Key>(answer(given.book, CreateToken{request("a")})).token, TokenId{1});
}

TEST(Token, keeps_who_asked_for_it_and_when_it_ends) {
  Given given;
  auto asked = request("a");
  asked.lifetime = seconds(60);
  const auto events = given.when(CreateToken{asked, {7}});
  const auto& made = std::get<TokenCreated>(events.at(0));
  EXPECT_EQ(made.by, TokenId{7});
  EXPECT_EQ(made.expires_at, given.now + seconds(60));
}

TEST(Token, of_a_live_ones_name_is_refused_until_that_one_is_over) {
  Given given;
  auto first = request("a");
  first.lifetime = seconds(60);
  given.when(CreateToken{first});
  auto second = request("a");
  second.request_id = "another";
  second.sha256 = std::string(64, 'b');
  given.when(CreateToken{second});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::conflict);
  EXPECT_EQ(given.error->at, "/name");
  given.now = given.now + seconds(60);
  expect_kinds<TokenCreated>(given.when(CreateToken{second}));
}

TEST(Token, of_a_known_secret_is_refused_even_when_that_one_was_revoked) {
  Given given;
  given.when(CreateToken{request("a")});
  given.when(RevokeToken{{1}});
  auto again = request("a");
  again.request_id = "another";
  given.when(CreateToken{again});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/sha256");
}

TEST(Token, is_revoked_once) {
  Given given;
  given.when(CreateToken{request("a")});
  expect_kinds<TokenRevoked>(given.when(RevokeToken{{1}}));
  EXPECT_TRUE(given.when(RevokeToken{{1}}).empty());
  EXPECT_TRUE(std::get<Key>(answer(given.book, RevokeToken{{1}})).revoked);
  given.when(RevokeToken{{2}});
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Token, is_named_by_the_trials_that_it_enqueued) {
  Given given;
  given.when(CreateToken{request("alice")});
  const auto sweep = given.submit(small_spec());
  const auto enqueued = given.when(Enqueue{sweep, {"by alice", {}, std::nullopt, {}}, {1}});
  EXPECT_EQ(std::get<TrialEnqueued>(enqueued.at(0)).creator, "alice");
  given.when(Enqueue{sweep, {"open", {}, std::nullopt, {}}});
  const auto worker = given.join();
  std::vector<std::string> creators;
  for (const char* id : {"first", "second", "third"}) {
    const auto leased = given.when(Acquire{{id, worker, 1, 0, {}}});
    creators.push_back(std::get<TrialProposed>(leased.at(0)).creator);
  }
  EXPECT_EQ(creators, (std::vector<std::string>{"alice", "", ""}));
}

// A sweep, a worker that token 1 joined, and its lease.
class Foreign : public testing::Test {
 protected:
  Foreign() {
    sweep = given.submit(small_spec());
    given.when(Join{{"join", "host", 1, 1024, 0, "test"}, {1}});
    lease = given.acquire({1}, "acquire")->lease;
  }
  [[nodiscard]] Code code(const Command& command, TokenId by) const {
    const auto may = check_caller(given.book, {by, false}, command);
    return may ? Code::internal : may.error().code;  // internal: it may
  }
  [[nodiscard]] bool may(const Command& command, TokenId by) const {
    return code(command, by) == Code::internal;
  }

  Given given;
  SweepId sweep;
  LeaseId lease;
};

TEST_F(Foreign, lease_is_forbidden) {
  const std::vector<Command> commands{Report{lease, {}},
                                      SaveModel{lease, {}},
                                      LogMetrics{lease, {}},
                                      SaveArtifact{lease, {}},
                                      End{lease, {}},
                                      Beat{{1}, {}},
                                      Acquire{{"x", {1}, 1, 0, {}}},
                                      Join{{"join", "host", 1, 1024, 0, "test"}, {2}}};
  for (const auto& command : commands) {
    EXPECT_EQ(code(command, {2}), Code::forbidden) << command.index();
    EXPECT_TRUE(may(command, {1})) << command.index();
    EXPECT_TRUE(check_caller(given.book, {{2}, true}, command)) << command.index();
  }
}

TEST_F(Foreign, lease_stays_forbidden_when_it_is_over) {
  given.when(End{lease, {EndReason::exit_code, 1, {}, {}}});
  ASSERT_EQ(find_live_lease(given.book, lease), nullptr);
  EXPECT_EQ(code(Report{lease, {}}, {2}), Code::forbidden);
  EXPECT_EQ(code(LogMetrics{lease, {}}, {2}), Code::forbidden);
}

TEST_F(Foreign, lease_that_never_was_is_for_its_own_rule_to_refuse) {
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{99}})
    EXPECT_TRUE(may(Report{{number}, {}}, {2}));
}

TEST_F(Foreign, worker_without_a_token_is_everybodys) {
  const auto open = given.join("open");
  EXPECT_TRUE(may(Beat{open, {}}, {2}));
}

TEST_F(Foreign, asked_trial_is_told_by_whom_it_was_given_to) {
  const Command ask = Ask{sweep, {"node3"}, {3}};
  given.when(ask);
  const auto trial = std::get<AskReply>(answer(given.book, ask)).trial;
  EXPECT_TRUE(may(Tell{trial, {}}, {3}));
  EXPECT_EQ(code(Tell{trial, {}}, {4}), Code::forbidden);
  EXPECT_EQ(code(Ask{sweep, {"node3"}}, {4}), Code::forbidden);
  EXPECT_TRUE(may(Ask{sweep, {"node4"}}, {4}));
}

TEST_F(Foreign, owner_is_known_after_a_replay) {
  Book again;
  std::int64_t seq = 0;
  evolve(again, {++seq, given.now, ServerStarted{"test", seconds(15)}});
  evolve(again, {++seq, given.now, WorkerJoined{{1}, "join", "host", 1, 2, 0, "test", {1}}});
  EXPECT_EQ(again.workers.at({1}).token, TokenId{1});
}

TEST_F(Foreign, commands_without_an_owner_are_for_every_token) {
  const std::vector<Command> commands{Start{"test", seconds(15)},
                                      Submit{{"r", small_spec(), {}}},
                                      Steer{sweep, {Verb::stop}},
                                      Enqueue{sweep, {"r", {}}},
                                      Tick{},
                                      Allow{WorkerId{1}},
                                      Confirm{sweep, {"r", 3, 5}},
                                      AddNote{{"r", sweep, "note"}},
                                      ChangeTags{{sweep, {"tag"}, {}}},
                                      Archive{sweep, {true}},
                                      Pin{TrialId{1}, {true}},
                                      Edit{sweep, {"r", 9, {}, {}}},
                                      Import{{}},
                                      SetFleet{{"r", {}, {.name = "gpu"}}, "1a2b3c4d"},
                                      StopFleet{{1}},
                                      ForgetFleet{{1}},
                                      Reconcile{},
                                      RevokeToken{{1}}};
  for (const Command& command : commands) EXPECT_TRUE(may(command, {2})) << command.index();
}

TEST_F(Foreign, commands_for_a_worker_or_its_leases_are_for_its_own_token) {
  const std::vector<Command> commands{Join{{"join", "host", 1, 1024, 0, "test"}, {}},
                                      Acquire{{"r", WorkerId{1}, 1, 0, {}}},
                                      Beat{WorkerId{1}, {{lease}}},
                                      Report{lease, {}},
                                      SaveModel{lease, {}},
                                      SaveArtifact{lease, {}},
                                      LogMetrics{lease, {}},
                                      End{lease, {}}};
  for (const Command& command : commands) {
    EXPECT_EQ(code(command, {2}), Code::forbidden) << command.index();
    EXPECT_TRUE(may(command, {1})) << command.index();
  }
}

TEST_F(Foreign, an_administrator_may_act_for_every_worker) {
  EXPECT_TRUE(check_caller(given.book, {TokenId{2}, true}, Report{lease, {}}).ok());
}

TEST_F(Foreign, an_asker_of_another_token_must_take_another_name) {
  given.when(Ask{sweep, {"notebook"}, {1}});
  ASSERT_FALSE(given.error) << given.error->detail;
  const auto refused = check_caller(given.book, {{2}, false}, Ask{sweep, {"notebook"}, {2}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().at, "/asker");
  EXPECT_TRUE(may(Ask{sweep, {"another"}, {2}}, {2}));
}

}  // namespace
}  // namespace hone
