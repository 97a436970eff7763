// The thread that runs the programs of the engines: it asks the ledger's rules what to do, does it,
// and reports what happened. It decides nothing. Slow or dead engines delay only this thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/engines/engine.hpp"
#include "server/sweep/state/command.hpp"

namespace hone::engines {

class FleetThread {
 public:
  // Performs a command on the engine thread and waits for its reply.
  using Ask = std::function<Result<Reply>(Command)>;
  // After each list: why it is not complete, or "". Also "" of a fleet that is gone.
  using Notice = std::function<void(FleetId, const std::string&)>;

  FleetThread() = default;
  ~FleetThread() { stop(); }
  FleetThread(const FleetThread&) = delete;
  FleetThread& operator=(const FleetThread&) = delete;

  void start(Ask ask, Notice notice, Site site);  // once; what the site names exists
  void wake();  // the ledger has grown; any thread, returns at once
  void stop();  // waits for the program that runs now; pilots stay

 private:
  struct Running {  // the engine of one fleet
    FleetSpec spec;
    std::unique_ptr<Engine> engine;
    Duration next_list{};                    // since an arbitrary instant, as all times here
    Duration next_command{};                 // not before
    bool canceled = false;                   // since the last list
    std::string trouble{};                   // of the last list, logged once
    std::map<PilotId, std::string> waits{};  // why each pilot waited in the last list
  };

  void run();
  bool step(std::vector<FleetNews>& news);  // false: nothing was done
  Running& running_for(const FleetOrder& order);
  FleetNews serve(const FleetOrder& order);
  void list(const FleetOrder& order, Running& running, FleetNews& news);
  static void drop_known(Listing& listing, std::map<PilotId, std::string>& known);
  bool ends();  // stop() was called
  SubmitResult submit(Running& running, const FleetSpec& spec, const PilotOrder& pilot);
  // Whether the engine may get a command now, which then counts; else the next turn is due in time.
  bool may_ask(const EngineInfo& info, Running& running);
  bool rest(Duration least, Duration most);

  Ask ask_;
  Notice notice_;
  Site site_;
  std::map<FleetId, Running> running_;
  bool any_ = false;  // a fleet is alive
  Duration due_{};    // a command that had to wait, or a pause from now
  std::mutex mutex_;
  std::condition_variable changed_;
  bool news_ = true;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hone::engines
