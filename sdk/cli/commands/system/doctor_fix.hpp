// The findings of `hone doctor`, and the fixes of `hone doctor --fix`. It deletes nothing and
// starts no program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

enum class Health : std::uint8_t { ok, warn, fail };
std::string_view status_text(Health health);

struct Fix {
  std::string question;
  std::string done;  // the detail of the finding afterwards
  std::function<Status()> apply;
};

struct Finding {
  Health health = Health::ok;
  std::string what;
  std::string detail;
  std::optional<Fix> fix{};
};

// Return what is wrong and can be fixed: with a data folder, and with workers. The findings borrow
// the session.
std::vector<Finding> check_own_folder(const std::filesystem::path& data);
std::vector<Finding> check_quarantine(Session& session);

// Fixes what can be fixed, after a question for each if `asks`. A fixed finding becomes ok, one
// whose fix was refused fails. Refuses to ask without a terminal.
Status apply_fixes(Session& session, std::vector<Finding>& findings, bool asks);

}  // namespace hone::cli
