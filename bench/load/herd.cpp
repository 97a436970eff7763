#include "bench/load/herd.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>

#include "base/process.hpp"

namespace hone::load {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_of_this_process() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

void be_client(const Herd::Client& client, std::size_t number, const Signal& signal, Tally& tally) {
  const double before = cpu_of_this_process();
  try {
    client(number, signal, tally);
  } catch (const std::exception& trouble) {
    tally.fail(trouble.what());
  }
  tally.cpu_s = cpu_of_this_process() - before;
}

}  // namespace

Result<Herd> Herd::start(std::size_t count, const Client& client) {
  auto tallies = SharedTallies::make(count);
  if (!tallies) return tallies.error();
  void* memory =
      mmap(nullptr, sizeof(Signal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return refuse(Code::internal, std::string("cannot share memory: ") + std::strerror(errno));
  Herd herd(*std::move(tallies), new (memory) Signal);
  for (std::size_t i = 0; i < count; ++i) {
    const auto pid = fork_process([&] { be_client(client, i, *herd.signal_, herd.tallies_[i]); });
    if (!pid) return refuse(Code::internal, "cannot start a client: " + pid.error().detail);
    herd.alive_.push_back(*pid);
  }
  return herd;
}

Herd::~Herd() {
  for (const pid_t pid : alive_) kill(pid, SIGKILL);
  for (const pid_t pid : alive_) wait_for(pid);
}

void Herd::Unmap::operator()(Signal* signal) const { munmap(signal, sizeof(Signal)); }

double Herd::cpu_s() const {
  double sum = 0;
  for (std::size_t i = 0; i < tallies_.size(); ++i) sum += tallies_[i].cpu_s;
  return sum;
}

void Herd::reap() {
  const auto ended = [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) == pid; };
  if (std::erase_if(alive_, ended) > 0) one_ended_ = true;
}

bool Herd::any_ended() {
  reap();
  return one_ended_;
}

bool Herd::ended_within(std::chrono::milliseconds time) {
  const auto end = Clock::now() + time;
  for (reap(); !alive_.empty() && Clock::now() < end; reap())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return alive_.empty();
}

}  // namespace hone::load
