// TLS over a socket pair: a certificate made here, OpenSSL as the client.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>
#include <cstdio>

#include "base/sha256.hpp"
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

// A self-signed certificate for "localhost" and its key, as PEM files.
struct Certificate {
  explicit Certificate(const TemporaryFolder& folder, const std::string& name = "server")
      : cert(folder.file(name + ".pem")), key(folder.file(name + ".key")) {
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -60);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, pair);
    auto* subject = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(x509, subject);
    X509_sign(x509, pair, EVP_sha256());
    write(cert, [&](FILE* file) { return PEM_write_X509(file, x509); });
    write(key, [&](FILE* file) {
      return PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr);
    });
    X509_free(x509);
    EVP_PKEY_free(pair);
  }
  [[nodiscard]] TlsFiles files() const { return {cert, key, {}}; }

  std::string cert, key;

 private:
  template <class Write>
  static void write(const std::string& path, Write write) {
    FILE* file = std::fopen(path.c_str(), "w");
    EXPECT_EQ(write(file), 1);
    std::fclose(file);
  }
};

// The client's end of TLS.
class SecureClient {
 public:
  SecureClient(const Client& client, const Certificate* own = nullptr)
      : context_(SSL_CTX_new(TLS_client_method())) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
    if (own != nullptr) {
      EXPECT_EQ(SSL_CTX_use_certificate_file(context_, own->cert.c_str(), SSL_FILETYPE_PEM), 1);
      EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_, own->key.c_str(), SSL_FILETYPE_PEM), 1);
    }
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, client.fd());
    connected = SSL_connect(ssl_) == 1;
  }
  ~SecureClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  SecureClient(const SecureClient&) = delete;
  SecureClient& operator=(const SecureClient&) = delete;

  void send(const std::string& text) {
    sent = SSL_write(ssl_, text.data(), static_cast<int>(text.size()));
  }
  std::string receive_until(const std::string& end) {
    std::string text;
    while (text.find(end) == std::string::npos) {
      std::array<char, 16'384> piece;
      const int got = SSL_read(ssl_, piece.data(), static_cast<int>(piece.size()));
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  // The server has said that nothing was cut off.
  [[nodiscard]] bool was_shut_down() const {
    return (SSL_get_shutdown(ssl_) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  [[nodiscard]] const char* version() const { return SSL_get_version(ssl_); }

  bool connected = false;
  int sent = 0;  // by the last send; the server may have closed meanwhile

 private:
  SSL_CTX* context_;
  SSL* ssl_;
};

struct TlsTest : testing::Test {
  TemporaryFolder folder;
  Certificate certificate{folder};
};

TEST_F(TlsTest, carries_requests_and_ends_with_a_shutdown) {
  TestServer server({}, certificate.files());
  auto client = server.connect();
  SecureClient secure(client);
  ASSERT_TRUE(secure.connected);
  EXPECT_STREQ(secure.version(), "TLSv1.3");
  for (int i = 0; i < 3; ++i) {
    secure.send(request("GET /healthz"));
    EXPECT_TRUE(secure.receive_until("}").starts_with("HTTP/1.1 200 OK\r\n"));
  }
  secure.send(request("GET /healthz", {}, "Connection: close\r\n"));
  secure.receive_until("never");
  EXPECT_TRUE(secure.was_shut_down());
}

TEST_F(TlsTest, carries_bodies_larger_than_a_record) {
  TestServer server({}, certificate.files());
  auto client = server.connect();
  SecureClient secure(client);
  const std::string bytes(300'000, 'x');
  const auto digest = sha256_hex(bytes);
  secure.send(request("PUT /v1/blobs/" + digest, bytes));
  EXPECT_TRUE(secure.receive_until("\r\n\r\n").starts_with("HTTP/1.1 201 Created\r\n"));
  secure.send(request("GET /v1/blobs/" + digest, {}, "Connection: close\r\n"));
  const auto answer = secure.receive_until("never");
  EXPECT_TRUE(answer.ends_with(bytes));
  EXPECT_TRUE(secure.was_shut_down());
}

TEST_F(TlsTest, refuses_plain_http_in_plain_text) {
  TestServer server({}, certificate.files());
  auto client = server.connect();
  client.send(request("GET /healthz"));
  const auto refused = client.receive();
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.body,
            R"({"code":"invalid","detail":"this server speaks https; write https://",)"
            R"("at":"","retryable":false})");
  EXPECT_EQ(refused.field("Content-Length"), std::to_string(refused.body.size()));
  EXPECT_EQ(refused.field("Connection"), "close");
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(TlsTest, closes_on_bytes_that_are_neither) {
  TestServer server({}, certificate.files());
  auto client = server.connect();
  client.send(std::string(100, '\x7f'));
  client.receive_all();  // perhaps an alert
  EXPECT_EQ(server.connections(), 0U);
}

TEST_F(TlsTest, bounds_the_time_of_a_handshake) {
  TestServer server({.request_time = milliseconds(60)}, certificate.files());
  auto client = server.connect();
  client.send("\x16\x03\x01");  // the beginning of a record
  EXPECT_TRUE(client.is_closed());
}

// The server once waited for the end of a header, and the client for its whole time limit.
TEST_F(TlsTest, is_refused_by_a_plain_port_at_its_first_record) {
  TestServer server({.request_time = milliseconds(2 * patience_ms)});
  auto client = server.connect();
  EXPECT_FALSE(SecureClient(client).connected) << "its first record is no request";
  EXPECT_NE(client.receive_all().find("write http://"), std::string::npos);
}

TEST_F(TlsTest, asks_clients_for_a_certificate_where_a_root_is_given) {
  const Certificate own(folder, "client");
  const Certificate stranger(folder, "stranger");
  auto files = certificate.files();
  files.client_ca = own.cert;
  TestServer server({}, files);
  const auto answer_to = [&](const Certificate* shown) {
    auto client = server.connect();
    SecureClient secure(client, shown);
    if (!secure.connected) return std::string();
    secure.send(request("GET /healthz", {}, "Connection: close\r\n"));
    return secure.receive_until("never");
  };
  EXPECT_TRUE(answer_to(&own).starts_with("HTTP/1.1 200"));
  EXPECT_EQ(answer_to(&stranger), "");
  EXPECT_EQ(answer_to(nullptr), "");
}

TEST_F(TlsTest, accepts_a_foreign_page_of_https_only_from_itself) {
  TestServer server({}, certificate.files());
  auto client = server.connect();
  SecureClient secure(client);
  secure.send(request("GET /healthz", {}, "Origin: https://localhost\r\n"));
  EXPECT_TRUE(secure.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  secure.send(request("GET /healthz", {}, "Origin: http://localhost\r\n"));
  EXPECT_TRUE(secure.receive_until("\r\n\r\n").find("HTTP/1.1 403") != std::string::npos);
}

// Each unfinished handshake holds 90 KB: 16,384 of them were allowed, before any token.
TEST_F(TlsTest, bounds_handshakes_and_serves_others_while_one_address_holds_them_all) {
  TestServer server({}, certificate.files());
  std::vector<Client> silent;
  for (std::size_t i = 0; i < limits::handshakes_max + 50; ++i)
    silent.push_back(server.connect("192.0.2.1"));
  const auto in_progress = [&] {
    return server.on_io_thread([&] { return server.shared().handshakes.in_progress(); });
  };
  EXPECT_EQ(in_progress(), limits::handshakes_max);
  EXPECT_EQ(server.on_io_thread([&] { return server.shared().handshakes.waiting(); }), 50U);
  auto client = server.connect("192.0.2.2");
  SecureClient secure(client);
  ASSERT_TRUE(secure.connected)
      << "the slow ones give way, and it is before those of their address";
  secure.send(request("GET /healthz"));
  EXPECT_TRUE(secure.receive_until("}").starts_with("HTTP/1.1 200"));
  EXPECT_LE(in_progress(), limits::handshakes_max);
  for (auto& one : silent) one.close();
  while (in_progress() > 0) {
  }
}

TEST_F(TlsTest, refuses_files_that_do_not_belong_together) {
  const Certificate other(folder, "other");
  const auto refused = [](const TlsFiles& files) {
    const auto tls = Tls::open(files);
    return tls ? std::string() : tls.error().detail;
  };
  EXPECT_EQ(refused(certificate.files()), "");
  EXPECT_NE(refused({certificate.cert, {}, {}}).find("--tls-key"), std::string::npos);
  EXPECT_NE(refused({certificate.cert, other.key, {}}).find("--tls-key"), std::string::npos);
  EXPECT_NE(refused({folder.file("none"), other.key, {}}).find("--tls-cert"), std::string::npos);
  EXPECT_NE(
      refused({certificate.cert, certificate.key, folder.file("none")}).find("--tls-client-ca"),
      std::string::npos);
}

}  // namespace
}  // namespace hone::http
