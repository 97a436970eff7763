// Where and with what the commands of a sweep run: the folder and the interpreter of the user who
// submits it.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// Completes the commands of a sweep file. Makes `cwd` and `python` absolute. Records as `submitter`
// this process's folder, for a command whose words name a file in it, and the interpreter of the
// active virtual environment or of the PATH, for a command that it starts.
void record_place(Json& document);

// "in /home/me/project with /home/me/venv/bin/python3"; empty if no command of the sweep has a
// place.
std::string place_text(const Json& spec);

}  // namespace hone::cli
