// The server's log on stderr: a line an event, as text for people or as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {

struct EventRow;

enum class LogFormat { text, json };

void start_logging(const std::string& level, LogFormat format);

// A line with facts beside its sentence: members of the JSON line, left out of the text.
void log_facts(const std::string& sentence, const Json& facts);

// The ledger's events that people want to read about; facts tell the ids.
std::vector<std::string> logged_kinds();
void log_event(const EventRow& event);

}  // namespace hone
