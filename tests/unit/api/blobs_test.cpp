#include "server/api/blobs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>

namespace hone::api {
namespace {
namespace fs = std::filesystem;

// sha256("abc"), FIPS 180-2.
constexpr auto abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class Blobs : public testing::Test {
 protected:
  Blobs() : root_(fs::temp_directory_path() / ("hone_blobs_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~Blobs() override { fs::remove_all(root_); }

  static std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::ptrdiff_t unfinished() const {
    return std::distance(fs::directory_iterator(root_ / "incoming"), fs::directory_iterator());
  }

  fs::path root_;
};

TEST_F(Blobs, ComeBackByTheirDigest) {
  const BlobStore store(root_);
  auto upload = *store.begin();
  ASSERT_TRUE(upload.append("a"));
  ASSERT_TRUE(upload.append("bc"));
  ASSERT_TRUE(upload.finish(abc));
  EXPECT_EQ(upload.bytes(), 3);
  const auto blob = store.find(abc);
  ASSERT_TRUE(blob);
  EXPECT_EQ(blob->bytes, 3);
  EXPECT_EQ(blob->file, root_ / "ba" / (abc + 2));
  EXPECT_EQ(contents(blob->file), "abc");
  EXPECT_EQ(unfinished(), 0);
}

TEST_F(Blobs, MayBePutTwice) {
  const BlobStore store(root_);
  for (int i = 0; i < 2; ++i) {
    auto upload = *store.begin();
    ASSERT_TRUE(upload.append("abc"));
    ASSERT_TRUE(upload.finish(abc));
  }
  EXPECT_EQ(contents(store.find(abc)->file), "abc");
}

void put_abc(const BlobStore& store) {
  auto upload = *store.begin();
  ASSERT_TRUE(upload.append("abc"));
  ASSERT_TRUE(upload.finish(abc));
}

constexpr int abc_folder = 0xba;
constexpr Instant long_ago{0};

TEST_F(Blobs, AreUnusedOnceNobodyPutOrClaimedThemForAWhile) {
  const BlobStore store(root_);
  put_abc(store);
  EXPECT_TRUE(store.unused_since(long_ago, abc_folder).empty());
  EXPECT_EQ(store.remove_unused(abc, long_ago), 0);
  EXPECT_EQ(store.unused_since(never, abc_folder), std::vector<std::string>{abc});
  EXPECT_TRUE(store.unused_since(never, abc_folder + 1).empty());
  EXPECT_EQ(store.remove_unused(abc, never), 3);
  EXPECT_EQ(store.remove_unused(abc, never), 0) << "it is gone";
  EXPECT_EQ(store.find(abc).error().code, Code::not_found);
}

TEST_F(Blobs, AnOpenOneIsReadToItsEndAlthoughItWasDeleted) {
  const BlobStore store(root_);
  put_abc(store);
  const auto blob = store.open(abc);
  ASSERT_TRUE(blob);
  ASSERT_EQ(store.remove_unused(abc, never), 3);
  std::string bytes(8, '?');
  ASSERT_EQ(::read(blob->file.fd(), bytes.data(), bytes.size()), blob->bytes);
  EXPECT_EQ(bytes.substr(0, 3), "abc");
  EXPECT_EQ(store.open(abc).error().code, Code::not_found);
}

TEST_F(Blobs, AClaimKeepsAnOldOne) {
  const BlobStore store(root_);
  put_abc(store);
  const auto file = store.find(abc)->file;
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  const Instant an_hour_ago{
      std::chrono::duration_cast<std::chrono::microseconds>(
          (std::chrono::system_clock::now() - std::chrono::hours(1)).time_since_epoch())
          .count()};
  EXPECT_FALSE(store.unused_since(an_hour_ago, abc_folder).empty());
  ASSERT_TRUE(store.claim(abc));
  EXPECT_TRUE(store.unused_since(an_hour_ago, abc_folder).empty());
  EXPECT_EQ(store.remove_unused(abc, an_hour_ago), 0);
  EXPECT_EQ(contents(file), "abc");
}

TEST_F(Blobs, WithAnotherDigestAreRefusedAndRemoved) {
  const BlobStore store(root_);
  {
    auto upload = *store.begin();
    ASSERT_TRUE(upload.append("abd"));
    const auto finished = upload.finish(abc);
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, Code::invalid);
  }
  EXPECT_EQ(store.find(abc).error().code, Code::not_found);
  EXPECT_EQ(unfinished(), 0);
}

TEST_F(Blobs, LeftUnfinishedByACrashAreRemovedAtTheNextStart) {
  const BlobStore before(root_);
  std::ofstream(root_ / "incoming" / "left") << "half";
  const BlobStore after(root_);
  EXPECT_EQ(unfinished(), 0);
}

TEST_F(Blobs, AreNamedByDigestsAlone) {
  const BlobStore store(root_);
  for (const std::string& name :
       {std::string(), std::string("../../hone.db"), std::string(63, 'a'), std::string(65, 'a'),
        std::string(64, 'A'), std::string(64, 'g'), std::string(62, 'a') + "/x"})
    EXPECT_EQ(store.find(name).error().code, Code::invalid) << name;
  EXPECT_EQ(store.find(std::string(64, 'a')).error().code, Code::not_found);
}

}  // namespace
}  // namespace hone::api
