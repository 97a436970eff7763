// fetch: a checkpoint's bytes, checked against their digest.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/output.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/targets.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string model;
  std::string file;
  bool force = false;
};

// To stdout by way of a file: half a checkpoint must not leave through a pipe.
Result<Exit> fetch_to_stdout(Client& client, const std::string& sha256) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("hone-fetch-" + std::to_string(getpid()) + "-" + sha256.substr(0, 12));
  const auto status = client.get_blob(sha256, file.string());
  if (!status) return status.error();
  std::cout << std::ifstream(file, std::ios::binary).rdbuf() << std::flush;
  std::filesystem::remove(file);
  return Exit::ok;
}

Result<Exit> fetch_to_file(Session& session, Client& client, const Json& model,
                           const std::string& file, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::exists(file, ignored))
    return refuse(Code::conflict, file + " exists; add --force to replace it, or -o another name");
  const auto status = client.get_blob(text_at(model, "/sha256"), file);
  if (!status) return status.error();
  session.print(file + "\n");
  session.note(bytes_text(int_at(model, "/bytes")) + ", sha256 checked; of " +
               text_at(model, "/run") + " at step " + count_text(int_at(model, "/step")));
  return Exit::ok;
}

Error dropped(const Json& model) {
  return refuse(Code::not_found,
                text_at(model, "/id") + " was dropped when " + text_at(model, "/run") +
                    " ended, as its sweep keeps only the best checkpoints (checkpoints: {keep: "
                    "all} keeps every one); see what is left with: hone models " +
                    text_at(model, "/run"));
}

Result<Exit> fetch(Session& session, const Wish& wish) {
  const auto id = object_of(wish.model);
  if (!id) return id.error();
  if (!std::holds_alternative<ModelId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; list its models with: hone models " + text(*id));
  const auto model = session.get("/v1/models/" + text(*id));
  if (!model) return model.error();
  if (!text_at(*model, "/dropped_at").empty()) return dropped(*model);
  auto client = session.client();
  if (!client) return client.error();
  if (wish.file == "-") return fetch_to_stdout(**client, text_at(*model, "/sha256"));
  const std::string file = wish.file.empty() ? text(*id) + ".pt" : wish.file;
  return fetch_to_file(session, **client, *model, file, wish.force);
}

}  // namespace

Work declare_fetch(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("MODEL", wish->model, "the model, as md_9");
  flags.text("-o,--output FILE", wish->file, "the file to write; - for stdout; default: MODEL.pt");
  flags.flag("--force", wish->force, "replace the file if it exists");
  return [wish](Session& session) { return fetch(session, *wish); };
}

}  // namespace hone::cli
