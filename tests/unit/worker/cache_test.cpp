// Checkpoints kept on the worker's machine, by content.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sha256.hpp"
#include "tests/unit/sdk/given.hpp"
#include "worker/process/blob_cache.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

class WorkerCache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / "hone-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static ModelRef model_of(const std::string& bytes) {
    return {ModelId{1}, sha256_hex(bytes), static_cast<std::int64_t>(bytes.size()), 10, 0};
  }
  // A server that sends these blobs, in order, each asked for on one connection.
  static Listener::Script sends(std::vector<std::string> blobs) {
    return [blobs = std::move(blobs)](Peer& peer) {
      for (const auto& bytes : blobs) {
        EXPECT_TRUE(peer.request().starts_with("GET /v1/blobs/" + sha256_hex(bytes)));
        peer.answer(bytes);
      }
      EXPECT_EQ(peer.request(), "") << "nothing else is asked for";
    };
  }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string folder_;
};

TEST_F(WorkerCache, fetches_a_blob_once) {
  Listener listener({sends({"weights"})});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache");
  for (int i = 0; i < 3; ++i) {
    const auto path = cache.get(model_of("weights"), client);
    ASSERT_TRUE(path) << path.error().detail;
    EXPECT_EQ(read(*path), "weights");
  }
}

// A file that a crash left half-written is fetched again.
TEST_F(WorkerCache, does_not_trust_a_file_of_another_size) {
  Listener listener({sends({"weights"})});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache");
  std::ofstream(folder_ + "/cache/" + sha256_hex("weights")) << "wei";
  EXPECT_EQ(read(*cache.get(model_of("weights"), client)), "weights");
}

// The least recently used go first; the newest stays even when it alone is too large.
TEST_F(WorkerCache, stays_within_its_bound) {
  Listener listener({sends({"aaaa", "bbbb", "cccc", "dddddddddddd"})});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache", 10);
  const auto a = *cache.get(model_of("aaaa"), client);
  const auto b = *cache.get(model_of("bbbb"), client);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(a, long_ago);
  fs::last_write_time(b, long_ago);
  ASSERT_TRUE(cache.get(model_of("aaaa"), client)) << "used: b is the older now";
  const auto c = *cache.get(model_of("cccc"), client);
  EXPECT_TRUE(fs::exists(a));
  EXPECT_FALSE(fs::exists(b));
  EXPECT_TRUE(fs::exists(c));
  const auto d = *cache.get(model_of("dddddddddddd"), client);
  EXPECT_FALSE(fs::exists(a) || fs::exists(c));
  EXPECT_TRUE(fs::exists(d));
}

// A program may open its checkpoint for writing, as databases and memory-mapped formats do.
TEST_F(WorkerCache, a_run_that_writes_to_its_checkpoint_changes_no_other_run) {
  Listener listener({sends({"weights"})});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache");
  const auto first = cache.copy_for(LeaseId{1}, model_of("weights"), client);
  ASSERT_TRUE(first) << first.error().detail;
  std::ofstream(*first) << "POISONED";
  const auto second = cache.copy_for(LeaseId{2}, model_of("weights"), client);
  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(read(*second), "weights");
  EXPECT_EQ(read(*first), "POISONED") << "its own copy is its own";
  EXPECT_EQ(fs::status(*second).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// The same size, other bytes: a disk's damage, or another program's.
TEST_F(WorkerCache, a_cached_file_with_other_bytes_is_fetched_again) {
  Listener listener({sends({"weights"})});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache");
  std::ofstream(folder_ + "/cache/" + sha256_hex("weights")) << "WEIGHTS";
  const auto copy = cache.copy_for(LeaseId{1}, model_of("weights"), client);
  ASSERT_TRUE(copy) << copy.error().detail;
  EXPECT_EQ(read(*copy), "weights");
}

TEST_F(WorkerCache, a_refusal_leaves_nothing) {
  Listener listener({[](Peer& peer) {
    peer.request();
    peer.answer(R"({"code":"not_found","detail":"no blob","at":"","retryable":false})",
                "404 Not Found");
  }});
  Client client(listener.endpoint);
  BlobCache cache(folder_ + "/cache");
  EXPECT_EQ(cache.get(model_of("weights"), client).error().code, Code::not_found);
  for (const auto& entry : fs::recursive_directory_iterator(folder_ + "/cache"))
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
}

}  // namespace
}  // namespace hone::worker
