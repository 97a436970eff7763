// What commands do on this machine: data folders, datasets, workflows, child processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "sdk/cli/local/backoff.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/local/data_folder.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/disk_probe.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/supervisor.hpp"
#include "sdk/cli/local/workflow.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

// A new empty folder, removed afterwards.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "/hone-local-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Sets an environment variable, or removes it, and restores it afterwards.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(DataFolder, is_that_of_HONE_DATA_or_below_the_home_folder) {
  const Environment home("HOME", "/home/ada");
  {
    const Environment data("HONE_DATA", "/data/hone");
    EXPECT_EQ(default_data_folder(), "/data/hone");
  }
  {
    const Environment data("HONE_DATA", "");
    EXPECT_EQ(default_data_folder(), "/home/ada/.hone");
  }
  const Environment data("HONE_DATA", nullptr);
  EXPECT_EQ(default_data_folder(), "/home/ada/.hone");
}

TEST(Dataset, of_a_file_has_its_name_and_the_digest_of_its_bytes) {
  const Folder folder;
  const auto dataset = dataset_of(folder.file("train.csv", "abc"));
  ASSERT_TRUE(dataset.ok());
  EXPECT_EQ(dataset->name, "train.csv");
  EXPECT_EQ(dataset->version, "");
  EXPECT_EQ(dataset->digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Dataset, of_a_folder_has_the_digest_of_what_sha256sum_prints) {
  const Folder folder;
  (void)folder.file("digits/b.txt", "abc");
  (void)folder.file("digits/a/x.txt", "");
  const auto dataset = dataset_of((folder.path() / "digits").string());
  ASSERT_TRUE(dataset.ok());
  EXPECT_EQ(dataset->name, "digits");
  // printf "$(sha256 of '')  a/x.txt\n$(sha256 of abc)  b.txt\n" | sha256sum
  const auto again = dataset_of((folder.path() / "digits/").string());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->name, "digits");
  EXPECT_EQ(again->digest, dataset->digest);
  (void)folder.file("digits/b.txt", "abd");
  EXPECT_NE(dataset_of((folder.path() / "digits").string())->digest, dataset->digest);
}

TEST(Dataset, may_be_named_with_a_version_and_a_digest) {
  const auto named = dataset_of("digits@2=sha256:9f86d081");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->name, "digits");
  EXPECT_EQ(named->version, "2");
  EXPECT_EQ(named->digest, "sha256:9f86d081");
  EXPECT_EQ(dataset_of("digits=abc")->version, "");
}

TEST(Dataset, that_is_neither_a_file_nor_a_name_is_rejected) {
  const Folder folder;
  for (const std::string& word : {std::string("nowhere.csv"), std::string("=abc"),
                                  std::string("digits="), folder.path().string()}) {
    const auto dataset = dataset_of(word);
    ASSERT_FALSE(dataset.ok()) << word;
    EXPECT_EQ(dataset.error().code, Code::invalid);
    EXPECT_EQ(dataset.error().detail.find("--dataset " + word), 0U) << dataset.error().detail;
  }
}

TEST(Workflow, names_this_process_and_its_folder) {
  const auto info = record_workflow();
  EXPECT_EQ(info.cwd, fs::current_path().string());
  ASSERT_FALSE(info.command.empty());
  EXPECT_NE(info.command.front().find("cli_test"), std::string::npos);
  EXPECT_EQ(info.hone_version, HONE_VERSION);
  EXPECT_EQ(user_at_host(), info.user + "@" + info.host);
}

TEST(Workflow, leaves_the_fields_of_git_empty_without_git) {
  const Environment no_programs("PATH", "/nonexistent");
  WorkflowTexts texts;
  const auto info = record_workflow({}, &texts);
  EXPECT_EQ(info.git_commit, "");
  EXPECT_EQ(info.git_branch, "");
  EXPECT_EQ(info.patch_sha256, "");
  EXPECT_EQ(texts.patch, "");
  EXPECT_EQ(info.environment_sha256, "");
}

TEST(RequestIds, are_32_hex_digits_and_differ) {
  const std::string id = new_request_id();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(id, new_request_id());
}

TEST(Programs, print_their_output_or_fail) {
  EXPECT_EQ(output_of({"printf", "a\\nb"}), "a\nb");
  EXPECT_EQ(output_of({"false"}), std::nullopt);
  EXPECT_EQ(output_of({"/nowhere/program"}), std::nullopt);
}

TEST(Programs, that_are_missing_are_named_with_where_they_were_looked_for) {
  const Environment path("PATH", "/nonexistent");
  const auto found = find_program("hone-nothing");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, Code::not_found);
  EXPECT_EQ(found.error().detail.find("hone-nothing is neither in "), 0U);
}

