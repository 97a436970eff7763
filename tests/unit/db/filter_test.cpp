// The filter language: what it finds, what it refuses and where.
#include "db/filter/syntax.hpp"
#include "db/queries/find.hpp"
#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

struct FoundText {
  std::string operator()(const ReportKey& key) const { return text(LineageKey(key)); }
  std::string operator()(const MetricKey& key) const { return text(LineageKey(key)); }
  std::string operator()(const ArtifactKey& key) const { return text(key.run) + "/" + key.name; }
  template <class Id>
  std::string operator()(const Id& id) const {
    return text(id);
  }
};

class Filters : public Queries {
 protected:
  std::vector<std::string> found(const std::string& filter, FindScope scope = {}) {
    const auto where = read_filter(filter, now);
    EXPECT_TRUE(where.ok()) << filter << ": " << where.error().detail << " " << where.error().at;
    if (!where) return {};
    const auto page = find_ids(*db, *where, scope, {100, {}});
    EXPECT_TRUE(page.ok()) << page.error().detail;
    std::vector<std::string> ids;
    for (const FoundId& id : page->items) ids.push_back(std::visit(FoundText{}, id));
    return ids;
  }
  void refused(const std::string& filter, std::size_t at, const std::string& words) {
    const auto where = read_filter(filter, now);
    ASSERT_FALSE(where.ok()) << filter;
    EXPECT_EQ(where.error().at, "/where:" + std::to_string(at)) << filter;
    EXPECT_NE(where.error().detail.find(words), std::string::npos) << where.error().detail;
  }
  void note(const ObjectId& on, const std::string& words) {
    fed.must(AddNote{{"note " + words, on, words, "ada"}}, now);
  }
  void tag(const ObjectId& on, const std::string& name) {
    fed.must(ChangeTags{{on, {name}, {}}}, now);
  }
};

using Ids = std::vector<std::string>;

TEST_F(Filters, each_kind_is_listed_newest_first) {
  EXPECT_EQ(found("trial"), (Ids{"tr_3", "tr_2", "tr_1"}));
  EXPECT_EQ(found("sweeps"), (Ids{"sw_1"}));
  EXPECT_EQ(found("model where"
                  " step > 0")
                .size(),
            3U);
  EXPECT_EQ(found("run where trial = tr_1"), (Ids{"rn_1.1", "rn_1.0"}));
  EXPECT_EQ(found("attempt where run = rn_1.0"), (Ids{"rn_1.0#2", "rn_1.0#1"}));
  EXPECT_EQ(found("worker where host = host*"), (Ids{"wk_1"}));
  EXPECT_EQ(found("workflow where commit = ccc*"), (Ids{"wf_1"}));
  EXPECT_EQ(found("dataset where name = CartPole-v1"), (Ids{"ds_1"}));
}

TEST_F(Filters, reports_are_found_by_value_verdict_and_everything_above) {
  EXPECT_EQ(found("report"), (Ids{"rn_2.0@0", "rn_1.1@0", "rn_1.0@1", "rn_1.0@0"}));
  EXPECT_EQ(found("report where value >= 20"), (Ids{"rn_1.1@0", "rn_1.0@1"}));
  EXPECT_EQ(found("reports where diverged"), (Ids{"rn_2.0@0"}));
  EXPECT_EQ(found("report where run = rn_1.0 and phase = 2"), (Ids{"rn_1.0@1"}));
  EXPECT_EQ(found("report where id = rn_1.0@1"), (Ids{"rn_1.0@1"}));
  EXPECT_EQ(found("report where attempt = rn_1.0#2"), (Ids{"rn_1.0@1"}));
  EXPECT_EQ(found("report where run.state = failed"), (Ids{"rn_1.1@0"}));
  EXPECT_EQ(found("report where worker.host = host-1 and workflow.commit = ccc* and step > 10"),
            (Ids{"rn_1.0@1"}));
  EXPECT_EQ(found("report where sweep = sw_1 and trial = tr_2"), (Ids{"rn_2.0@0"}));
  EXPECT_EQ(found("report where sweep = sw_2"), Ids{});
  EXPECT_EQ(found("report where verdict = continue").size(), 3U);
  EXPECT_EQ(found("sweep where reports > 3"), (Ids{"sw_1"})) << "a field before it is a kind";
}

