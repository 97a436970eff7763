// The rules of a fleet's description that can be seen from the document alone. Its texts become
// names and arguments at an engine, so they have no blanks or signs there.
#include "base/ascii.hpp"
#include "schemas/codec/parts.hpp"

namespace hone::codec {
namespace {

std::string read_plain(const Spot& spot, std::string_view more) {
  auto text = Line{1, 64}(spot);
  if (!is_plain(text, "-_." + std::string(more)) || text.starts_with('-'))
    spot.refuse("must be letters, digits and - _ . " + std::string(more) +
                ", without a leading '-', not " + described(spot.json));
  return text;
}

}  // namespace

std::string read_fleet_name(const Spot& spot) { return read_plain(spot, ""); }
std::string read_label(const Spot& spot) { return read_plain(spot, "=/"); }
std::string read_host(const Spot& spot) { return read_plain(spot, "@:"); }

void check(Reader& reader, const FleetSpec& fleet) {
  if (fleet.min > fleet.max)
    reader.refuse_rule("min", "min (" + std::to_string(fleet.min) + ") is larger than max (" +
                                  std::to_string(fleet.max) + ")");
  if (fleet.drain >= fleet.wall)
    reader.refuse_rule("drain", "drain must be shorter than wall: a pilot would take no run");
  const FleetCommands& commands = fleet.commands;
  const bool all = !commands.submit.empty() && !commands.list.empty() && !commands.cancel.empty();
  if ((fleet.engine == "command") != all)
    reader.refuse_rule("commands", fleet.engine == "command"
                                       ? "the engine 'command' needs submit, list and cancel"
                                       : "only the engine 'command' has commands");
  if ((fleet.engine == "ssh") == fleet.hosts.empty())
    reader.refuse_rule("hosts", fleet.hosts.empty() ? "the engine 'ssh' needs at least one host"
                                                    : "only the engine 'ssh' has hosts");
}

}  // namespace hone::codec
