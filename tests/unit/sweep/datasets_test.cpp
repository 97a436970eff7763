// The data sets of a sweep: recorded once each, before it.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

const DatasetSpec digits{"digits", DatasetRole::train, "2", "9f86", "node3:/data/digits"};
const DatasetSpec held_out{"held-out", DatasetRole::validation, "", "60fd", ""};

SweepSpec spec_with(std::vector<DatasetSpec> datasets) {
  SweepSpec spec = small_spec();
  spec.datasets = std::move(datasets);
  return spec;
}

std::optional<DatasetId> dataset_of(const Events& events) {
  return std::get<SweepSubmitted>(events.back()).dataset;
}

TEST(Datasets, of_a_sweep_file_are_recorded_once_each_before_the_sweep) {
  Given given;
  DatasetSpec copy = digits;  // the same content elsewhere
  copy.location = "node4:/copy";
  const auto events =
      given.when(Submit{{"first", spec_with({held_out, digits, copy}), WorkflowInfo{}}});
  expect_kinds<WorkflowRecorded, DatasetRecorded, DatasetRecorded, SweepSubmitted>(events);
  EXPECT_EQ(std::get<DatasetRecorded>(events[1]).dataset, DatasetId{1});
  EXPECT_EQ(std::get<DatasetRecorded>(events[1]).info.location, "node3:/data/digits");
  EXPECT_EQ(std::get<DatasetRecorded>(events[2]).dataset, DatasetId{2});
  EXPECT_EQ(std::get<DatasetRecorded>(events[2]).info.name, "held-out");
  EXPECT_EQ(dataset_of(events), DatasetId{1}) << "the first to train on";
  expect_kinds<SweepSubmitted>(
      given.when(Submit{{"second", spec_with({held_out, digits}), WorkflowInfo{}}}));
}

TEST(Datasets, that_only_validate_are_not_what_a_sweep_trains_on) {
  Given given;
  const auto events = given.when(Submit{{"first", spec_with({held_out}), WorkflowInfo{}}});
  expect_kinds<WorkflowRecorded, DatasetRecorded, SweepSubmitted>(events);
  EXPECT_FALSE(dataset_of(events));
}

TEST(Datasets, named_on_the_command_line_come_first) {
  Given given;
  SubmitRequest request{"first", spec_with({digits}), WorkflowInfo{}};
  request.dataset = DatasetInfo{"own", "", "ab"};
  const auto events = given.when(Submit{request});
  expect_kinds<WorkflowRecorded, DatasetRecorded, DatasetRecorded, SweepSubmitted>(events);
  EXPECT_EQ(std::get<DatasetRecorded>(events[1]).info.name, "own");
  EXPECT_EQ(dataset_of(events), DatasetId{1});
}

// The document of an export names them in its sweep file.
TEST(Datasets, of_an_imported_sweep_are_recorded_too) {
  Given there, here;
  SweepPast past;
  for (const EventBody& body : there.when(Submit{{"first", spec_with({held_out}), WorkflowInfo{}}}))
    if (std::holds_alternative<SweepSubmitted>(body))
      past.events.push_back(Event{0, there.now, body});
  for (const EventBody& body : there.when(Steer{SweepId{1}, {Verb::cancel}}))
    past.events.push_back(Event{0, there.now, body});
  const auto events = here.when(Import{{"import", past}});
  ASSERT_FALSE(here.error) << here.error->detail;
  ASSERT_TRUE(std::holds_alternative<DatasetRecorded>(events.at(1)));
  EXPECT_EQ(std::get<DatasetRecorded>(events[1]).info.name, "held-out");
}

}  // namespace
}  // namespace hone
