#include "sdk/cli/commands/steer/snapshot_upload.hpp"

#include <filesystem>
#include <map>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "sdk/cli/local/sweep_commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/code_snapshot.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t named_max = 5;

void note_packed(Session& session, const std::string& folder, const PackedSnapshot& packed) {
  session.note("its code is a snapshot of " + counted(packed.files, "file") + " of " + folder +
               ", " + bytes_text(static_cast<std::int64_t>(packed.bytes.size())) +
               (packed.patch.empty() ? "" : ", with uncommitted changes"));
  if (packed.left_out.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(named_max, packed.left_out.size()); ++i)
    names += (names.empty() ? "" : ", ") + printable(packed.left_out[i]);
  if (packed.left_out.size() > named_max) names += ", ...";
  session.note("remark: left out of the snapshot: " + names);
}

Result<Json> upload(Session& session, Client& client, const std::string& folder) {
  const auto packed = pack_snapshot(folder);
  if (!packed) return packed.error();
  for (const std::string* text : {&packed->bytes, &packed->patch})
    if (!text->empty())
      if (auto stored = client.put_text(*text); !stored)
        return refuse(stored.error().code, "cannot upload the snapshot: " + stored.error().detail);
  note_packed(session, folder, *packed);
  return Json{{"sha256", sha256_hex(packed->bytes)}, {"bytes", packed->bytes.size()}};
}

}  // namespace

Status upload_snapshots(Session& session, Client& client, Json& document) {
  std::map<std::string, Json> taken;
  Status done = Done{};
  each_command(document, [&](Json& command) {
    if (!done || member(command, "/code") != "snapshot") return;
    std::error_code none;
    std::string folder = text_at(command, "/cwd");
    if (folder.empty()) folder = std::filesystem::current_path(none).string();
    if (!taken.contains(folder)) {
      auto code = upload(session, client, folder);
      if (!code) return done = code.error(), void();
      taken[folder] = *std::move(code);
    }
    command.erase("cwd");
    command["code"] = taken[folder];
  });
  return done;
}

}  // namespace hone::cli