TEST(DiskProbe, measures_syncs_and_removes_its_file) {
  const Folder folder;
  {
    auto probe = load::DiskProbe::in(folder.path().string());
    ASSERT_TRUE(probe.ok());
    ASSERT_TRUE(probe->sync().ok());
    ASSERT_TRUE(probe->sync().ok());
    EXPECT_EQ(probe->times().count(), 2U);
    EXPECT_FALSE(fs::is_empty(folder.path()));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_FALSE(load::DiskProbe::in("/nowhere").ok());
}

TEST(Backoff, doubles_to_a_limit_and_restarts_after_a_long_life) {
  Backoff backoff;
  for (const int expected : {1, 2, 4, 8, 16, 30, 30})
    EXPECT_EQ(backoff.after_a_life_of(milliseconds(900), EndedBy::itself), seconds(expected));
  EXPECT_EQ(backoff.after_a_life_of(seconds(30), EndedBy::itself), seconds(1));
  EXPECT_EQ(backoff.after_a_life_of(seconds(1), EndedBy::itself), seconds(2));
}

// A run that killed its worker after 5 s made the machine wait for 30 s each time.
TEST(Backoff, the_pause_was_longer_than_the_work) {
  Backoff backoff;
  for (int times = 0; times < 10; ++times)
    EXPECT_EQ(backoff.after_a_life_of(seconds(5), EndedBy::itself), seconds(1));
  for (int times = 0; times < 10; ++times)
    EXPECT_EQ(backoff.after_a_life_of(milliseconds(300), EndedBy::another), seconds(1));
}

std::string next_line(Conversation& program) {
  for (int i = 0; i < 100; ++i) {
    auto line = program.hear(milliseconds(100));
    if (!line) return "error: " + line.error().detail;
    if (*line) return **line;
  }
  return "nothing";
}

TEST(Conversation, exchanges_lines_with_a_program) {
  auto program = Conversation::start({"sh", "-c", "while read line; do echo \"got $line\"; done"});
  ASSERT_TRUE(program.ok());
  ASSERT_TRUE((*program)->say("one").ok());
  ASSERT_TRUE((*program)->say("two").ok());
  EXPECT_EQ(next_line(**program), "got one");
  EXPECT_EQ(next_line(**program), "got two");
  EXPECT_EQ(*(*program)->hear(milliseconds(1)), std::nullopt);
}

TEST(Conversation, reports_how_a_program_ended) {
  auto program = Conversation::start({"sh", "-c", "echo last; exit 3"});
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(next_line(**program), "last");
  EXPECT_EQ(next_line(**program), "error: it ended with exit status 3");
}

TEST(Conversation, rejects_a_program_that_cannot_be_started) {
  const auto program = Conversation::start({"/nowhere/picker"});
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().detail, "cannot start '/nowhere/picker': No such file or directory");
}

// What a supervisor printed, and how it ended.
struct Supervised {
  Exit exit = Exit::general;
  std::string messages, url;
};

// `server` and `worker` are shell scripts; `on_ready` runs when the workers have been started.
Supervised supervise(const Folder& folder, const std::string& server, const std::string& worker,
                     const std::function<void()>& on_ready) {
  const auto program = [&](const std::string& name, const std::string& script) {
    return Program{name, {"/bin/sh", "-c", script, "sh", "@URL@"}, (folder.path() / name).string()};
  };
  Supervised result;
  sigset_t before;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  {
    Supervisor supervisor(
        {program("server", server), {program("worker 1", worker)}},
        [&](const std::string& message) { result.messages += message + "\n"; },
        [&](const std::string& url) {
          result.url = url;
          on_ready();
        });
    result.exit = supervisor.run();
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return result;
}

TEST(Supervisor, gives_the_url_of_the_server_to_the_workers_and_stops_both) {
  const Folder folder;
  const std::string seen = (folder.path() / "seen").string();
  const auto done = supervise(folder, "echo listening on http://0.0.0.0:4711; exec sleep 60",
                              "echo $1 > " + seen + "; kill -INT $PPID; exec sleep 60", [] {});
  EXPECT_EQ(done.exit, Exit::ok);
  EXPECT_EQ(done.url, "http://127.0.0.1:4711");
  std::string url;
  std::ifstream(seen) >> url;
  EXPECT_EQ(url, "http://127.0.0.1:4711");
  EXPECT_NE(done.messages.find("stopping the workers"), std::string::npos) << done.messages;
}

TEST(Supervisor, reports_why_a_server_did_not_start) {
  const Folder folder;
  const auto done =
      supervise(folder, "echo 'hone-server: port 1 is in use' >&2; exit 2", "exec sleep 60", [] {});
  EXPECT_EQ(done.exit, Exit::general);
  EXPECT_EQ(done.url, "");
  EXPECT_EQ(done.messages, "port 1 is in use\n");
}

TEST(Supervisor, ends_when_the_server_ends) {
  const Folder folder;
  const auto done =
      supervise(folder, "echo http://127.0.0.1:1; echo 'error disk full' >&2; exit 70",
                "exec sleep 60", [] {});
  EXPECT_EQ(done.exit, Exit::general);
  EXPECT_NE(done.messages.find("the server ended (exit status 70): disk full"), std::string::npos)
      << done.messages;
}

// The URL once went into the log after the error, and was reported as the reason.
TEST(Supervisor, takes_the_reason_from_stderr_when_stdout_is_read_last) {
  const Folder folder;
  const auto done =
      supervise(folder, "echo 'error disk full' >&2; echo http://127.0.0.1:1; exit 70",
                "exec sleep 60", [] {});
  EXPECT_NE(done.messages.find("the server ended (exit status 70): disk full"), std::string::npos)
      << done.messages;
}

TEST(Supervisor, starts_a_worker_again_that_ended) {
  const Folder folder;
  const std::string count = (folder.path() / "count").string();
  const auto done = supervise(
      folder, "echo http://127.0.0.1:1; exec sleep 60",
      "echo x >> " + count + "; [ $(wc -l < " + count + ") -lt 2 ] || kill -TERM $PPID; exit 5",
      [] {});
  EXPECT_EQ(done.exit, Exit::ok);
  EXPECT_NE(done.messages.find("worker 1 ended (exit status 5); starting it again in 1s"),
            std::string::npos)
      << done.messages;
}

}  // namespace
}  // namespace hone::cli
