#include "worker/train/actors/guests.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/process.hpp"
#include "worker/train/ipc/descriptor_passing.hpp"

namespace hone::actors {
namespace {

// Where hone-relay is: in the folder of this program.
Result<std::string> relay_program() {
  std::error_code fault;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", fault);
  auto relay = here.parent_path() / "hone-relay";
  if (fault || ::access(relay.c_str(), X_OK) != 0)
    return refuse(Code::unavailable, "actors on other hosts need the program " + relay.string() +
                                         ", which is not there: build hone with -DHONE_RELAY=ON");
  return relay.string();
}

std::string address_of(const GuestPlan& plan) {
  if (!plan.invitation.address.empty()) return plan.invitation.address;
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::vector<std::string> words(const GuestPlan& plan, int control, int memory) {
  const auto& at = plan.layout;
  std::vector<std::string> argv{"hone-relay",
                                "serve",
                                plan.invitation.file.string(),
                                plan.trainer,
                                address_of(plan),
                                std::to_string(control),
                                std::to_string(memory),
                                std::to_string(plan.seats)};
  for (const auto number :
       {at.bytes, at.parameters, at.floats, at.first_slot, at.slot_stride, at.slot_bytes, at.slots})
    argv.push_back(std::to_string(number));
  return argv;
}

}  // namespace

Result<std::unique_ptr<Guests>> Guests::begin(const GuestPlan& plan,
                                              const ipc::SharedMemory& memory) {
  const auto program = relay_program();
  if (!program) return program.error();
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return refuse(Code::unavailable, std::string("no pair of sockets: ") + std::strerror(errno));
  FileHandle ours(pair[0]), theirs(pair[1]);
  const auto pid = start_process({.argv = words(plan, theirs.fd(), memory.descriptor()),
                                  .program = *program,
                                  .inherited = {theirs.fd(), memory.descriptor()},
                                  .death_signal = SIGKILL});
  if (!pid) return pid.error();
  theirs.close();
  std::unique_ptr<Guests> guests(new Guests(*pid, std::move(ours)));
  // Its first number says that it listens.
  if (!ipc::receive_passed(guests->control_.fd()))
    return refuse(Code::unavailable, "hone-relay has ended; its message is above");
  return guests;
}

Guests::~Guests() {
  // Open until the relay has read it: a close with reports unread would come first, as an error.
  ipc::pass(control_.fd(), ipc::training_ended);
  wait_for(pid_);
}

int Guests::waiting() {
  for (;;) {
    pollfd news{control_.fd(), POLLIN, 0};
    if (::poll(&news, 1, 0) <= 0) return waiting_;
    const auto passed = ipc::receive_passed(control_.fd());
    waiting_ = passed ? passed->number : 0;
    if (!passed) return 0;  // it has ended: the training continues on this host
  }
}

bool Guests::take(int index, const FileHandle& socket) {
  if (waiting() == 0) return false;
  if (!ipc::pass(control_.fd(), index, socket.fd())) return false;
  --waiting_;
  return true;
}

}  // namespace hone::actors
