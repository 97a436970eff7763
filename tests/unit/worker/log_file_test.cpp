// What a run writes besides its results: its log, and event files of TensorBoard.
#include "worker/process/log_file.hpp"

#include <optional>

#include "tests/unit/worker/process_given.hpp"
#include "worker/process/event_folder.hpp"

namespace hone::worker {
namespace {

class RunLog : public InFolder {};

TEST_F(RunLog, has_everything_up_to_its_limit_and_one_note) {
  LogFile log(path("log"), 8);
  for (const char* text : {"1234", "5678", "more", "and more"}) log.take(text);
  const std::string text = read_file(path("log"));
  EXPECT_TRUE(text.starts_with("12345678\n[hone: the log ends here")) << text;
  EXPECT_EQ(text.find("more"), std::string::npos);
  EXPECT_EQ(text.find("hone", text.find("hone") + 1), std::string::npos) << "one note";
  EXPECT_EQ(log.tail(), "12345678moreand more");
}

TEST_F(RunLog, of_an_earlier_attempt_is_replaced) {
  write("log", "of an earlier attempt\n");
  LogFile log(path("log"));
  log.take("new\n");
  EXPECT_EQ(read_file(path("log")), "new\n");
}

TEST_F(RunLog, that_cannot_be_written_still_has_a_tail) {
  LogFile nowhere(path("no-such-folder/log"));
  nowhere.take("Traceback\n");
  EXPECT_EQ(nowhere.tail(), "Traceback\n");
  LogFile full("/dev/full");
  full.take("first\n");
  full.take("second\n");
  EXPECT_EQ(full.tail(), "first\nsecond\n");
}

TEST_F(RunLog, keeps_the_end_of_a_long_output_by_its_offset) {
  constexpr auto most = static_cast<std::int64_t>(limits::log_piece_bytes_max);
  LogFile log(path("log"), 8);
  log.take("0123456789");
  EXPECT_EQ(log.since(0).bytes, "0123456789");
  EXPECT_EQ(log.since(7).offset, 7);
  EXPECT_EQ(log.since(7).bytes, "789");
  EXPECT_EQ(log.since(10).bytes, "");
  EXPECT_EQ(log.since(99).offset, 10) << "an offset that is not there yet is the end";
  for (int i = 0; i < 5000; ++i) log.take(std::string(999, 'x') + "\n");
  log.take("end\n");
  const auto all = log.since(0);
  EXPECT_EQ(all.offset, 10 + 5'000'000 + 4 - most);
  EXPECT_EQ(all.bytes.size(), limits::log_piece_bytes_max);
  EXPECT_TRUE(all.bytes.ends_with("x\nend\n"));
  EXPECT_EQ(log.since(all.offset + most - 4).bytes, "end\n");
}

TEST_F(RunLog, has_a_tail_that_begins_with_a_line_if_it_can) {
  LogFile lines(path("lines"));
  for (int i = 0; i < 3000; ++i) lines.take("line " + std::to_string(i) + "\n");
  EXPECT_LE(lines.tail().size(), limits::tail_bytes_max);
  EXPECT_GT(lines.tail().size(), limits::tail_bytes_max - 16);
  EXPECT_TRUE(lines.tail().starts_with("line "));
  EXPECT_TRUE(lines.tail().ends_with("\nline 2999\n"));
  LogFile one(path("one"));
  one.take(std::string(5 * limits::tail_bytes_max, 'x') + "end");
  EXPECT_EQ(one.tail().size(), limits::tail_bytes_max);
  EXPECT_TRUE(one.tail().ends_with("xend"));
}

// Event files -------------------------------------------------------------------------------------

class EventFiles : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    events_.emplace(path("runs"));
  }
  std::vector<std::int64_t> steps_read() {
    std::vector<std::int64_t> steps;
    events_->scan();
    while (events_->read([&](const ScalarEvent& event) { steps.push_back(event.step); }) > 0)
      continue;
    return steps;
  }
  static std::string event(std::int64_t step) { return event_record({step, 1, {{"loss", 1}}}); }
  void add(const std::string& name, const std::string& bytes) {
    fs::create_directories(fs::path(path(name)).parent_path());
    append(name, bytes);
  }
  std::optional<EventFolder> events_;
};

TEST_F(EventFiles, are_found_below_their_folder_and_read_as_they_grow) {
  EXPECT_TRUE(steps_read().empty()) << "there is no folder yet";
  const std::string half = event(2);
  add("runs/a/events.out.tfevents.1", event_file_head(1) + event(1) + half.substr(0, 9));
  add("runs/a/notes.txt", event(7));
  EXPECT_EQ(steps_read(), (std::vector<std::int64_t>{1}));
  add("runs/a/events.out.tfevents.1", half.substr(9));
  add("runs/b/c/events.out.tfevents.2", event(3));
  EXPECT_EQ(events_->left(), static_cast<std::int64_t>(half.size()) - 9);
  EXPECT_EQ(steps_read(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(events_->left(), 0);
}

TEST_F(EventFiles, are_no_links_and_no_endless_list) {
  add("elsewhere", event(1));
  fs::create_directories(path("runs"));
  fs::create_symlink(path("elsewhere"), path("runs/events.out.tfevents.0"));
  for (std::size_t i = 0; i < limits::event_files_max + 5; ++i)
    add("runs/events.out.tfevents." + std::to_string(1000 + i), event(2));
  EXPECT_EQ(steps_read().size(), limits::event_files_max);
}

TEST_F(EventFiles, that_are_damaged_are_named) {
  add("runs/events.out.tfevents.1", std::string(40, 'x'));
  EXPECT_TRUE(steps_read().empty());
  const auto fault = events_->take_fault().value_or("");
  EXPECT_TRUE(fault.starts_with("events.out.tfevents.1: record 1")) << fault;
}

}  // namespace
}  // namespace hone::worker
