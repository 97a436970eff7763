#include "base/net/client_tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <new>

namespace hone::net {
namespace {

std::string reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  const char* words = ERR_reason_error_string(code);
  return words == nullptr ? "unknown trouble" : words;
}

Error unusable(const std::string& what, const std::string& file) {
  return refuse(Code::invalid, what + " " + file + " cannot be used: " + reason());
}

bool is_address(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 || inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

Status trust(SSL_CTX* context, const std::string& ca_file) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return Done{};
  }
  if (SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr) != 1)
    return unusable("the certificates to trust in", ca_file);
  return Done{};
}

Status show(SSL_CTX* context, const HttpServer& server) {
  if (server.cert_file.empty()) return Done{};
  if (SSL_CTX_use_certificate_chain_file(context, server.cert_file.c_str()) != 1)
    return unusable("our certificate", server.cert_file);
  const auto& key = server.key_file.empty() ? server.cert_file : server.key_file;
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1)
    return unusable("the key of our certificate", key);
  return Done{};
}

}  // namespace

void ClientTls::Free::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

Result<std::unique_ptr<ClientTls>> ClientTls::open(const HttpServer& server) {
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  if (auto trusted = trust(context.get(), server.ca_file); !trusted) return trusted.error();
  if (auto shown = show(context.get(), server); !shown) return shown.error();
  return std::unique_ptr<ClientTls>(new ClientTls(std::move(context), server.host));
}

SSL* ClientTls::session() const {
  SSL* session = SSL_new(context_.get());
  if (session == nullptr) throw std::bad_alloc();
  if (is_address(host_)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host_.c_str());
  } else {
    SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_set1_host(session, host_.c_str());
    SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host_.c_str()));  // copied
  }
  return session;
}

std::string certificate_trouble(SSL* session) {
  const long verdict = SSL_get_verify_result(session);
  return verdict == X509_V_OK ? "" : X509_verify_cert_error_string(verdict);
}

}  // namespace hone::net
