// Frames, assignments and the file of a rendezvous: what was written is read, and nothing else.
#include "worker/relay/wire.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "worker/relay/curve.hpp"
#include "worker/relay/rendezvous.hpp"

namespace hone::relay {
namespace {

const Assignment assignment{"apex", 1, 3, {10'000, 0, 100, 2'048, 512, 500, 2}};

TEST(Frame, is_read_as_it_was_written) {
  const Frame frame{FrameKind::message,    77, ipc::MessageKind::played, 3, -9,
                    std::string("a\0b", 3)};
  const auto read = frame_of(bytes_of(frame));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, frame.kind);
  EXPECT_EQ(read->seat, 77u);
  EXPECT_EQ(read->message, frame.message);
  EXPECT_EQ(read->slot, 3u);
  EXPECT_EQ(read->number, -9);
  EXPECT_EQ(read->body, frame.body);
}

TEST(Frame, of_another_protocol_or_kind_or_length_is_no_frame) {
  const auto bytes = bytes_of({.kind = FrameKind::bye});
  EXPECT_FALSE(frame_of(std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_FALSE(frame_of(""));
  for (const std::size_t field : {0u, 4u, 8u}) {  // protocol, kind and kind of message
    auto changed = bytes;
    const std::uint32_t other = 999;
    std::memcpy(changed.data() + field, &other, sizeof other);
    EXPECT_FALSE(frame_of(changed)) << "field at byte " << field;
  }
}

TEST(Assignment, is_read_as_it_was_written) {
  const auto read = assignment_of(body_of(assignment));
  ASSERT_TRUE(read);
  EXPECT_EQ(body_of(*read), body_of(assignment));
}

TEST(Assignment, whose_parts_leave_the_memory_is_refused) {
  const auto refuses = [](auto change) {
    auto changed = assignment;
    change(changed);
    return !assignment_of(body_of(changed));
  };
  constexpr auto huge = ~std::uint64_t{0};
  EXPECT_TRUE(refuses([](Assignment& a) { a.index = 3; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.trainer = "../apex"; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.trainer = ""; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.parameters = 9'999; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.floats = huge / 4; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.first_slot = huge; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.slot_stride = huge / 6 + 1; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.slot_bytes = 513; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.slots = 0; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.slots = 64; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.seats = 1'000; }));
  EXPECT_TRUE(refuses([](Assignment& a) { a.layout.bytes = huge; }));
  for (const auto* text : {"", "[]", "{}", R"({"trainer":"apex","index":0,"seats":1,"layout":[1]})",
                           R"({"trainer":"apex","index":0,"seats":1,"layout":[1,2,3,4,5,6,"7"]})",
                           R"({"trainer":"apex","index":-1,"seats":1,"layout":[1,2,3,4,5,6,7]})"})
    EXPECT_FALSE(assignment_of(text)) << text;
}

class RendezvousFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / test;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "run.hosts"; }
  void write(const std::string& text) const { std::ofstream(file()) << text; }

  std::filesystem::path folder_;
};

TEST_F(RendezvousFile, is_for_its_owner_alone) {
  const auto keys = new_keys();
  ASSERT_TRUE(write_rendezvous(file(), {"tcp://node:1", keys.key, keys.key, keys.secret}));
  struct stat about {};
  ASSERT_EQ(::stat(file().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  const auto read = read_rendezvous(file());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->address, "tcp://node:1");
  EXPECT_EQ(read->guest_secret, keys.secret);
}

TEST_F(RendezvousFile, that_is_missing_or_of_something_else_is_refused) {
  EXPECT_EQ(read_rendezvous(file()).error().code, Code::not_found);
  for (const auto& text : {std::string("{"), std::string("[]"), std::string(5'000, ' '),
                           std::string(R"({"protocol":1,"address":"tcp://node:1"})"),
                           std::string(R"({"protocol":1,"address":7})")}) {
    write(text);
    EXPECT_EQ(read_rendezvous(file()).error().code, Code::invalid) << text.substr(0, 40);
  }
  write(R"({"protocol":999})");
  EXPECT_NE(read_rendezvous(file()).error().detail.find("another version"), std::string::npos);
  EXPECT_EQ(write_rendezvous(folder_ / "no" / "such", {}).error().code, Code::unavailable);
}

}  // namespace
}  // namespace hone::relay