TEST_F(Filters, parts_of_runs_have_no_tags) {
  for (const std::string kind : {"a report", "a metric", "an artifact"}) {
    const std::string name = kind.substr(kind.find(' ') + 1);
    refused(name + " where tag = keep", name.size() + 7, kind + " has no field 'tag'");
  }
  refused("trial where report.value > 3", 12,
          "a trial has no single report: search for each, as in 'report where");
}

TEST_F(Filters, pages_of_reports_continue_where_they_ended) {
  const auto where = read_filter("report", now);
  const auto first = find_ids(*db, *where, {}, {3, {}});
  ASSERT_TRUE(first.ok() && first->next);
  const auto second = find_ids(*db, *where, {}, {3, *first->next});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->items.size(), 1U);
  EXPECT_FALSE(second->next);
}

TEST_F(Filters, metric_is_the_objective_of_whatever_is_found) {
  EXPECT_EQ(found("trial where metric.return >= 30"), Ids{}) << "one of its seeds failed";
  EXPECT_EQ(found("trial where best_report >= 30"), (Ids{"tr_1"}));
  EXPECT_EQ(found("run where metric.return > 20"), (Ids{"rn_1.0"}));
  EXPECT_EQ(found("run where metric.return = 20"), (Ids{"rn_1.1"}));
  EXPECT_EQ(found("model where metric.return > 30").size(), 2U);
  EXPECT_EQ(found("sweep where metric.return > 1000"), Ids{});
  EXPECT_EQ(found("trial where metric.loss > 0"), Ids{});
}

TEST_F(Filters, telemetry_is_found_by_its_newest_value) {
  const LeaseId lease = grant("tr_3 b");
  fed.must(LogMetrics{lease, {{{"loss", 10, 0.5}, {"loss", 20, 0.125}}}}, now);
  const auto trial = found("trial where metric.loss < 0.2");
  ASSERT_EQ(trial.size(), 1U);
  EXPECT_EQ(found("run where metric.loss > 0.2"), Ids{});
}

TEST_F(Filters, what_lies_above_a_thing_is_its_own) {
  EXPECT_EQ(found("model where workflow.commit = cccc* and worker.host = host-1 and "
                  "dataset.name = CartPole-v1 and sweep.name = first")
                .size(),
            3U);
  EXPECT_EQ(found("model where not workflow.commit = cccc*"), Ids{});
  EXPECT_EQ(found("model where worker.host != host-1"), Ids{});
}

TEST_F(Filters, parameters_are_compared_by_value) {
  EXPECT_EQ(found("trial where params.learning_rate > 0").size(), 3U);
  EXPECT_EQ(found("trial where params.learning_rate > 1"), Ids{});
  EXPECT_EQ(found("trial where params.gamma"), Ids{});
  EXPECT_EQ(found("trial where not params.gamma").size(), 3U);
}

TEST_F(Filters, conditions_join_as_people_read_them) {
  EXPECT_EQ(found("trial where id = tr_1 or id = tr_2 and value > 5"), (Ids{"tr_1"}));
  EXPECT_EQ(found("trial where (id = tr_1 or id = tr_2) and not value"), (Ids{"tr_2", "tr_1"}));
  EXPECT_EQ(found("trial where id in (tr_1, tr_3)"), (Ids{"tr_3", "tr_1"}));
  EXPECT_EQ(found("trial where id not in (tr_1, tr_3)"), (Ids{"tr_2"}));
}

TEST_F(Filters, tags_and_notes_are_found) {
  tag(TrialId{2}, "odd");
  note(TrialId{3}, "diverges LATE");
  EXPECT_EQ(found("trial where tag = odd"), (Ids{"tr_2"}));
  EXPECT_EQ(found("trial where tag = o*"), (Ids{"tr_2"}));
  EXPECT_EQ(found("trial where tag != odd"), (Ids{"tr_3", "tr_1"}));
  EXPECT_EQ(found("trial where note ~ late"), (Ids{"tr_3"}));
  fed.must(ChangeTags{{TrialId{2}, {}, {"odd"}}}, now);
  EXPECT_EQ(found("trial where tag"), Ids{});
}

TEST_F(Filters, spec_reads_the_sweep_file) {
  EXPECT_EQ(found("sweep where spec.search.method = random"), (Ids{"sw_1"}));
  EXPECT_EQ(found("trial where spec.budget.phases > 3"), Ids{});
}

