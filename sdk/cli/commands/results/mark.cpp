// mark: notes, tags, pins and archived sweeps, which users add to objects.
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct NoteOptions {
  std::string id;
  std::vector<std::string> words;
  bool undo = false;
};

std::string notes_text(const Json& about, const Screen& screen) {
  std::vector<RecordLine> lines;
  std::string tags;
  for (const auto& tag : member(about, "/tags"))
    tags += (tags.empty() ? "" : " ") + tag.get<std::string>();
  lines.push_back({"tags", tags.empty() ? "-" : tags});
  for (const auto& note : member(about, "/notes"))
    lines.push_back(
        {text_at(note, "/at").substr(0, 10),
         text_at(note, "/text") +
             (text_at(note, "/author").empty() ? "" : "  (" + text_at(note, "/author") + ")")});
  return record_text(lines, screen);
}

Result<Exit> show_about(Session& session, const ObjectId& id) {
  const auto about = session.get("/v1/about/" + in_path(id));
  if (!about) return about.error();
  return print_object(session, *about, notes_text(*about, session.screen()));
}

Result<Exit> mark(Session& session, const std::string& word) {
  const auto id = parse_object(word);
  return id ? show_about(session, *id) : Result<Exit>(id.error());
}

Result<Exit> note(Session& session, const NoteOptions& options) {
  const auto id = parse_object(options.id);
  if (!id) return id.error();
  if (options.words.empty()) return show_about(session, *id);
  std::string text;
  for (const auto& word : options.words) text += (text.empty() ? "" : " ") + word;
  const auto reply =
      session.post("/v1/notes", encode(NoteRequest{new_request_id(), *id, text, user_at_host()}));
  if (!reply) return reply.error();
  return show_about(session, *id);
}

// "+good" and "good" add, "-bad" removes.
Result<Exit> tag(Session& session, const NoteOptions& options) {
  const auto id = parse_object(options.id);
  if (!id) return id.error();
  if (options.words.empty()) return show_about(session, *id);
  TagRequest request{*id};
  for (const auto& word : options.words) {
    const bool sign = word.starts_with('+') || word.starts_with('-');
    const bool remove = options.undo || word.starts_with('-');
    (remove ? request.remove : request.add).push_back(word.substr(sign ? 1 : 0));
  }
  const auto reply = session.post("/v1/tags", encode(request));
  if (!reply) return reply.error();
  return show_about(session, *id);
}

Result<Exit> archive(Session& session, const NoteOptions& options) {
  const auto id = parse_object(options.id);
  if (!id) return id.error();
  if (!std::holds_alternative<SweepId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; hone mark archive takes the id of a sweep, as sw_7");
  Json body;
  body["archived"] = !options.undo;
  const auto reply = session.post("/v1/sweeps/" + text(*id) + "/archive", body);
  if (!reply) return reply.error();
  session.print(text(*id) + (options.undo ? " is listed again\n" : " archived\n"));
  if (!options.undo)
    session.note("hone ls --all lists it; bring it back with: hone mark archive " + text(*id) +
                 " --undo");
  return Exit::ok;
}

Result<Exit> pin(Session& session, const NoteOptions& options) {
  const auto trial = resolve_trial(options.id);
  if (!trial) return trial.error();
  Json body;
  body["pinned"] = !options.undo;
  const auto reply = session.post("/v1/trials/" + text(*trial) + "/pin", body);
  if (!reply) return reply.error();
  session.print(text(*trial) + (options.undo
                                    ? " is unpinned: its sweep decides which checkpoints to keep\n"
                                    : " is pinned: its checkpoints are kept\n"));
  return Exit::ok;
}

}  // namespace

CommandAction declare_mark(Flags& flags) {
  return with_options(mark, [&](std::string& id) { flags.argument("ID", id, "any id"); });
}

CommandAction declare_note(Flags& flags) {
  return with_options(note, [&](NoteOptions& options) {
    flags.argument("ID", options.id, "any id");
    flags.arguments("TEXT", options.words, "the note to add; without it, list the notes");
  });
}

CommandAction declare_tag(Flags& flags) {
  return with_options(tag, [&](NoteOptions& options) {
    flags.argument("ID", options.id, "any id");
    flags.arguments("TAG", options.words, "the tags to add; without them, list the tags");
    flags.flag("--remove", options.undo, "remove these tags");
  });
}

CommandAction declare_archive(Flags& flags) {
  return with_options(archive, [&](NoteOptions& options) {
    flags.argument("SWEEP", options.id, "id of the sweep");
    flags.flag("--undo", options.undo, "list the sweep again");
  });
}

CommandAction declare_pin(Flags& flags) {
  return with_options(pin, [&](NoteOptions& options) {
    flags.argument("TRIAL", options.id, "id of the trial, or of anything in it");
    flags.flag("--undo", options.undo, "let the sweep decide again which checkpoints to keep");
  });
}

}  // namespace hone::cli
