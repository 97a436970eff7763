// Digests and hex. The expected values are those of FIPS 180-4 and RFC 4231.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/hex.hpp"
#include "base/sha256.hpp"

namespace hone {
namespace {

constexpr auto digest_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Hex, writes_two_lower_case_digits_per_byte) {
  const std::array<unsigned char, 4> bytes{0x00, 0x0f, 0xa0, 0xff};
  EXPECT_EQ(hex(bytes), "000fa0ff");
  EXPECT_EQ(hex({}), "");
  EXPECT_EQ(hex_word(0x1fULL), "000000000000001f");
}

TEST(Hex, random_hex_differs_each_time) {
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_NE(random_hex(16), random_hex(16));
}

TEST(Sha256, gives_the_known_answers) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), digest_of_abc);
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, does_not_depend_on_how_the_bytes_arrive) {
  Sha256 hash;
  for (const auto* piece : {"a", "", "bc"}) hash.add(piece);
  EXPECT_EQ(hash.finish(), digest_of_abc);
}

TEST(Sha256, hashes_a_file_in_pieces) {
  const auto file = std::filesystem::temp_directory_path() / ("hone-" + random_hex(8));
  const std::string bytes(3'000'000, 'x');  // more than one piece
  std::ofstream(file, std::ios::binary) << bytes;
  const auto digest = digest_of_file(file);
  std::filesystem::remove(file);
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->sha256, sha256_hex(bytes));
  EXPECT_EQ(digest->bytes, 3'000'000);
  EXPECT_EQ(digest_of_file(file).error().code, Code::not_found);
}

TEST(Sha256, reports_a_file_that_cannot_be_read) {
  EXPECT_EQ(digest_of_file("/").error().code, Code::internal) << "a folder opens but has no bytes";
}

TEST(Hmac, gives_the_known_answer) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Digests, have_64_lower_case_digits) {
  const std::string digest = digest_of_abc;
  EXPECT_TRUE(is_sha256_hex(digest));
  EXPECT_FALSE(is_sha256_hex(digest.substr(1)));
  EXPECT_FALSE(is_sha256_hex("B" + digest.substr(1)));
  EXPECT_FALSE(is_sha256_hex("/" + digest.substr(1)));
}

TEST(Secrets, are_equal_only_as_a_whole) {
  EXPECT_TRUE(equal_secrets("abc", "abc"));
  EXPECT_FALSE(equal_secrets("abc", "abd"));
  EXPECT_FALSE(equal_secrets("abc", "ab"));
}

}  // namespace
}  // namespace hone
