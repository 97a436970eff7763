// Files on a real file system, and locks between real processes.
#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "base/hex.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::temp_directory_path() / ("hone-files-" + random_hex(8))) {
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // The exit status of a child process that runs `body`.
  template <class Body>
  static int status_of_child(Body body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const fs::path folder_;
  const fs::path file_ = folder_ / "file";
};

int failing_sync(int) {
  errno = EIO;
  return -1;
}

TEST_F(Files, a_replaced_file_has_the_new_content_and_mode) {
  ASSERT_TRUE(replace_file(file_, "one", {.mode = 0600}));
  EXPECT_EQ(content(file_), "one");
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_TRUE(replace_file(file_, "two", {}));
  EXPECT_EQ(content(file_), "two");
  EXPECT_FALSE(fs::exists(file_.string() + ".new"));
}

TEST_F(Files, a_failing_write_leaves_the_old_content) {
  ASSERT_TRUE(replace_file(file_, "old", {}));
  const int status = status_of_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit bound{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &bound);
    const auto replaced = replace_file(file_, std::string(10'000, 'x'), {});
    return !replaced && replaced.error().code == Code::unavailable ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(file_), "old");
  EXPECT_FALSE(fs::exists(file_.string() + ".new"));
}

TEST_F(Files, a_failing_sync_leaves_the_old_content) {
  ASSERT_TRUE(replace_file(file_, "old", {}));
  const auto replaced = replace_file(file_, "new", {.sync = failing_sync});
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().detail, "Input/output error");
  EXPECT_EQ(content(file_), "old");
}

TEST_F(Files, an_exclusive_write_does_not_follow_what_is_in_the_way) {
  std::ofstream(folder_ / "other") << "other";
  fs::create_symlink(folder_ / "other", file_.string() + ".new");
  ASSERT_TRUE(replace_file(file_, "secret", {.mode = 0600, .exclusive = true}));
  EXPECT_EQ(content(folder_ / "other"), "other");
  EXPECT_EQ(content(file_), "secret");
}

TEST_F(Files, a_missing_folder_is_refused_with_the_reason) {
  const auto replaced = replace_file(folder_ / "none" / "file", "x", {});
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().detail, "No such file or directory");
  EXPECT_FALSE(sync_folder(folder_ / "none"));
  EXPECT_FALSE(sync_file(file_));
}

TEST_F(Files, durable_folders_are_made_with_those_above_them) {
  ASSERT_TRUE(make_durable_folder(folder_ / "a" / "b" / "c"));
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b" / "c"));
  EXPECT_TRUE(make_durable_folder(folder_ / "a" / "b" / "c")) << "again";
  std::ofstream(file_) << "x";
  EXPECT_FALSE(make_durable_folder(file_ / "below a file"));
}

TEST_F(Files, a_folder_cannot_be_synced_as_a_file_name) {
  std::ofstream(file_) << "x";
  EXPECT_FALSE(sync_folder(file_));
  EXPECT_TRUE(sync_file(file_));
  EXPECT_TRUE(sync_folder(folder_));
}

TEST_F(Files, a_lock_refuses_a_second_process_and_names_the_first) {
  auto lock = lock_file(file_);
  ASSERT_TRUE(lock);
  const auto refused_with = [&](const std::string& holder) {
    return status_of_child([&] {
      const auto second = lock_file(file_);
      return !second && second.error().code == Code::conflict && second.error().detail == holder
                 ? 0
                 : 1;
    });
  };
  EXPECT_EQ(refused_with("an unknown process"), 0);
  ASSERT_TRUE(record_pid(*lock));
  EXPECT_EQ(refused_with("process " + std::to_string(::getpid())), 0);
  lock->close();
  EXPECT_EQ(status_of_child([&] { return lock_file(file_) ? 0 : 1; }), 0);
}

TEST_F(Files, a_lock_ends_with_its_process) {
  EXPECT_EQ(status_of_child([&] { return lock_file(file_) ? 0 : 1; }), 0);
  EXPECT_TRUE(lock_file(file_));
}

TEST_F(Files, a_pipe_carries_all_bytes_to_the_end) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  const std::string text(60'000, 'x');  // fits into the pipe
  ASSERT_TRUE(write_all(pipe->write, text));
  pipe->write.close();
  EXPECT_EQ(read_to_end(pipe->read), text);
}

TEST_F(Files, a_handle_closes_when_it_is_replaced) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  pipe->write = FileHandle();
  EXPECT_EQ(read_to_end(pipe->read), "") << "the other end is closed";
}

TEST_F(Files, a_write_to_a_closed_file_is_refused) {
  EXPECT_FALSE(write_all(FileHandle(), "x"));
  EXPECT_TRUE(write_all(FileHandle(), ""));
}

}  // namespace
}  // namespace hone
