// The TLS context of the server: its certificate, and the roots of client certificates.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace hone::http {

struct TlsFiles {
  std::string cert;       // PEM: the server's certificate, then the intermediate ones
  std::string key;        // PEM: the key of the first
  std::string client_ca;  // PEM: the roots of client certificates; empty: none are required

  [[nodiscard]] bool wanted() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

// TLS 1.2 and 1.3 with forward secrecy, no renegotiation, no compression.
class Tls {
 public:
  // Refuses (invalid) files that are unreadable, incomplete or do not belong together.
  static Result<std::unique_ptr<Tls>> open(const TlsFiles& files);

  // A new session, which the caller frees. Throws std::bad_alloc.
  [[nodiscard]] SSL* session() const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  explicit Tls(std::unique_ptr<SSL_CTX, Free> context) : context_(std::move(context)) {}
  std::unique_ptr<SSL_CTX, Free> context_;
};

}  // namespace hone::http
