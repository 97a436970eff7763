// The rules of what users attach to objects: notes, tags, archived sweeps and pinned trials.
#include "base/expect.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

struct Exists {
  const Book& book;
  bool operator()(SweepId id) const { return find_sweep(book, id) != nullptr; }
  bool operator()(TrialId id) const { return find_trial(book, id) != nullptr; }
  bool operator()(RunId id) const { return find_run(book, id) != nullptr; }
  bool operator()(AttemptId id) const {
    const Run* run = find_run(book, id.run);
    return run != nullptr && id.number >= 1 && id.number <= run->attempts;
  }
  bool operator()(ModelId id) const { return has_model(book, id); }
  bool operator()(WorkerId id) const { return book.workers.contains(id); }
  bool operator()(DatasetId id) const {
    return id.value >= 1 && std::cmp_less_equal(id.value, book.datasets.size());
  }
  bool operator()(WorkflowId id) const { return id.value >= 1 && id.value <= book.last_workflow; }
  bool operator()(EvaluationId id) const { return has_evaluation(book, id); }
};

}  // namespace

Status check_exists(const Book& book, const ObjectId& id, const std::string& at) {
  if (std::visit(Exists{book}, id)) return Done{};
  return refuse(Code::not_found, "there is no " + text(id), at);
}

Result<Events> decide_note(const Book& book, const AddNote& command) {
  const NoteRequest& request = command.request;
  if (book.known_requests.contains(request.request_id)) return Events{};
  if (auto there = check_exists(book, request.on, "/on"); !there) return there.error();
  return Events{NoteAdded{request.request_id, request.on, request.text, request.author}};
}

Result<Events> decide_tags(const Book& book, const ChangeTags& command) {
  const TagRequest& request = command.request;
  if (auto there = check_exists(book, request.on, "/on"); !there) return there.error();
  return Events{TagsChanged{request.on, request.add, request.remove}};
}

Result<Events> decide_archive(const Book& book, const Archive& command) {
  if (auto there = check_exists(book, command.sweep); !there) return there.error();
  if (find_sweep(book, command.sweep)->archived == command.request.archived) return Events{};
  return Events{SweepArchived{command.sweep, command.request.archived}};
}

Result<Events> decide_pin(const Book& book, const Pin& command) {
  if (auto there = check_exists(book, command.trial); !there) return there.error();
  if (find_trial(book, command.trial)->pinned == command.request.pinned) return Events{};
  return Events{TrialPinned{command.trial, command.request.pinned}};
}

}  // namespace hone
