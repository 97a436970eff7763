#include "server/engine/batch.hpp"

#include <utility>

namespace hone {
namespace {

struct PerformWrite {
  Ledger& ledger;

  void operator()(const Append& write) const { ledger.append(write.event, write.body); }
  void operator()(const AppendMetrics& write) const {
    ledger.append_metrics(write.run, write.at, write.points);
  }
  void operator()(const AppendSeries& write) const {
    ledger.append_series(write.run, write.series->name, write.points);
  }
  void operator()(const KeepRequest& write) const { ledger.keep_request(write.id, write.digest); }
  void operator()(const Flush&) const { ledger.flush(); }
};

}  // namespace

Result<const Writes*> Batch::write(Writes writes) {
  if (!std::exchange(open_, true)) ledger_.begin();
  std::string why;
  try {
    perform(writes);
    return &written_.emplace_back(std::move(writes));
  } catch (const std::exception& trouble) {
    if (culprit_of(trouble) == Culprit::disk) throw;
    why = trouble.what();
  }
  ledger_.rollback();
  ledger_.begin();
  for (const Writes& before : written_) perform(before);
  return refuse(Code::internal, "the tables do not accept it: " + why);
}

void Batch::perform(const Writes& writes) {
  for (const Write& write : writes) std::visit(PerformWrite{ledger_}, write);
}

void Batch::commit() {
  if (!open_) return;
  ledger_.commit();
  open_ = false;
  written_.clear();
}

void Batch::rollback() {
  ledger_.rollback();
  open_ = false;
  written_.clear();
}

}  // namespace hone
