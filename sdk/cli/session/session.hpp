// The environment of a command: the common options, the screen and the server.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/render/terminal.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone {
class Client;
}

namespace hone::cli {

// md and latex are the table that a screen without an edge would show, for a document.
enum class Format { table, json, jsonl, csv, value, md, latex, curves };

struct CommonOptions {
  std::string server;         // http://127.0.0.1:7777
  bool server_named = false;  // set by --server, not by the environment or the default
  Credentials credentials{};
  Format format = Format::table;
  std::vector<std::string> columns;  // empty: those that the command prints by default
  bool quiet = false;
  bool no_color = false;
};

// Reads a format that every command has, or one of `own`, the command's own formats separated by
// blanks (curves and dot are Format::curves, tree is Format::table).
Result<Format> parse_format(std::string_view word, std::string_view own = {});

class Session {
 public:
  // On stdout, stderr and the terminal behind them.
  explicit Session(CommonOptions options);
  Session(CommonOptions options, Screen screen, std::ostream& out, std::ostream& messages);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const CommonOptions& options() const { return options_; }
  [[nodiscard]] const Screen& screen() const { return screen_; }

  // Prints data, on stdout.
  void print(std::string_view text);
  // The same document: control characters in its strings become escapes of JSON.
  void print_json(std::string_view json);
  // Prints unchanged bytes: a file, a raw log.
  void print_bytes(std::string_view bytes);
  // Prints a message, on stderr, unless --quiet is set.
  void note(std::string_view text);

  // From here on, `get` and `list` answer a path by its first reply: what a command prints is read
  // once. Sessions that share replies read them once together.
  struct Replies;
  void remember();
  void share(std::shared_ptr<Replies> replies) { replies_ = std::move(replies); }
  [[nodiscard]] const std::shared_ptr<Replies>& replies() const { return replies_; }

  // One request to the server. Returns the server's error, or `unavailable` without an answer.
  Result<Json> get(const std::string& path);
  Result<Json> post(const std::string& path, const Json& body);
  // Returns the first `most` items of a list, page after page.
  Result<std::vector<Json>> list(const std::string& path,
                                 std::size_t most = std::numeric_limits<std::size_t>::max());
  // For what moves on the screen, and for files.
  [[nodiscard]] Terminal& terminal() { return terminal_; }
  // For every other request.
  Result<Client*> client();

 private:
  CommonOptions options_;
  Screen screen_;
  Terminal terminal_;
  std::unique_ptr<Client> client_;    // made by the first request
  std::shared_ptr<Replies> replies_;  // null: each is asked for again
};

// The path of the page of a list that follows the cursor.
std::string with_cursor(const std::string& path, const std::string& cursor);

}  // namespace hone::cli
