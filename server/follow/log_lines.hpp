// The server's log on stderr: one line for each event, as text or as JSON.
#pragma once

#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {

struct EventRow;

enum class LogFormat { text, json };

void start_logging(const std::string& level, LogFormat format);

// Logs a sentence with facts, which become members of the JSON line; the text line omits them.
void log_facts(const std::string& sentence, const Json& facts);

// The kinds of events that the log contains, and the line of one.
std::vector<std::string> logged_kinds();
void log_event(const EventRow& event);

}  // namespace hone
