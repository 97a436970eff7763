#include "sdk/cpp/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "base/expect.hpp"

namespace hone {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    expect(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
           "OpenSSL has SHA-256");
  }

  void add(std::string_view bytes) {
    expect(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
           "SHA-256 takes any bytes");
  }

  std::string hex() {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    expect(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1, "SHA-256 ends");
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text += digits[digest[i] >> 4U];
      text += digits[digest[i] & 15U];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
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
  return FileDigest{hash.hex(), bytes};
}

}  // namespace hone
