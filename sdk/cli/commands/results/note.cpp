// note, tag, archive, pin: what users say of things.
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string id;
  std::vector<std::string> words;
  bool undo = false;
};

std::string all_about(const Json& about, const Screen& screen) {
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
  return print_object(session, *about, all_about(*about, session.screen()));
}

Result<Exit> note(Session& session, const Wish& wish) {
  const auto id = object_of(wish.id);
  if (!id) return id.error();
  if (wish.words.empty()) return show_about(session, *id);
  std::string text;
  for (const auto& word : wish.words) text += (text.empty() ? "" : " ") + word;
  const auto reply =
      session.post("/v1/notes", encode(NoteRequest{new_request_id(), *id, text, user_at_host()}));
  if (!reply) return reply.error();
  return show_about(session, *id);
}

// "+good" and "good" add, "-bad" removes.
Result<Exit> tag(Session& session, const Wish& wish) {
  const auto id = object_of(wish.id);
  if (!id) return id.error();
  if (wish.words.empty()) return show_about(session, *id);
  TagRequest request{*id};
  for (const auto& word : wish.words) {
    const bool sign = word.starts_with('+') || word.starts_with('-');
    const bool remove = wish.undo || word.starts_with('-');
    (remove ? request.remove : request.add).push_back(word.substr(sign ? 1 : 0));
  }
  const auto reply = session.post("/v1/tags", encode(request));
  if (!reply) return reply.error();
  return show_about(session, *id);
}

Result<Exit> archive(Session& session, const Wish& wish) {
  const auto id = object_of(wish.id);
  if (!id) return id.error();
  if (!std::holds_alternative<SweepId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; only sweeps are archived, by their id, as sw_7");
  Json body;
  body["archived"] = !wish.undo;
  const auto reply = session.post("/v1/sweeps/" + text(*id) + "/archive", body);
  if (!reply) return reply.error();
  session.print(text(*id) + (wish.undo ? " is listed again\n" : " archived\n"));
  if (!wish.undo)
    session.note("hone ls --all lists it; bring it back with: hone archive " + text(*id) +
                 " --undo");
  return Exit::ok;
}

Result<Exit> pin(Session& session, const Wish& wish) {
  const auto trial = trial_of(wish.id);
  if (!trial) return trial.error();
  Json body;
  body["pinned"] = !wish.undo;
  const auto reply = session.post("/v1/trials/" + text(*trial) + "/pin", body);
  if (!reply) return reply.error();
  session.print(text(*trial) + (wish.undo ? " follows the rule of its sweep again\n"
                                          : " keeps the checkpoints it has\n"));
  return Exit::ok;
}

}  // namespace

Work declare_note(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("ID", wish->id, "any id");
  flags.arguments("TEXT", wish->words, "the note; without it, those there are");
  return [wish](Session& session) { return note(session, *wish); };
}

Work declare_tag(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("ID", wish->id, "any id");
  flags.arguments("TAG", wish->words, "tags to add; without any, those there are");
  flags.flag("--remove", wish->undo, "take these away");
  return [wish](Session& session) { return tag(session, *wish); };
}

Work declare_archive(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("SWEEP", wish->id, "the sweep's id");
  flags.flag("--undo", wish->undo, "list it again");
  return [wish](Session& session) { return archive(session, *wish); };
}

Work declare_pin(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("TRIAL", wish->id, "the trial (or anything of it)");
  flags.flag("--undo", wish->undo, "let the rule of its sweep decide again");
  return [wish](Session& session) { return pin(session, *wish); };
}

}  // namespace hone::cli
