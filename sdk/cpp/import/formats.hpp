// The translations that formats.cpp lists.
#pragma once

#include "sdk/cpp/import/import.hpp"

namespace hone {

Result<ImportedSpec> import_wandb(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_katib(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_nni(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_optuna(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_ray(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_hydra(const Json& document, const Sibling& sibling);
Result<ImportedSpec> import_determined(const Json& document, const Sibling& sibling);

}  // namespace hone
