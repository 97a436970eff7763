#include "worker/train/table.hpp"

#include <array>

#include "schemas/trainers/trainers.hpp"

namespace hone::trainers {

#define HONE_DECLARE(name) TrainerRow name##_row();
HONE_TRAINERS(HONE_DECLARE)
#undef HONE_DECLARE

namespace {

TrainerRow named_row(std::string_view name, TrainerRow row) {
  row.name = name;
  return row;
}

}  // namespace

std::span<const TrainerRow> trainer_table() {
#define HONE_ROW(name) named_row(#name, name##_row()),
  static const std::array rows{HONE_TRAINERS(HONE_ROW)};
#undef HONE_ROW
  return rows;
}

const TrainerRow* find_trainer_row(std::string_view name) {
  for (const auto& row : trainer_table())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace hone::trainers
