// RFC 9110 and 9112, row by row: what is refused and closes the connection, and what is served.
#include "server/http/header_rules.hpp"
#include "tests/unit/http/given.hpp"

namespace hone::http {
namespace {

struct Row {
  const char* name;
  std::string text;
};

std::string get(const std::string& fields, const std::string& version = "1.1") {
  return "GET /v1/sweeps HTTP/" + version + "\r\nHost: localhost\r\n" + fields + "\r\n";
}

std::string post(const std::string& fields, const std::string& body,
                 const std::string& version = "1.1") {
  return "POST /v1/sweeps/sw_9/steer HTTP/" + version + "\r\nHost: localhost\r\n" + fields +
         "\r\n" + body;
}

const std::string smuggled = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::vector<Row> framing_rows() {
  const std::string length = "Content-Length: 5\r\n";
  const std::string chunks = "0\r\n\r\n";
  std::vector<Row> rows{
      {"chunks and a length", post("Transfer-Encoding: chunked\r\n" + length, chunks)},
      {"a length and chunks", post(length + "Transfer-Encoding: chunked\r\n", chunks)},
      {"chunks of HTTP/1.0", post("Transfer-Encoding: chunked\r\n", chunks, "1.0")},
      {"two encodings",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks)},
      {"two equal lengths", post(length + length, "hello")},
      {"two lengths", post(length + "Content-Length: 6\r\n", "hello!")},
  };
  for (const char* encoding :
       {"gzip", "identity", "xchunked", "chunked, identity", "gzip, chunked", "chunked, chunked",
        "chunked;q=1", "\"chunked\"", "chunked,", "", "chun ked"})
    rows.push_back(
        {encoding, post("Transfer-Encoding: " + std::string(encoding) + "\r\n", chunks)});
  for (const char* bad : {"+5", "-5", "0x5", "5, 5", "5 5", "", "five", "5.0", "1e1",
                          "18446744073709551616", "99999999999999999999999999"})
    rows.push_back({bad, post("Content-Length: " + std::string(bad) + "\r\n", "hello")});
  for (const char* chunk :
       {"zz\r\n", "-1\r\n", "0x5\r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n", "5\nhello\n0\n\n",
        "5\r\nhelloX\r\n0\r\n\r\n", "fffffffffffffffff\r\nhello\r\n", "\r\n5\r\nhello\r\n",
        "2;a=\"\n\"\r\n{}\r\n0\r\n\r\n", "2;a=\"b\nc\"\r\n{}\r\n0\r\n\r\n",
        "2;a=\"\\\n\"\r\n{}\r\n0\r\n\r\n", "2;a=\n\r\n{}\r\n0\r\n\r\n", "2\n;a\r\n{}\r\n0\r\n\r\n",
        "2;\n\r\n{}\r\n0\r\n\r\n", "2;a=\"\x01\"\r\n{}\r\n0\r\n\r\n",
        "2;a=\"\x7f\"\r\n{}\r\n0\r\n\r\n", "2;a=\"\r\"\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n0;a=\"\n\"\r\n\r\n", "2\r\n{}\r\n0\r\nX: a\nHost: b\r\n\r\n"})
    rows.push_back({chunk, post("Transfer-Encoding: chunked\r\n", chunk)});
  return rows;
}

std::vector<Row> field_rows() {
  const std::string line = "GET /v1/sweeps HTTP/1.1\r\n";
  return {
      {"a folded value", get("X: a\r\n b\r\n")},
      {"a value folded by a tab", get("X: a\r\n\tb\r\n")},
      {"a folded Host", line + "Host: local\r\n host\r\n\r\n"},
      {"a folded first line", line + " X: a\r\nHost: localhost\r\n\r\n"},
      {"two Origins", get("Origin: http://localhost\r\nOrigin: https://evil.example\r\n")},
      {"two equal Origins", get("Origin: http://localhost\r\norigin: http://localhost\r\n")},
      {"two tokens", get("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n")},
      {"two request ids", get("X-Request-Id: a\r\nX-Request-Id: b\r\n")},
      {"two expectations", get("Expect: 100-continue\r\nExpect: 100-continue\r\n")},
      {"no Host", line + "\r\n"},
      {"two Hosts", line + "Host: localhost\r\nHost: localhost\r\n\r\n"},
      {"two Hosts of HTTP/1.0",
       "GET /v1/sweeps HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n"},
      {"two names in a Host", line + "Host: localhost, evil.example\r\n\r\n"},
      {"a Host with a user", line + "Host: me@localhost\r\n\r\n"},
      {"a Host with a path", line + "Host: localhost/x\r\n\r\n"},
      {"a blank before the colon", get("X : a\r\n")},
      {"a field without a name", get(": a\r\n")},
      {"a field without a colon", get("nonsense\r\n")},
      {"a name in brackets", get("[X]: a\r\n")},
      {"a name beyond ASCII", get("H\xc3\xb6st: a\r\n")},
      {"a NUL in a name", get(std::string("X\0Y: a\r\n", 8))},
      {"a NUL in a value", get(std::string("X: a\0b\r\n", 8))},
      {"a bell in a value", get("X: a\x07\r\n")},
      {"a DEL in a value", get("X: a\x7f\r\n")},
      {"a bare CR in a value", get("X: a\rY: b\r\n")},
      {"a bare LF in a value", get("X: a\nTransfer-Encoding: chunked\r\n")},
  };
}

std::vector<Row> line_rows() {
  const std::string host = "Host: localhost\r\n\r\n";
  return {
      {"HTTP/1.2", "GET /v1/sweeps HTTP/1.2\r\n" + host},
      {"HTTP/2.0", "GET /v1/sweeps HTTP/2.0\r\n" + host},
      {"http in lower case", "GET /v1/sweeps http/1.1\r\n" + host},
      {"no version", "GET /v1/sweeps\r\n" + host},
      {"two blanks", "GET  /v1/sweeps HTTP/1.1\r\n" + host},
      {"a blank at the end", "GET /v1/sweeps HTTP/1.1 \r\n" + host},
      {"a blank in the path", "GET /v1/ sweeps HTTP/1.1\r\n" + host},
      {"a tab", "GET\t/v1/sweeps HTTP/1.1\r\n" + host},
      {"a blank first", " GET /v1/sweeps HTTP/1.1\r\n" + host},
      {"a method in brackets", "(GET) /v1/sweeps HTTP/1.1\r\n" + host},
      {"a control character in the path", "GET /v1/\x01sweeps HTTP/1.1\r\n" + host},
  };
}

// A refusal ends the connection: what follows may be part of the body that could not be delimited.
TEST(Conformance, refuses_and_closes) {
  TestServer server;
  for (const auto& rows : {framing_rows(), field_rows(), line_rows()})
    for (const auto& [name, text] : rows) {
      auto client = server.connect();
      client.send(text + smuggled);
      client.finish_sending();
      const auto refused = client.receive();
      EXPECT_EQ(refused.status, 400) << name << "\n" << text;
      EXPECT_EQ(refused.field("Connection"), "close") << name;
      EXPECT_EQ(client.receive_all(), "") << name << ": the rest was taken for a request";
    }
}

TEST(Conformance, serves_what_the_rfc_allows) {
  TestServer server;
  const std::vector<Row> rows{
      {"chunks in capitals", post("transfer-encoding:  CHUNKED \t\r\n", "0\r\n\r\n")},
      {"a chunk extension in quotes",
       post("Transfer-Encoding: chunked\r\n", "2;a=\"b;\tc\"\r\n{}\r\n0\r\n\r\n")},
      {"a chunk extension", post("Transfer-Encoding: chunked\r\n", "2;a=b\r\n{}\r\n0\r\n\r\n")},
      {"a trailer", post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n")},
      {"zeros before a length", post("Content-Length: 0002\r\n", "{}")},
      {"no blank after a colon", get("X:a\r\n")},
      {"an empty value", get("X:\r\n")},
      {"a value beyond ASCII", get("X: \xc3\xb6\r\n")},
      {"a field twice that may come twice", get("Accept: a\r\nAccept: b\r\n")},
      {"an IPv6 host", "GET /v1/sweeps HTTP/1.1\r\nHost: [::1]:7777\r\n\r\n"},
      {"HTTP/1.0 without a Host", "GET /v1/sweeps HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"},
  };
  for (const auto& [name, text] : rows) {
    auto client = server.connect();
    client.send(text);
    const auto first = client.receive();
    EXPECT_TRUE(first.status == 200 || first.status == 400 || first.status == 404) << name;
    EXPECT_EQ(first.field("Connection") == "close", false) << name << " " << first.body;
    client.send(smuggled);
    EXPECT_TRUE(client.receive().json().contains("api")) << name << ": the next request is next";
  }
}

// A proxy's target names the host; the field Host is then ignored (RFC 9112, 3.2.2).
TEST(Conformance, checks_the_host_of_an_absolute_target) {
  TestServer server;
  EXPECT_EQ(server.ask(request("GET http://rebound.example/v1/sweeps")).status, 403);
  EXPECT_EQ(server.ask(request("GET http://127.0.0.1:7777/v1/sweeps")).status, 200);
  EXPECT_EQ(authority_of("http://a.b:1/c?d"), "a.b:1");
  EXPECT_EQ(authority_of("http://a.b?d"), "a.b");
  EXPECT_EQ(authority_of("/http://a.b"), "");
}

TEST(Conformance, refuses_what_no_request_begins_with_at_once) {
  TestServer server({.request_time = milliseconds(2 * patience_ms)});
  const std::vector<std::string> beginnings{
      {"\x16\x03\x01\x02", 4}, std::string(1, '\0'), "GE\r", "\"GET\" /"};
  for (const auto& bytes : beginnings) {
    auto client = server.connect();
    client.send(bytes);
    EXPECT_EQ(client.receive().status, 400) << bytes;
  }
  EXPECT_TRUE(check_method_so_far(""));
  EXPECT_TRUE(check_method_so_far("GET /\x16"));
}

TEST(Conformance, finds_the_end_of_a_header_wherever_it_is_cut) {
  const auto text = get("X: a\r\n");
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes)
    EXPECT_EQ(header_end(text.substr(0, bytes)), std::string::npos) << bytes;
  EXPECT_EQ(header_end(text + smuggled), text.size());
}

}  // namespace
}  // namespace hone::http
