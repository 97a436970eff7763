// The files that a worker reads and writes: lines, result files, artifacts, kernel counters.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/unit/worker/process_given.hpp"
#include "worker/process/artifacts.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/followed_file.hpp"
#include "worker/process/line_reader.hpp"
#include "worker/process/oom_kills.hpp"
#include "worker/process/run_folder.hpp"

namespace hone::worker {
namespace {

// Lines -------------------------------------------------------------------------------------------

struct Lines {
  std::vector<std::string> whole;
  std::vector<std::string> beginnings;  // of those that are too long
  LineReader::OnLine on_line = [this](std::string_view line, bool too_long) {
    (too_long ? beginnings : whole).emplace_back(line);
  };
};

TEST(LineReader, joins_what_arrives_in_pieces) {
  Lines lines;
  LineReader reader;
  for (const char piece : std::string("one\n\ntwo\r\nthr")) reader.take({&piece, 1}, lines.on_line);
  EXPECT_EQ(lines.whole, (std::vector<std::string>{"one", "", "two"}));
  reader.take("ee\nfour\nfive", lines.on_line);
  EXPECT_EQ(lines.whole.back(), "four");
  reader.finish(lines.on_line);
  EXPECT_EQ(lines.whole.back(), "five") << "the last line needs no end";
  reader.finish(lines.on_line);
  EXPECT_EQ(lines.whole.size(), 6U) << "and is passed once";
}

// A progress bar rewrites its line: ten updates were one line, and one report of ten.
TEST(LineReader, ends_a_line_at_a_carriage_return) {
  Lines lines;
  LineReader reader;
  for (const char* piece : {"\r 10%", "\r 20%\r", "\n 30%\r", " 40%\r\n", "done\n"})
    reader.take(piece, lines.on_line);
  EXPECT_EQ(lines.whole, (std::vector<std::string>{"", " 10%", " 20%", " 30%", " 40%", "done"}));
}

TEST(LineReader, keeps_bytes_that_are_no_text) {
  Lines lines;
  LineReader reader;
  reader.take({"a\0b\xff\n", 5}, lines.on_line);
  EXPECT_EQ(lines.whole, (std::vector<std::string>{{"a\0b\xff", 4}}));
}

TEST(LineReader, passes_the_beginning_of_a_line_that_is_too_long) {
  Lines lines;
  LineReader reader;
  const std::string longest(limits::line_bytes_max, 'x');
  reader.take(longest + "\n", lines.on_line);
  ASSERT_EQ(lines.whole.size(), 1U) << "the limit itself is allowed";
  reader.take(longest, lines.on_line);
  reader.take("y", lines.on_line);
  ASSERT_EQ(lines.beginnings.size(), 1U);
  EXPECT_EQ(lines.beginnings[0], longest);
  reader.take(longest + longest, lines.on_line);
  reader.take("\nnext\n", lines.on_line);
  EXPECT_EQ(lines.beginnings.size(), 1U) << "its rest is skipped";
  EXPECT_EQ(lines.whole.back(), "next");
}

TEST(LineReader, has_no_last_line_inside_one_that_is_too_long) {
  Lines lines;
  LineReader reader;
  reader.take(std::string(limits::line_bytes_max + 5, 'x'), lines.on_line);
  reader.finish(lines.on_line);
  EXPECT_TRUE(lines.whole.empty());
  EXPECT_EQ(lines.beginnings.size(), 1U);
}

// Result files ------------------------------------------------------------------------------------

class ResultFile : public InFolder {
 protected:
  // Everything that can be read now; `restarted_` if some of it was the start of a new file.
  std::string read() {
    std::string text;
    restarted_ = false;
    for (auto piece = file().read(); !piece.bytes.empty(); piece = file().read()) {
      text += piece.bytes;
      restarted_ = restarted_ || piece.restarted;
    }
    return text;
  }
  FollowedFile& file() {
    if (!file_) file_ = std::make_unique<FollowedFile>(path("rows"));
    return *file_;
  }

