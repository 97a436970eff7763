// The settings of a run: those that the sweep file fixes, the parameters of the trial, and for the
// rest the preset of the environment (presets.hpp) and defaults; all checked (check.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/trainers/trainers.hpp"
#include "schemas/types/value.hpp"

namespace hone::trainers {

// The preset of a run and those of its values that apply: others were given. An empty name: none.
struct AppliedPreset {
  std::string_view name{};
  Params values{};
};

class Settings {
 public:
  // Refuses an unknown name, a wrong kind and a value out of bounds, with a sentence.
  static Result<Settings> resolve(const TrainerInfo& trainer, const Params& fixed,
                                  const Params& params);

  // Precondition: the trainer has a setting of that name and kind.
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] int small_integer(std::string_view name) const {
    return static_cast<int>(integer(name));
  }
  [[nodiscard]] const std::string& word(std::string_view name) const;
  // Whether the sweep file, the trial or the user gave the value.
  [[nodiscard]] bool given(std::string_view name) const { return find(given_, name) != nullptr; }
  // Whether the value was given, or is that of the preset.
  [[nodiscard]] bool stated(std::string_view name) const {
    return given(name) || find(preset_.values, name) != nullptr;
  }
  [[nodiscard]] const AppliedPreset& preset() const { return preset_; }
  [[nodiscard]] const TrainerInfo& trainer() const { return *trainer_; }
  // All settings with their values, in the order of the trainer.
  [[nodiscard]] const Params& all() const { return values_; }

 private:
  void apply_preset();

  const TrainerInfo* trainer_ = nullptr;
  Params values_;
  Params given_;
  AppliedPreset preset_;
};

}  // namespace hone::trainers