TEST_F(Filters, ages_count_from_the_time_that_the_caller_gives) {
  now = Instant{1'700'000'000'000'000} + seconds(3600);
  EXPECT_EQ(found("sweep where submitted > -2h"), (Ids{"sw_1"}));
  EXPECT_EQ(found("sweep where submitted > -10m"), Ids{});
  now = now + seconds(2 * 3600);
  EXPECT_EQ(found("sweep where submitted > -2h"), Ids{});
}

TEST_F(Filters, pages_continue_where_they_ended) {
  const auto where = read_filter("run", now);
  const auto first = find_ids(*db, *where, {}, {4, {}});
  ASSERT_TRUE(first.ok() && first->next);
  const auto second = find_ids(*db, *where, {}, {4, *first->next});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->items.size(), 2U);
  EXPECT_FALSE(second->next);
  FindScope by_value;
  by_value.sweep = SweepId{1};
  by_value.order = FindOrder::value;
  const auto best = find_ids(*db, *read_filter("trial", now), by_value, {1, {}});
  ASSERT_TRUE(best.ok() && best->next);
  EXPECT_EQ(std::get<TrialId>(best->items.front()), TrialId{1});
  const auto next = find_ids(*db, *read_filter("trial", now), by_value, {5, *best->next});
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->items.size(), 2U);
  EXPECT_FALSE(find_ids(*db, *where, {}, {4, "x"}).ok());
}

TEST_F(Filters, a_quote_is_a_value_and_never_sql) {
  EXPECT_EQ(found("sweep where name = \"first' OR 1=1 --\""), Ids{});
  EXPECT_EQ(found("sweep where name ~ \"%\""), Ids{});
  EXPECT_EQ(found("sweep where name = f?rst"), Ids{});
  refused("sweep where spec.\"a\\\" ') OR 1\" = 1", 12, "no field of a sweep file");
}

TEST_F(Filters, a_refusal_points_at_the_character) {
  refused("model where stpe > 3", 12, "did you mean 'step'?");
  refused("model where step > many", 19, "is a number");
  refused("model where step >", 18, "value is missing");
  refused("model where (step > 3", 12, "not closed");
  refused("model where step > 3 state = x", 21, "'and' or 'or' is missing");
  refused("model where", 11, "condition is missing");
  refused("trial where state < completed", 18, "compared by");
  refused("trial where proposed > soon", 23, "is no time");
  refused("trial where id = sw_1", 17, "is no id of a trial");
  refused("trial where model = md_1", 12, "has no single model");
  refused("worker where params.x = 1", 13, "has no params");
  refused("trial where params = 1", 12, "needs a name");
  refused("trial where name = \"x", 19, "never closed");
  refused("trial where ! state", 12, "alone is no sign");
  refused("trial where pinned = perhaps", 21, "true or false");
  refused("trial where state in (a b)", 24, "missing before 'b'");
  refused("trial where a..b = 1", 12, "name is missing");
}

TEST_F(Filters, depth_and_length_are_bounded) {
  EXPECT_FALSE(filter::parse(std::string(5000, 'x')).ok());
  EXPECT_FALSE(filter::parse("trial where " + std::string(1000, '(') + "id").ok());
  std::string nots = "trial where ";
  for (int i = 0; i < 500; ++i) nots += "not ";
  EXPECT_FALSE(filter::parse(nots + "pinned").ok());
}

TEST_F(Filters, archived_sweeps_leave_the_lists) {
  fed.must<Done>(Archive{{1}, {true}}, now);
  FindScope listed;
  listed.archived = false;
  EXPECT_EQ(found("sweep", listed), Ids{});
  EXPECT_EQ(found("sweep where archived"), (Ids{"sw_1"}));
  EXPECT_TRUE(list_sweeps(*db, {10, {}}, false)->items.empty());
}

// A filter whose terms are found by an index gives what going through all rows gives.
TEST_F(Filters, candidates_never_lose_a_row) {
  for (const char* value : {"metric.return > 15", "metric.return >= 30", "metric.return < 30",
                            "metric.return = 40", "params.learning_rate < 0.05"})
    for (const char* kind : {"trial", "run", "model"}) {
      const std::string term = value;
      EXPECT_EQ(found(std::string(kind) + " where " + term),
                found(std::string(kind) + " where not not (" + term + ")"))
          << kind << " where " << term;
    }
}

}  // namespace
}  // namespace hone
