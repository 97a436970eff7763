#include "server/sweep/speaker.hpp"

#include "server/sweep/rules.hpp"

namespace hone {
namespace {

const WorkerState* find_worker(const Book& book, WorkerId id) {
  const auto found = book.workers.find(id);
  return found == book.workers.end() ? nullptr : &found->second;
}

const WorkerState* worker_of(const Book& book, LeaseId lease) {
  const auto index = static_cast<std::size_t>(lease.value - 1);
  if (lease.value < 1 || index >= book.worker_of_lease.size()) return nullptr;
  return find_worker(book, book.worker_of_lease[index]);
}

const WorkerState* worker_of(const Book& book, const std::string& request_id) {
  const auto found = book.workers_by_request.find(request_id);
  return found == book.workers_by_request.end() ? nullptr : find_worker(book, found->second);
}

// What does not exist is refused by the rule of the command, in its own words.
struct OwnerRule {
  const Book& book;
  const Speaker& speaker;

  [[nodiscard]] bool is_foreign(const WorkerState* worker) const {
    return worker != nullptr && worker->token && worker->token != speaker.token;
  }
  [[nodiscard]] Status worker(const WorkerState* worker) const {
    if (!is_foreign(worker)) return Done{};
    return refuse(Code::forbidden, text(worker->id) +
                                       " was joined with another token; only that one may speak "
                                       "for it");
  }
  [[nodiscard]] Status lease(LeaseId id) const {
    if (!is_foreign(worker_of(book, id))) return Done{};
    return refuse(Code::forbidden, "lease " + text(id) +
                                       " was taken with another token; only that one may speak "
                                       "for its run");
  }

  Status operator()(const Join& c) const { return worker(worker_of(book, c.request.request_id)); }
  Status operator()(const Acquire& c) const { return worker(find_worker(book, c.request.worker)); }
  Status operator()(const Beat& c) const { return worker(find_worker(book, c.worker)); }
  Status operator()(const Report& c) const { return lease(c.lease); }
  Status operator()(const SaveModel& c) const { return lease(c.lease); }
  Status operator()(const LogMetrics& c) const { return lease(c.lease); }
  Status operator()(const End& c) const { return lease(c.lease); }
  Status operator()(const Ask& c) const {
    if (!is_foreign(worker_of(book, asker_request(c.request.asker)))) return Done{};
    return refuse(Code::forbidden,
                  "'" + c.request.asker + "' asks with another token; ask under another name",
                  "/asker");
  }
  Status operator()(const Tell& c) const {
    const Trial* trial = find_trial(book, c.trial);
    if (trial == nullptr) return Done{};
    for (const Run& run : trial->runs)
      if (is_foreign(worker_of(book, run.last_lease)))
        return refuse(Code::forbidden,
                      text(c.trial) +
                          " was handed out to another token; only that one may tell "
                          "its result");
    return Done{};
  }
  Status operator()(const Start&) const { return Done{}; }
  Status operator()(const Submit&) const { return Done{}; }
  Status operator()(const Steer&) const { return Done{}; }
  Status operator()(const Enqueue&) const { return Done{}; }
  Status operator()(const Tick&) const { return Done{}; }
  Status operator()(const Allow&) const { return Done{}; }
  Status operator()(const CreateToken&) const { return Done{}; }
  Status operator()(const RevokeToken&) const { return Done{}; }
  Status operator()(const Confirm&) const { return Done{}; }
  Status operator()(const SaveArtifact& c) const { return lease(c.lease); }
  Status operator()(const AddNote&) const { return Done{}; }
  Status operator()(const ChangeTags&) const { return Done{}; }
  Status operator()(const Archive&) const { return Done{}; }
  Status operator()(const Pin&) const { return Done{}; }
  Status operator()(const Edit&) const { return Done{}; }
  Status operator()(const Import&) const { return Done{}; }
};

}  // namespace

Status may_speak(const Book& book, const Speaker& speaker, const Command& command) {
  if (speaker.for_all) return Done{};
  return std::visit(OwnerRule{book, speaker}, command);
}

}  // namespace hone
