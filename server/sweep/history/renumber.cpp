#include "server/sweep/history/renumber.hpp"

#include "schemas/types/event_ids.hpp"

namespace hone {
namespace {

class Renumber {
 public:
  explicit Renumber(Renumbering& ids) : ids_(ids) {}
  [[nodiscard]] bool complete() const { return complete_; }

  void operator()(SweepId& id) { id = ids_.sweep; }
  void operator()(TrialId& id) { map(id, ids_.trial); }
  void operator()(RunId& id) { (*this)(id.trial); }
  void operator()(AttemptId& id) { (*this)(id.run); }
  void operator()(LeaseId& id) { map(id, ids_.lease); }
  void operator()(ModelId& id) { map(id, ids_.model); }
  void operator()(WorkerId& id) { map(id, ids_.worker); }
  void operator()(EvaluationId& id) { map(id, ids_.evaluation); }
  void operator()(DatasetId& id) { id = ids_.dataset.value_or(id); }
  void operator()(std::optional<DatasetId>& id) { id = ids_.dataset; }
  void operator()(WorkflowId& id) {
    const auto executed = ids_.executed.find(id);
    id = executed == ids_.executed.end() ? ids_.workflow : executed->second;
  }
  void operator()(ObjectId& id) { std::visit(*this, id); }
  template <class Id>
  void operator()(std::optional<Id>& id) {
    if (id) (*this)(*id);
  }

  void makes(SweepId& id) { id = ids_.sweep; }
  void makes(TrialId& id) { id = ids_.trial[id] = TrialId{++ids_.trials}; }
  void makes(LeaseId& id) { id = ids_.lease[id] = LeaseId{++ids_.leases}; }
  void makes(ModelId& id) { id = ids_.model[id] = ModelId{++ids_.models}; }
  void makes(EvaluationId& id) { id = ids_.evaluation[id] = EvaluationId{++ids_.evaluations}; }

  // Clears the origin if it is a trial of another sweep.
  void from(std::optional<TrialId>& id) {
    if (!id) return;
    const auto found = ids_.trial.find(*id);
    id = found == ids_.trial.end() ? std::nullopt : std::optional(found->second);
  }
  void reads(const SweepId&) {}
  void submitted(WorkflowId& id) { id = ids_.workflow; }
  void executed(WorkflowId& id) { map(id, ids_.executed); }
  void drops(std::optional<Turn>& turn) { turn.reset(); }
  void of_server() { complete_ = false; }

 private:
  template <class Id>
  void map(Id& id, const std::map<Id, Id>& ids) {
    const auto found = ids.find(id);
    if (found == ids.end())
      complete_ = false;
    else
      id = found->second;
  }

  Renumbering& ids_;
  bool complete_ = true;
};

}  // namespace

bool renumber(EventBody& body, Renumbering& ids) {
  Renumber visitor(ids);
  named::visit_ids(visitor, body);
  return visitor.complete();
}

}  // namespace hone
