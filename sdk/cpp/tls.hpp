// TLS as a client speaks it: whom it trusts, and what it shows. OpenSSL alone. Internal to sdk/cpp.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/result.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone {

class ClientTls {
 public:
  // Refuses (invalid) certificate files that cannot be used.
  static Result<std::unique_ptr<ClientTls>> open(const Endpoint& endpoint);

  // A session that accepts no server but the endpoint's host: its name, or its address where the
  // host is one. The stream frees it. Throws when there is no memory.
  [[nodiscard]] SSL* session() const;

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  ClientTls(std::unique_ptr<SSL_CTX, Free> context, std::string host)
      : context_(std::move(context)), host_(std::move(host)) {}

  std::unique_ptr<SSL_CTX, Free> context_;
  std::string host_;
};

// Why a handshake failed, where the server's certificate was the reason: "certificate has expired";
// else empty.
std::string certificate_trouble(SSL* session);

}  // namespace hone
