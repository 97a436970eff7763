#include "server/engine/quarantine.hpp"

#include <algorithm>
#include <stdexcept>

#include "schemas/types/event.hpp"
#include "server/sweep/check.hpp"

namespace hone {
namespace {

// How often a text has the other one.
std::int64_t count_of(std::string_view text, std::string_view part) {
  std::int64_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Ids are minted in order, one for each event of these kinds.
void mint(Book& book, std::string_view kind, std::int64_t count) {
  if (kind == "trial_proposed") book.last_trial += count;
  if (kind == "model_saved") book.last_model += count;
  if (kind == "model_evaluated") book.last_evaluation += count;
  if (kind != "lease_granted") return;
  book.run_of_lease.resize(book.run_of_lease.size() + static_cast<std::size_t>(count));
  book.worker_of_lease.resize(book.run_of_lease.size());
  book.last_lease.value += count;
}

}  // namespace

void evolve_left_out(Book& book, const LedgerRow& row) {
  book.last_at = row.at;
  if (row.sweep) book.last_sweep = std::max(book.last_sweep, row.sweep->value);
  mint(book, row.kind, 1);
  if (row.kind != "sweep_imported") return;
  for (const std::string_view kind :
       {"trial_proposed", "model_saved", "model_evaluated", "lease_granted"})
    mint(book, kind, count_of(row.body, "\"kind\":\"" + std::string(kind) + "\""));
}

void expect_allowed(const Book& book, const EventBody& event) {
  const auto* edited = std::get_if<SweepEdited>(&event);
  if (edited == nullptr || edited->widened.empty()) return;
  if (auto allowed = check_domains(book.sweeps.at(edited->sweep).spec); !allowed)
    throw std::runtime_error(allowed.error().detail + ", since it was edited");
}

}  // namespace hone
