// The files of schemas/v1 that describe sweep files; the build embeds them.
#pragma once

namespace hone::cli {

extern const char* const sweep_schema_text;
extern const char* const common_schema_text;

}  // namespace hone::cli
