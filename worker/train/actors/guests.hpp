// Actors on other hosts, by the program hone-relay in the folder of this one, which alone talks to
// the network.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/files.hpp"
#include "base/result.hpp"
#include "worker/train/ipc/shared_layout.hpp"
#include "worker/train/ipc/shared_memory.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::actors {

struct GuestPlan {
  trainers::Invitation invitation;
  std::string trainer;
  ipc::SharedLayout layout{};
  int seats = 1;  // guests that can play at the same time
};

// Used by one thread, with which hone-relay ends.
class Guests {
 public:
  // Starts hone-relay, which has written the file when this returns. Refuses with unavailable.
  static Result<std::unique_ptr<Guests>> begin(const GuestPlan& plan,
                                               const ipc::SharedMemory& memory);
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;
  ~Guests();  // guests learn that the training has ended

  // Guests that have nothing to play.
  int waiting();
  // Connects one of them to the other end of `socket`, as the actor of this index. False if none
  // waits. It may leave at any time; the socket is then closed, as that of a process.
  bool take(int index, const FileHandle& socket);

 private:
  Guests(pid_t pid, FileHandle control) : pid_(pid), control_(std::move(control)) {}

  pid_t pid_;
  FileHandle control_;
  int waiting_ = 0;
};

}  // namespace hone::actors