  std::unique_ptr<FollowedFile> file_;
  bool restarted_ = false;
};

TEST_F(ResultFile, is_read_as_it_grows) {
  EXPECT_EQ(read(), "") << "it need not exist";
  EXPECT_EQ(file().left(), 0);
  write("rows", "1\n");
  EXPECT_EQ(file().left(), 2);
  EXPECT_EQ(read(), "1\n");
  EXPECT_EQ(read(), "");
  append("rows", "2\n3");
  EXPECT_EQ(file().left(), 3);
  EXPECT_EQ(read(), "2\n3");
  EXPECT_FALSE(restarted_);
}

TEST_F(ResultFile, is_read_in_bounded_pieces) {
  write("rows", std::string(200'000, 'x'));
  const auto piece = file().read();
  EXPECT_EQ(piece.bytes.size(), 64U * 1024);
  EXPECT_EQ(file().left(), 200'000 - 64 * 1024);
  EXPECT_EQ(read().size(), 200'000U - 64 * 1024);
}

TEST_F(ResultFile, that_was_truncated_begins_again) {
  write("rows", "old rows\n");
  read();
  write("rows", "new\n");  // the same file, shorter
  EXPECT_EQ(file().left(), 4);
  EXPECT_EQ(read(), "new\n");
  EXPECT_TRUE(restarted_);
}

TEST_F(ResultFile, that_was_replaced_is_read_to_its_end_first) {
  write("rows", "old\n");
  EXPECT_EQ(read(), "old\n");
  append("rows", "last of the old\n");
  write("rows.new", "new and longer than the old one was\n");
  fs::rename(path("rows.new"), path("rows"));
  EXPECT_EQ(file().left(), 36);
  EXPECT_EQ(read(), "last of the old\nnew and longer than the old one was\n");
  EXPECT_TRUE(restarted_);
}

TEST_F(ResultFile, that_was_removed_and_written_again_begins_again) {
  write("rows", "old\n");
  read();
  fs::rename(path("rows"), path("kept"));  // so that the new one cannot get its inode
  EXPECT_EQ(read(), "");
  EXPECT_EQ(file().left(), 0);
  write("rows", "a\n");
  EXPECT_EQ(read(), "a\n");
  EXPECT_TRUE(restarted_);
}

TEST_F(ResultFile, must_be_a_regular_file) {
  ASSERT_EQ(::mkfifo(path("rows").c_str(), 0600), 0);
  EXPECT_EQ(read(), "") << "a pipe without a writer would block";
  EXPECT_EQ(file().left(), 0);
  fs::remove(path("rows"));
  fs::create_directory(path("rows"));
  EXPECT_EQ(read(), "");
  EXPECT_EQ(file().left(), 0);
}

// Artifacts ---------------------------------------------------------------------------------------

class RunFiles : public InFolder {
 protected:
  std::vector<std::string> kept(const std::vector<std::string>& patterns) {
    const Artifacts found = find_artifacts(folder_, patterns);
    left_out_ = found.left_out;
    std::vector<std::string> names;
    for (const Artifact& file : found.kept) {
      EXPECT_EQ(file.path, path(file.name));
      names.push_back(file.name);
    }
    return names;
  }
  std::string left_out_;
};

TEST_F(RunFiles, that_match_are_kept_by_name) {
  fs::create_directories(path("plots/old"));
  for (const char* name : {"b.png", "a.png", "plots/c.png", "plots/old/d.png", "loss.csv"})
    write(name, "x");
  EXPECT_EQ(kept({"*.png"}), (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(kept({"plots", "*.csv"}),
            (std::vector<std::string>{"loss.csv", "plots/c.png", "plots/old/d.png"}));
  EXPECT_EQ(kept({"**/*.png", "a.*"}).size(), 4U) << "each once";
  EXPECT_TRUE(kept({"*.pt"}).empty());
  EXPECT_EQ(left_out_, "");
}

TEST_F(RunFiles, are_not_reached_through_links) {
  fs::create_directory(path("other"));
  write("other/secret", "x");
  fs::create_symlink("/etc/passwd", path("passwd"));
  fs::create_directory(path("run"));
  fs::create_directory_symlink(path("other"), path("run/link"));
  EXPECT_TRUE(kept({"passwd"}).empty());
  EXPECT_TRUE(find_artifacts(path("run"), {"**"}).kept.empty());
}

TEST_F(RunFiles, beyond_their_number_are_left_out_and_counted) {
  for (std::size_t i = 0; i < limits::artifacts_max + 3; ++i)
    write("file-" + std::to_string(1000 + i), "x");
  const auto names = kept({"file-*"});
  ASSERT_EQ(names.size(), limits::artifacts_max);
  EXPECT_EQ(names.front(), "file-1000");
  EXPECT_EQ(names.back(), "file-1099");
  EXPECT_TRUE(left_out_.starts_with("3 files ")) << left_out_;
}

TEST_F(RunFiles, beyond_their_size_are_left_out_and_smaller_ones_kept) {
  for (const char* name : {"a", "b", "c"}) write(name, "");
  fs::resize_file(path("a"), limits::artifact_bytes_max - 10);  // sparse: no disk is used
  fs::resize_file(path("b"), 11);
  fs::resize_file(path("c"), 10);
  EXPECT_EQ(kept({"*"}), (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(left_out_.starts_with("1 file ")) << left_out_;
}

TEST_F(RunFiles, with_very_long_names_are_left_out) {
  const std::string deep = std::string(150, 'd') + "/" + std::string(150, 'e');
  fs::create_directories(path(deep));
  write(deep + "/f", "x");
  EXPECT_TRUE(kept({"**"}).empty());
  EXPECT_NE(left_out_, "");
}

// One of them made the server refuse all: no file of the run was kept.
TEST_F(RunFiles, with_names_that_the_server_does_not_take_are_left_out_alone) {
  for (const char* name : {"good.txt", "a\nb.txt",
                           "a\u202e"
                           "b.txt",
                           "a\xff.txt", "zgood.txt"})
    write(name, "x");
  EXPECT_EQ(kept({"*.txt"}), (std::vector<std::string>{"good.txt", "zgood.txt"}));
  EXPECT_TRUE(left_out_.starts_with("3 files ")) << left_out_;
}

TEST_F(RunFiles, are_measured_on_disk) {
  EXPECT_EQ(folder_bytes(folder_, 1'000'000), 0);
  EXPECT_EQ(folder_bytes(path("missing"), 1'000'000), 0);
  fs::create_directory(path("sub"));
  write("sub/a", std::string(100'000, 'x'));
  const auto bytes = folder_bytes(folder_, 10'000'000);
  EXPECT_GE(bytes, 100'000);
  EXPECT_LT(bytes, 200'000);
  write("sparse", "");
  fs::resize_file(path("sparse"), 1'000'000'000);
  EXPECT_LT(folder_bytes(folder_, 10'000'000), 200'000) << "holes take no space";
}

TEST_F(RunFiles, are_measured_no_further_than_needed) {
  for (int i = 0; i < 50; ++i) write(std::to_string(i), std::string(4096, 'x'));
  const auto bytes = folder_bytes(folder_, 10'000);
  EXPECT_GT(bytes, 10'000);
  EXPECT_LT(bytes, 50 * 4096);
}

TEST_F(RunFiles, of_a_link_count_without_its_target) {
  write("large", std::string(1'000'000, 'x'));
  fs::create_directory(path("run"));
  fs::create_symlink(path("large"), path("run/link"));
  EXPECT_LT(folder_bytes(path("run"), 10'000'000), 10'000);
}

// Run folders -------------------------------------------------------------------------------------

class RunFolders : public WorkerProcess {};

TEST_F(RunFolders, are_created_afresh_and_removed_with_their_object) {
  const auto grant = grant_of({"train"});
  fs::create_directories(path("runs/rn_42.0#1/files"));
  write("runs/rn_42.0#1/files/old", "of an earlier worker");
  std::string where;
  {
    auto made = RunFolder::make(folder_, grant, "");
    ASSERT_TRUE(made) << made.error().detail;
    where = made->path();
    EXPECT_FALSE(fs::exists(where + "/files/old"));
    EXPECT_TRUE(fs::is_directory(made->places().checkpoints));
    EXPECT_TRUE(fs::is_regular_file(made->places().params_file));
    const RunFolder moved = std::move(*made);
    EXPECT_EQ(moved.path(), where);
  }
  EXPECT_FALSE(fs::exists(where));
}

TEST_F(RunFolders, of_an_earlier_process_are_adopted_as_they_are) {
  const auto grant = grant_of({"train"});
  fs::create_directories(path("runs/rn_42.0#1/checkpoints"));
  write("runs/rn_42.0#1/checkpoints/p0.pt", "weights");
  {
    const auto adopted = RunFolder::adopt(folder_, grant);
    EXPECT_TRUE(adopted.checkpoint("p0.pt"));
  }
  EXPECT_FALSE(fs::exists(path("runs/rn_42.0#1")));
}

TEST_F(RunFolders, without_their_checkpoint_are_not_created) {
  auto grant = grant_of({"train"});
  grant.resume = ModelRef{ModelId{3}, "aa", 7, 400, 3};
  const auto made = RunFolder::make(folder_, grant, path("missing"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::internal);
  EXPECT_FALSE(fs::exists(path("runs/rn_42.0#1"))) << "nothing is left behind";
  write("cached", "weights");
  const auto with = RunFolder::make(folder_, grant, path("cached"));
  ASSERT_TRUE(with);
  EXPECT_EQ(read_file(with->path() + "/resume"), "weights");
  EXPECT_FALSE(fs::exists(path("cached"))) << "the run owns its copy";
}

// The kernel's counters ---------------------------------------------------------------------------

class OomKills : public InFolder {};

TEST_F(OomKills, are_summed_over_the_counters_there_are) {
  write("v2", "low 0\nhigh 3\nmax 7\noom 2\noom_kill 2\noom_group_kill 9\n");
  write("v1", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(oom_kills({path("v2")}), 2);
  EXPECT_EQ(oom_kills({path("v2"), path("v1"), path("missing")}), 7);
  EXPECT_EQ(oom_kills({path("missing")}), 0);
  EXPECT_EQ(oom_kills({}), 0);
}

TEST_F(OomKills, of_a_damaged_counter_are_those_before_the_damage) {
  write("damaged", "oom_kill 4\noom_kill many\noom_kill 8\n");
  EXPECT_EQ(oom_kills({path("damaged")}), 4);
}

TEST_F(OomKills, have_a_counter_on_this_machine) {
  const auto counters = oom_counters();
  ASSERT_FALSE(counters.empty());
  EXPECT_TRUE(fs::exists(counters.back())) << "that of the whole machine";
  EXPECT_GE(oom_kills(counters), 0);
}

// The environment ---------------------------------------------------------------------------------

TEST(TrialEnvironment, lets_a_command_overrule_a_variable_and_not_its_namesakes) {
  const auto env = with_variables({"A=1", "AB=2", "B=3=3"}, {{"A", "x=y"}, {"C", ""}});
  EXPECT_EQ(env, (std::vector<std::string>{"AB=2", "B=3=3", "A=x=y", "C="}));
}

TEST(TrialEnvironment, has_no_credentials_of_its_worker) {
  const std::vector<std::string> own{"HONE_TOKEN=a",    "HONE_TOKEN_FILE=b", "HONE_TLS_CERT=c",
                                     "HONE_TLS_KEY=d",  "HONE_TLS_CA=e",     "PYTHONUNBUFFERED=0",
                                     "HONE_TOKENS=mine"};
  const auto env = trial_environment(own, {"run.json", "sock", "ckpt"}, 1, {});
  const auto has = [&](const std::string& entry) {
    return std::find(env.begin(), env.end(), entry) != env.end();
  };
  for (const char* name :
       {"HONE_TOKEN=a", "HONE_TOKEN_FILE=b", "HONE_TLS_CERT=c", "HONE_TLS_KEY=d"})
    EXPECT_FALSE(has(name)) << name;
  EXPECT_TRUE(has("HONE_TLS_CA=e")) << "not a secret";
  EXPECT_TRUE(has("HONE_TOKENS=mine")) << "another name";
  EXPECT_TRUE(has("PYTHONUNBUFFERED=0")) << "the user's choice";
  EXPECT_TRUE(has("HONE_SOCKET=sock"));
}

}  // namespace
}  // namespace hone::worker
