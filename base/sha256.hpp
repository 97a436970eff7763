// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104), as 64 lower-case hex digits or as 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace hone {

// The digest of bytes that arrive in pieces. One thread at a time.
class Sha256 {
 public:
  static constexpr std::size_t hex_digits = 64;

  Sha256();
  void add(std::string_view bytes);
  std::string finish();        // as hex digits. Call one of these two, once, last
  std::string finish_bytes();  // as the 32 bytes

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_hex(std::string_view bytes);

struct FileDigest {
  std::string sha256;
  std::int64_t bytes = 0;
};

// Reads the file once, in pieces. Refuses with not_found if the file cannot be opened and with
// internal if it cannot be read.
Result<FileDigest> digest_of_file(const std::string& path);

std::string hmac_sha256_hex(std::string_view secret, std::string_view bytes);

// Whether `text` has the form of a digest: 64 lower-case hex digits.
bool is_sha256_hex(std::string_view text);

// Compares two secrets. The time does not depend on where they differ.
bool equal_secrets(std::string_view a, std::string_view b);

}  // namespace hone
