// A trainer by its name, the job that a test gives it, and the file to which a test saves it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "worker/train/table.hpp"

namespace hone {

inline Param word(const char* name, const char* value) { return {name, std::string(value)}; }
inline Param count(const char* name, std::int64_t value) { return {name, value}; }

// `params` and then `more`, which count where both name a setting.
inline Params with(Params params, const Params& more) {
  params.insert(params.end(), more.begin(), more.end());
  return params;
}

class GivenTrainer {
 public:
  GivenTrainer(const char* name, std::int64_t budget) : name_(name), budget_(budget) {}
  ~GivenTrainer() { std::filesystem::remove(path_); }
  GivenTrainer(const GivenTrainer&) = delete;
  GivenTrainer& operator=(const GivenTrainer&) = delete;

  [[nodiscard]] trainers::TrainingJob job_of(const Params& params, std::uint64_t seed = 1) const {
    auto settings = trainers::Settings::resolve(*find_trainer(name_), params, {});
    EXPECT_TRUE(settings.ok()) << settings.error().detail;
    return {*std::move(settings), seed, budget_};
  }

 protected:
  using Made = std::unique_ptr<trainers::Trainer>;

  [[nodiscard]] Result<Made> tried(const Params& params, std::uint64_t seed = 1) const {
    return trainers::find_trainer_row(name_)->make(job_of(params, seed));
  }
  [[nodiscard]] Made made(const Params& params, std::uint64_t seed = 1) const {
    auto trainer = tried(params, seed);
    EXPECT_TRUE(trainer.ok()) << trainer.error().detail;
    return *std::move(trainer);
  }

  // The bytes of its file at path_.
  std::string saved(const trainers::Trainer& trainer) {
    EXPECT_TRUE(trainer.save(path_).ok());
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Two trainings, and one that was loaded from its file half way, end with the same bytes.
  void expect_repeated_and_continued(const Params& params, std::int64_t half, std::int64_t end) {
    std::vector<std::string> files;
    for (const bool resumed : {false, false, true}) {
      auto trainer = made(params);
      trainer->advance(half, {}, [] {});
      if (resumed) {
        saved(*trainer);
        trainer = made(params);
        const auto loaded = trainer->load(path_);
        ASSERT_TRUE(loaded.ok()) << loaded.error().detail;
      }
      trainer->advance(end, {}, [] {});
      files.push_back(saved(*trainer));
    }
    EXPECT_EQ(files[0], files[1]);
    EXPECT_EQ(files[0], files[2]);
  }

  std::string name_;
  std::int64_t budget_;
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("hone-" + name_ + "-" + std::to_string(::getpid()));
};

}  // namespace hone
