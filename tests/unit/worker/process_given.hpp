// A data folder, and real runs of shell or Python programs in it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "worker/process/run_process.hpp"

namespace hone::worker {

namespace fs = std::filesystem;

inline constexpr int patience_ms = 20'000;  // for what happens at once on an idle machine

inline std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Gives each test its own folder.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "hone-worker-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void append(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << text;
  }

  std::string folder_;
};

class WorkerProcess : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    place_ = {folder_, "/nowhere", folder_};
  }
  void TearDown() override {
    run_.reset();
    InFolder::TearDown();
  }

  static LeaseGrant grant_of(std::vector<std::string> argv) {
    LeaseGrant grant;
    grant.lease = LeaseId{1};
    grant.attempt = {{TrialId{42}, 0}, 1};
    grant.sweep = SweepId{7};
    grant.trainer = CommandTrainer{std::move(argv)};
    grant.params = {
        {"lr", 0.001}, {"layers", std::int64_t{2}}, {"act", std::string("relu")}, {"big", true}};
    grant.seed = 5;
    grant.budget = {"frames", 1000, 10};
    return grant;
  }

  // Returns false and sets `refusal_` if it does not start.
  bool start(std::vector<std::string> argv) {
    auto run = RunProcess::start(place_, {place_.work_folder}, {grant_of(std::move(argv)), {}, {}});
    if (run)
      run_ = std::move(*run);
    else
      refusal_ = run.error();
    return run_ != nullptr;
  }
  bool shell(const std::string& text) { return start({"/bin/sh", "-c", text}); }
  bool python(const std::string& text) { return start({"python3", "-c", text}); }

  // Serves until done() or for 20 s.
  template <class Done>
  void serve_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) {
      std::vector<pollfd> fds;
      run_->watch(fds);
      ::poll(fds.data(), fds.size(), 20);  // the child's end shows in collect(), not here
      for (auto& heard : run_->serve()) heard_.push_back(std::move(heard));
      if (!exited_) exited_ = run_->collect(LeaseId{1}, heard_);
    }
  }
  Exited exited() {
    serve_until([&] { return exited_.has_value(); });
    EXPECT_TRUE(exited_.has_value()) << "it did not end";
    return exited_.value_or(Exited{});
  }
  std::string log() const { return read_file(fs::path(place_.data) / "logs" / "rn_42.0#1.log"); }

  WorkerPaths place_;
  std::unique_ptr<RunProcess> run_;
  Error refusal_;
  std::vector<RunProcess::Received> heard_;
  std::optional<Exited> exited_;
};

}  // namespace hone::worker
