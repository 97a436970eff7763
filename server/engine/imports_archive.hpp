// Every member of the ids of unfinished imports, as book_archive.cpp.
#pragma once

#include "schemas/types/imported_ids.hpp"
#include "server/engine/archive.hpp"

namespace hone {

template <class Archive>
void fields(Archive& archive, MaybeConst<TakenIds> auto& taken) {
  auto& [after, count] = taken;
  archive(after, count);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<ImportedIds> auto& ids) {
  auto& [trials, leases, models, evaluations] = ids;
  archive(trials, leases, models, evaluations);
}

}  // namespace hone
