// The client's side of TLS: whom it trusts, and which certificate it shows. OpenSSL alone. Internal
// to base/net.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/net/http_client.hpp"
#include "base/result.hpp"

namespace hone::net {

class ClientTls {
 public:
  // Refuses (invalid) certificate files that cannot be used.
  static Result<std::unique_ptr<ClientTls>> open(const HttpServer& server);

  // A session that accepts no server but the one with this host: its name, or its address where the
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

}  // namespace hone::net
