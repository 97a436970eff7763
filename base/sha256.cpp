#include "base/sha256.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "base/ascii.hpp"
#include "base/expect.hpp"
#include "base/hex.hpp"

namespace hone {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  expect(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
         "OpenSSL has SHA-256");
}

void Sha256::add(std::string_view bytes) {
  expect(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
         "SHA-256 takes any bytes");
}

std::string Sha256::finish() {
  const std::string digest = finish_bytes();
  return hex(std::span(reinterpret_cast<const unsigned char*>(digest.data()), digest.size()));
}

std::string Sha256::finish_bytes() {
  std::string digest(hex_digits / 2, '\0');
  expect(EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()),
                            nullptr) == 1,
         "SHA-256 ends once");
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

Result<FileDigest> digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(Code::not_found, "cannot open " + path + ": " + std::strerror(errno));
  Sha256 hash;
  std::int64_t bytes = 0;
  std::vector<char> piece(std::size_t{1} << 20U);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())), file.gcount() > 0) {
    hash.add({piece.data(), static_cast<std::size_t>(file.gcount())});
    bytes += file.gcount();
  }
  if (file.bad())
    return refuse(Code::internal, "cannot read " + path + ": " + std::strerror(errno));
  return FileDigest{hash.finish(), bytes};
}

std::string hmac_sha256_hex(std::string_view secret, std::string_view bytes) {
  std::array<unsigned char, Sha256::hex_digits / 2> mac{};
  unsigned length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), mac.data(), &length);
  return hex(mac);
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == Sha256::hex_digits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool equal_secrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace hone
