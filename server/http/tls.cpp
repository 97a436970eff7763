#include "server/http/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <new>
#include <string_view>

namespace hone::http {
namespace {

// Forward secrecy and authenticated encryption: every client of the last ten years supports them.
constexpr char ciphers_of_tls12[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
// Sessions are resumed only by the same server.
constexpr std::string_view session_context = "hone";

std::string reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  const char* words = ERR_reason_error_string(code);
  return words == nullptr ? "unknown error" : words;
}

Error unusable(const std::string& option, const std::string& file) {
  return refuse(Code::invalid, option + " " + file + " cannot be used: " + reason());
}

Status check_names(const TlsFiles& files) {
  if (files.cert.empty() || files.key.empty())
    return refuse(Code::invalid,
                  "TLS needs both --tls-cert and --tls-key; docs/security.md has the command that "
                  "makes them");
  return Done{};
}

Status ask_clients(SSL_CTX* context, const std::string& file) {
  if (SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) != 1)
    return unusable("--tls-client-ca", file);
  auto* names = SSL_load_client_CA_file(file.c_str());
  if (names == nullptr) return unusable("--tls-client-ca", file);
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return Done{};
}

}  // namespace

void Tls::Free::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

Result<std::unique_ptr<Tls>> Tls::open(const TlsFiles& files) {
  if (auto named = check_names(files); !named) return named.error();
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_server_method()));
  if (!context) throw std::bad_alloc();
  auto* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(
      raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);  // thousands of idle workers
  SSL_CTX_set_cipher_list(raw, ciphers_of_tls12);
  SSL_CTX_set_session_id_context(
      raw, reinterpret_cast<const unsigned char*>(session_context.data()),  // NOLINT: OpenSSL's
      static_cast<unsigned int>(session_context.size()));
  if (SSL_CTX_use_certificate_chain_file(raw, files.cert.c_str()) != 1)
    return unusable("--tls-cert", files.cert);
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return unusable("--tls-key", files.key);
  if (SSL_CTX_check_private_key(raw) != 1) return unusable("--tls-key", files.key);
  if (!files.client_ca.empty())
    if (auto asked = ask_clients(raw, files.client_ca); !asked) return asked.error();
  return std::unique_ptr<Tls>(new Tls(std::move(context)));
}

SSL* Tls::session() const {
  SSL* session = SSL_new(context_.get());
  if (session == nullptr) throw std::bad_alloc();
  return session;
}

}  // namespace hone::http
