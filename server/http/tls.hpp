// What TLS a server speaks: its certificate, and whose certificates it asks for. OpenSSL alone, so
// that no other file pays for it.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace hone::http {

struct TlsFiles {
  std::string cert;       // PEM: ours, then those between it and the root
  std::string key;        // PEM: of the first
  std::string client_ca;  // PEM: clients must show a certificate of one of these; empty: none asked

  [[nodiscard]] bool wanted() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

// TLS 1.2 and 1.3 with forward secrecy, no renegotiation, no compression.
class Tls {
 public:
  // Refuses (invalid) files that cannot be read, that do not belong together or lack one another.
  static Result<std::unique_ptr<Tls>> open(const TlsFiles& files);

  // A new session's handle, which its stream frees. Throws when there is no memory.
  [[nodiscard]] SSL* session() const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  explicit Tls(std::unique_ptr<SSL_CTX, Free> context) : context_(std::move(context)) {}
  std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace hone::http
