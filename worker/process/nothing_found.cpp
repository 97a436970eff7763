// Why a program of which rows are collected reported nothing.
#include "base/expect.hpp"
#include "worker/process/run_process.hpp"

namespace hone::worker {

std::string RunProcess::Following::nothing_found() const {
  const std::string advice =
      runs_here ? ""
                : "the program runs in another folder: set folder: fresh, or name ${hone.folder}";
  if (file) return collector.nothing_found({name, file->was_there(), path, {}, advice});
  if (events) return collector.nothing_found({name, events->was_there(), path, {}, advice});
  const std::string out = "its standard output", err = "its standard error";
  switch (stream) {
    case CollectStream::output:
      return collector.nothing_found({out, true, {}, err, "stderr: true"});
    case CollectStream::errors:
      return collector.nothing_found({err, true, {}, out, "stdout: true"});
    case CollectStream::both:
      return collector.nothing_found({"its output", true, {}, {}, {}});
  }
  unreachable();
}

}  // namespace hone::worker
