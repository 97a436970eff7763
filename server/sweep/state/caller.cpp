#include "server/sweep/state/caller.hpp"

#include <concepts>

#include "schemas/types/submit.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

struct NewWorker {
  std::string request_id;
};
struct Asker {
  std::string name;
};

// What a command acts for; std::monostate: for nothing that belongs to a token.
using Owner = std::variant<std::monostate, NewWorker, WorkerId, LeaseId, Asker, TrialId>;

struct OwnerOf {
  Owner operator()(const Join& c) const { return NewWorker{c.request.request_id}; }
  Owner operator()(const Acquire& c) const { return c.request.worker; }
  Owner operator()(const Beat& c) const { return c.worker; }
  Owner operator()(const Ask& c) const { return Asker{c.request.asker}; }
  Owner operator()(const Tell& c) const { return c.trial; }
  template <class T>
  Owner operator()(const T& command) const {
    if constexpr (requires {
                    { command.lease } -> std::same_as<const LeaseId&>;
                  }) {
      return command.lease;
    } else {
      static_assert(is_any_of<typename T::Sender, ByUser, ByServer>);
      return {};
    }
  }
};

const WorkerState* find_worker(const Book& book, WorkerId id) {
  const auto found = book.workers.find(id);
  return found == book.workers.end() ? nullptr : &found->second;
}

const WorkerState* worker_of(const Book& book, LeaseId lease) {
  const auto index = lease_index(book, lease);
  return index ? find_worker(book, book.worker_of_lease[*index]) : nullptr;
}

const WorkerState* worker_of(const Book& book, const std::string& request_id) {
  const auto found = book.workers_by_request.find(request_id);
  return found == book.workers_by_request.end() ? nullptr : find_worker(book, found->second);
}

// Accepts owners that do not exist: the rule of the command refuses them with its own error.
struct CheckOwner {
  const Book& book;
  const Caller& caller;

  [[nodiscard]] bool is_foreign(const WorkerState* worker) const {
    return worker != nullptr && worker->token && worker->token != caller.token;
  }
  [[nodiscard]] Status check_worker(const WorkerState* worker) const {
    if (!is_foreign(worker)) return Done{};
    return refuse(
        Code::forbidden,
        text(worker->id) + " was joined with another token; only that token may act for it");
  }

  Status operator()(std::monostate) const { return Done{}; }
  Status operator()(const NewWorker& joined) const {
    return check_worker(worker_of(book, joined.request_id));
  }
  Status operator()(WorkerId id) const { return check_worker(find_worker(book, id)); }
  Status operator()(LeaseId id) const {
    if (!is_foreign(worker_of(book, id))) return Done{};
    return refuse(Code::forbidden, "lease " + text(id) +
                                       " was taken with another token; only that token may act for "
                                       "its run");
  }
  Status operator()(const Asker& asker) const {
    if (!is_foreign(worker_of(book, asker_request(asker.name)))) return Done{};
    return refuse(Code::forbidden,
                  "'" + asker.name + "' asks with another token; ask under another name", "/asker");
  }
  Status operator()(TrialId id) const {
    const Trial* trial = find_trial(book, id);
    if (trial == nullptr) return Done{};
    for (const Run& run : trial->runs)
      if (is_foreign(worker_of(book, run.last_lease)))
        return refuse(
            Code::forbidden,
            text(id) + " was leased with another token; only that token may tell its result");
    return Done{};
  }
};

}  // namespace

const std::string* request_id_of(const Command& command) {
  const auto id = []<class T>(const T& c) -> const std::string* {
    if constexpr (is_any_of<T, Join, Acquire>)
      return nullptr;
    else if constexpr (is_any_of<T, Submit, Import>)
      return &c.request->request_id;
    else if constexpr (requires { c.request.request_id; })
      return &c.request.request_id;
    else
      return nullptr;
  };
  return std::visit(id, command);
}

Status check_caller(const Book& book, const Caller& caller, const Command& command) {
  if (caller.for_all) return Done{};
  return std::visit(CheckOwner{book, caller}, std::visit(OwnerOf{}, command));
}

}  // namespace hone
