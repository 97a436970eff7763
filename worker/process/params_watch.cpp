#include "worker/process/params_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>

#include "schemas/types/passing.hpp"

namespace hone::worker {

ParamsWatch::ParamsWatch(const LeaseGrant& grant, const TrialPlaces& places) {
  const auto* command = std::get_if<CommandTrainer>(&grant.trainer);
  if (command == nullptr || grant.step) return;  // another step may pass them
  std::vector<std::string> parameters;
  for (const Param& param : grant.params) parameters.push_back(param.name);
  unpassed_ = unpassed_parameters(*command, parameters);
  if (unpassed_.empty()) return;
  events_ = FileHandle(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  for (const std::string& path : {places.params_file, places.run_file})
    if (events_ && ::inotify_add_watch(events_.fd(), path.c_str(), IN_OPEN | IN_ONESHOT) < 0)
      events_.close();
}

std::string ParamsWatch::unread() const {
  if (!events_) return {};
  std::array<char, 4096> events{};
  if (::read(events_.fd(), events.data(), events.size()) > 0) return {};
  return not_passed(unpassed_) +
         "; the program opened neither HONE_PARAMS_FILE, HONE_RUN_FILE nor HONE_SOCKET, so it "
         "cannot know them";
}

}  // namespace hone::worker
