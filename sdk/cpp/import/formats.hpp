// The translations that formats.cpp lists.
#pragma once

#include "sdk/cpp/import/import.hpp"

namespace hone {

Result<Import> import_wandb(const Json& document, const Sibling& sibling);
Result<Import> import_katib(const Json& document, const Sibling& sibling);
Result<Import> import_nni(const Json& document, const Sibling& sibling);
Result<Import> import_optuna(const Json& document, const Sibling& sibling);
Result<Import> import_ray(const Json& document, const Sibling& sibling);
Result<Import> import_hydra(const Json& document, const Sibling& sibling);
Result<Import> import_determined(const Json& document, const Sibling& sibling);

}  // namespace hone
