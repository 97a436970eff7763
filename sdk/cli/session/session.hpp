// What a command works with: its common options, the screen, and the server.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/render/screen.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone {
class Client;
}

namespace hone::cli {

enum class Format { table, json, jsonl, csv, value, curves };

struct Options {
  std::string server;         // http://127.0.0.1:7777
  bool server_named = false;  // by --server, not by the environment or by default
  Credentials credentials{};
  Format format = Format::table;
  std::vector<std::string> columns;  // empty: the command's own choice
  bool quiet = false;
  bool no_color = false;
};

// One of the formats of every command, or of `own`: those that one command has for itself (curves,
// dot: Format::curves; tree: its table), with blanks between them.
Result<Format> parse_format(std::string_view word, std::string_view own = {});

class Session {
 public:
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Screen& screen() const { return screen_; }  // of stdout

  // Data, on stdout.
  void print(std::string_view text);
  // A message, on stderr; not with --quiet.
  void note(std::string_view text);

  // One exchange with the server. Refusals and an unreachable server come back as errors.
  Result<Json> get(const std::string& path);
  Result<Json> post(const std::string& path, const Json& body);
  // All items of a list, page after page.
  Result<std::vector<Json>> list(const std::string& path);
  // Everything else the server offers.
  Result<Client*> client();

 private:
  Options options_;
  Screen screen_;
  std::unique_ptr<Client> client_;  // made at the first exchange
};

}  // namespace hone::cli
