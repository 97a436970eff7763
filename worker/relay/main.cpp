// hone-relay: actors of one training on several hosts. hone-train starts `hone-relay serve` for
// --hosts FILE; people start `hone-relay join FILE` on the other hosts.
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <iostream>
#include <mutex>
#include <thread>

#include "base/stop_signal.hpp"
#include "worker/relay/guest.hpp"
#include "worker/relay/host.hpp"
#include "worker/relay/timing.hpp"

namespace hone::relay {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
// Between two looks for the file of a training.
constexpr std::chrono::milliseconds look_ms{200};

struct JoinPlan {
  std::filesystem::path rendezvous;
  int actors = 1;
  double wait_s = 300;
};

// Plays for the trainings that write the file, one after another, until one has ended or none was
// heard of for `wait_s`.
GuestEnd join(const JoinPlan& plan, const std::stop_token& stop,
              const std::function<void(const std::string&)>& say) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> wait(plan.wait_s);
  std::string why;
  for (auto heard = Clock::now(); Clock::now() - heard < wait && !stop.stop_requested();) {
    const auto rendezvous = read_rendezvous(plan.rendezvous);
    if (!rendezvous) {
      why = rendezvous.error().detail;
      std::this_thread::sleep_for(look_ms);
      continue;
    }
    why = "no training answers at " + rendezvous->address;
    Guest guest(*rendezvous, say);
    const auto end = guest.play(stop);
    if (guest.was_heard()) heard = Clock::now();
    if (end == GuestEnd::finished) say("the training has ended");
    if (end != GuestEnd::silent) return end;
    say("nothing was heard from the training for " + std::to_string(silence_max.count()) +
        " s: looking for it again");
  }
  if (stop.stop_requested()) return GuestEnd::stopped;
  say(why + "; gave up after " + std::to_string(static_cast<int>(plan.wait_s)) + " s");
  return GuestEnd::silent;
}

int run_join(const JoinPlan& plan) {
  const StopSignal stop;
  std::mutex mutex;
  const auto say = [&](const std::string& text) {
    const std::scoped_lock lock(mutex);
    std::cerr << "hone-relay: " << text << std::endl;
  };
  std::atomic<int> status = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(plan.actors));
    for (int i = 0; i < plan.actors; ++i)
      threads.emplace_back([&] {
        try {
          const auto end = join(plan, stop.token(), say);
          if (end == GuestEnd::silent || end == GuestEnd::broken) status = exit_failed;
        } catch (const std::exception& fault) {
          say(fault.what());
          status = exit_failed;
        }
      });
  }
  return status;
}

struct ServeWords {
  std::string rendezvous, trainer, address;
  std::vector<std::uint64_t> numbers;  // as guests.cpp of the training writes them
};

int run_serve(const ServeWords& words) {
  std::signal(SIGINT, SIG_IGN);  // a signal for the whole group ends the training, which ends this
  std::signal(SIGTERM, SIG_IGN);
  const auto& n = words.numbers;
  auto memory = ipc::SharedMemory::open(FileHandle(static_cast<int>(n[1])));
  const ipc::SharedLayout layout{n[3], n[4], n[5], n[6], n[7], n[8], n[9]};
  if (!memory || memory->bytes().size() < layout.bytes || !is_sound(layout, n[2])) {
    std::cerr << "hone-relay: the memory of the training is not as it says\n";
    return exit_usage;
  }
  auto host = Host::open({words.rendezvous, words.address, words.trainer,
                          FileHandle(static_cast<int>(n[0])), *std::move(memory), layout, n[2]});
  if (!host) {
    std::cerr << "hone-relay: " << host.error().detail << "\n";
    return exit_failed;
  }
  (*host)->run();
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Play for a training on another host, which `hone-train NAME --hosts FILE` runs.",
               "hone-relay");
  app.set_version_flag("--version", HONE_VERSION);
  app.require_subcommand(1);
  JoinPlan plan;
  auto* joining = app.add_subcommand("join", "play as actors of the training that writes FILE");
  joining
      ->add_option("file", plan.rendezvous,
                   "file of the training, on a disk that both hosts share, "
                   "or a copy that only you can read")
      ->required();
  joining->add_option("--actors", plan.actors, "actors on this host, a process each [1]")
      ->check(CLI::Range(1, 256));
  joining
      ->add_option("--wait", plan.wait_s,
                   "seconds to wait for a training, also after its host has failed [300]")
      ->check(CLI::Range(1.0, 1e6));
  joining->footer(
      "examples:\n"
      "  hone-relay join run1.hosts --actors 8\n"
      "  hone-train impala --env CartPole-v1 --agents 8 --hosts run1.hosts   # trains\n"
      "  srun hone-train apex --env CartPole-v1 --actors 15 --hosts run1.hosts   # task 0 trains");
  ServeWords words;
  auto* serving = app.add_subcommand("serve", "")->group("");
  serving->add_option("file", words.rendezvous)->required();
  serving->add_option("trainer", words.trainer)->required();
  serving->add_option("address", words.address)->required();
  serving->add_option("numbers", words.numbers)->required()->expected(10);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& outcome) {
    return app.exit(outcome) == 0 ? 0 : exit_usage;
  }
  return joining->parsed() ? run_join(plan) : run_serve(words);
}

}  // namespace
}  // namespace hone::relay

int main(int argc, char** argv) {
  try {
    return hone::relay::run(argc, argv);
  } catch (const std::exception& fault) {
    std::cerr << "hone-relay: " << fault.what() << "\n";
    return 1;
  }
}
