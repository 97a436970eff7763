#include "worker/process/run_process.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "worker/agent/limits.hpp"
#include "worker/process/artifacts.hpp"
#include "worker/process/oom_kills.hpp"
#include "worker/process/proc_use.hpp"

namespace hone::worker {
namespace {

constexpr std::size_t piece_bytes = 64 * 1024;
// A pipe (64 KiB) or a socket may still hold data after the end; a stray grandchild that writes to
// it must not keep the worker reading.
constexpr int last_pieces_max = 64;

enum class Read { some, nothing, ended };

Read read_piece(FileHandle& file, std::string_view& bytes, std::array<char, piece_bytes>& piece) {
  if (!file) return Read::ended;
  const auto got = ::read(file.fd(), piece.data(), piece.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Read::nothing;
  if (got <= 0) {
    file.close();
    return Read::ended;
  }
  bytes = {piece.data(), static_cast<std::size_t>(got)};
  return Read::some;
}

FileHandle make_timer() {
  FileHandle timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const timespec period{0, static_cast<long>(limits::follow_period.us) * 1000};
  const itimerspec spec{period, period};
  if (timer) ::timerfd_settime(timer.fd(), 0, &spec, nullptr);
  return timer;
}

std::string log_path(const WorkerPaths& paths, AttemptId attempt) {
  const auto folder = std::filesystem::path(paths.data) / "logs";
  std::error_code ignored;  // LogFile works without a file
  std::filesystem::create_directories(folder, ignored);
  return folder / (text(attempt) + ".log");
}

}  // namespace

Result<std::unique_ptr<RunProcess>> RunProcess::start(const WorkerPaths& paths,
                                                      const WorkPlace& place, const Spawn& spawn) {
  const LeaseGrant& grant = spawn.grant;
  // Planned once before anything is created: an invalid command leaves nothing behind.
  auto planned = command_plan(grant, {{}, paths.program_folder, place.folder, place.python});
  if (!planned) return planned.error();
  auto folder = RunFolder::make(paths.data, grant, spawn.resume_path, spawn.inputs_path);
  if (!folder) return folder.error();
  auto socket = TrialSocket::listen(folder->places().socket);
  if (!socket) return socket.error();
  std::unique_ptr<RunProcess> run(new RunProcess(spawn, std::move(*folder), std::move(*socket),
                                                 LogFile(log_path(paths, grant.attempt))));
  if (auto begun = run->begin(paths, place, spawn); !begun) return begun.error();
  return run;
}

RunProcess::RunProcess(const Spawn& spawn, RunFolder folder, TrialSocket socket, LogFile log)
    : folder_(std::move(folder)),
      socket_(std::move(socket)),
      log_(std::move(log)),
      memory_max_(spawn.grant.resources.memory),
      oom_kills_(oom_kills(oom_counters())) {
  const auto* command = std::get_if<CommandTrainer>(&spawn.grant.trainer);
  if (command == nullptr) return;
  folder_bytes_max_ = command->disk != 0 ? command->disk : limits::folder_bytes_max;
  if (!command->collect || command->collect->objectives.empty()) return;
  const CollectSpec& collect = *command->collect;
  const std::string path = folder_.places().files + "/" + collect.file;
  following_.emplace(Following{Collector(collect, spawn.grant.budget, origin_of(spawn.grant)),
                               collect.stream, collect.file, path,
                               command->folder != WorkFolder::shared});
  if (collect.format == CollectFormat::tensorboard)
    following_->events.emplace(path);
  else if (!collect.file.empty())
    following_->file.emplace(path);
}

Status RunProcess::begin(const WorkerPaths& paths, const WorkPlace& place, const Spawn& spawn) {
  auto plan = command_plan(spawn.grant,
                           {folder_.places(), paths.program_folder, place.folder, place.python});
  if (!plan) return plan.error();
  if (!place.remark.empty()) remark(place.remark);
  const ResourcesSpec& resources = spawn.grant.resources;
  stage_.env = with_variables(sharing_gpus(trial_environment(own_environment(), folder_.places(),
                                                             resources.cpus, spawn.gpus),
                                           resources.gpu_memory),
                              plan->env);
  devices_ = device_names(own_environment(), spawn.gpus);
  if (!named_as_by_driver(stage_.env, devices_)) devices_.clear();
  stage_.folder = plan->folder;
  stage_.file_bytes_max = folder_bytes_max_;
  stages_.assign(plan->stages.begin(), plan->stages.end());
  if (memory_max_ != 0) {
    if (auto group = MemoryGroup::make(memory_max_)) group_.emplace(*std::move(group));
    if (group_) stage_.group = group_->joins();
  }
  params_watch_.emplace(spawn.grant, folder_.places());
  if (auto started = start_stage(); !started) return started;
  if (folder_bytes_max_ != 0 || measures_memory()) timer_ = make_timer();
  return Done{};
}

Status RunProcess::start_stage() {
  stage_.argv = std::move(stages_.front());
  stages_.pop_front();
  auto child = start_child(stage_);
  if (!child) return child.error();
  child_ = std::move(*child);
  ended_ = false;
  return Done{};
}

RunProcess::~RunProcess() {
  if (!ended_) signal(SIGKILL);
}

void RunProcess::watch(std::vector<pollfd>& fds) const {
  if (ended_) return;
  socket_.watch(fds, held_);
  if (child_.out && !held_) fds.push_back({child_.out.fd(), POLLIN, 0});
  if (child_.err && !(held_ && collects_errors())) fds.push_back({child_.err.fd(), POLLIN, 0});
  if (timer_ && !held_) fds.push_back({timer_.fd(), POLLIN, 0});
}

std::vector<RunProcess::Received> RunProcess::serve() {
  std::vector<Received> received;
  // A process that is held may still print to a stream of which no line becomes a report.
  if (!held_ || !collects_errors()) read_errors(received);
  if (held_) {
    socket_.flush();
    return received;
  }
  read_socket(received);
  read_output(received);
  serve_timer(received);
  return received;
}

std::optional<Exited> RunProcess::collect(LeaseId lease, std::vector<Received>& last_lines) {
  if (!ended_) {
    const auto end = collect_child(child_.pid);
    if (!end) return std::nullopt;
    ended_cpu_s_ += end->cpu_s;
    if (start_next_stage(*end)) return std::nullopt;
    ended_ = true;
    end_ = end;
    read_last(last_lines);
  }
  if (!end_ || !drain_file(last_lines)) return std::nullopt;
  const auto end = std::exchange(end_, std::nullopt);
  finish_rows(!end->by_signal && end->number == 0 && !stage_failed_, last_lines);
  if (!end->by_signal && end->number == 0 && !stage_failed_) note_unread_parameters();
  constexpr int no_such_program = 127;  // as in a shell
  return Exited{lease,
                end->by_signal,
                stage_failed_ ? no_such_program : end->number,
                log_.tail(),
                oom_kills(oom_counters()) > oom_kills_,
                stage_failed_ || !stages_.empty(),
                following_ ? following_->nothing_found() : std::string(),
                group_ && group_->ran_out()};
}

void RunProcess::read_last(std::vector<Received>& received) {
  for (int i = 0; i < last_pieces_max; ++i) {
    const auto before = received.size();
    read_socket(received);
    const bool errors = read_errors(received);
    const bool output = read_output(received);
    if (!output && !errors && received.size() == before) break;
  }
  output_.finish(
      [&](std::string_view text, bool too_long) { take_output_line(text, too_long, received); });
  errors_.finish(
      [&](std::string_view text, bool too_long) { take_error_line(text, too_long, received); });
  if (following_ && following_->file) following_->left = following_->file->left();
  if (!following_ || !following_->events) return;
  following_->events->scan();
  following_->left = following_->events->left();
}

// Starts the next stage if this one succeeded. If it cannot be started, the run ends as in a shell.
bool RunProcess::start_next_stage(const ChildEnd& end) {
  if (stages_.empty() || signalled_ || end.by_signal || end.number != 0) return false;
  std::vector<Received> none;
  while (read_errors(none) || read_output(none)) continue;
  const auto started = start_stage();
  stage_failed_ = !started.ok();
  if (!started) remark(started.error().detail);
  return started.ok();
}

std::optional<UseSample> RunProcess::use() const {
  if (ended_) return UseSample{ended_cpu_s_, 0};
  const auto tree = read_tree_use(child_.pid);
  if (!tree) return std::nullopt;
  return UseSample{ended_cpu_s_ + tree->cpu_s, tree->memory_bytes};
}

void RunProcess::signal(int number) {
  signalled_ = true;
  skip_file_ = ended_ || number == SIGKILL;
  if (!ended_) signal_child(child_.pid, number);
}

void RunProcess::answer(const TrialAnswer& answer) { socket_.answer(answer); }

void RunProcess::read_socket(std::vector<Received>& received) {
  for (auto& line : socket_.serve()) received.emplace_back(std::move(line), Origin::socket);
}

// Returns whether there was something to read.
bool RunProcess::read_output(std::vector<Received>& received) {
  std::array<char, piece_bytes> piece;
  std::string_view bytes;
  if (read_piece(child_.out, bytes, piece) != Read::some) return false;
  log_.take(bytes);
  output_.take(bytes, [&](std::string_view text, bool too_long) {
    take_output_line(text, too_long, received);
  });
  return true;
}

bool RunProcess::read_errors(std::vector<Received>& received) {
  std::array<char, piece_bytes> piece;
  std::string_view bytes;
  if (read_piece(child_.err, bytes, piece) != Read::some) return false;
  log_.take(bytes);
  if (!following_ || !following_->is_output()) return true;
  errors_.take(bytes, [&](std::string_view text, bool too_long) {
    take_error_line(text, too_long, received);
  });
  return true;
}

bool RunProcess::collects_errors() const {
  return following_ && following_->is_output() && following_->stream != CollectStream::output;
}

void RunProcess::take_error_line(std::string_view text, bool too_long,
                                 std::vector<Received>& received) {
  if (!stages_.empty() || !following_ || !following_->is_output()) return;
  if (collects_errors()) return take_row_line(text, too_long, received);
  if (!too_long) following_->collector.probe(text);
}

void RunProcess::take_output_line(std::string_view text, bool too_long,
                                  std::vector<Received>& received) {
  if (!stages_.empty()) return;  // preparing commands do not report
  const auto said = hone_line(text);
  if (!said) return take_bare_line(text, too_long, received);
  auto line = too_long ? Result<TrialLine>(refuse(Code::too_large, "a line is at most 1 MiB long"))
                       : parse_program_line(*said);
  if (line)
    received.emplace_back(std::move(*line), Origin::output);
  else
    remark("this @hone line is invalid: " + line.error().detail);
}

// A line of output that is not for hone.
void RunProcess::take_bare_line(std::string_view text, bool too_long,
                                std::vector<Received>& received) {
  if (!following_ || !following_->is_output()) return;
  if (following_->stream != CollectStream::errors) return take_row_line(text, too_long, received);
  if (!too_long) following_->collector.probe(text);
}

// What poll() cannot wait for: growth of the result file and of the run's folder.
void RunProcess::serve_timer(std::vector<Received>& received) {
  std::uint64_t times = 0;
  if (!timer_ || ::read(timer_.fd(), &times, sizeof times) != sizeof times) return;
  const bool scans = following_ && following_->events;
  if (scans && timer_ticks_ % limits::measure_every == 0) following_->events->scan();
  for (int i = 0; i < limits::follow_pieces_max && read_file(received); ++i) continue;
  if (++timer_ticks_ % limits::measure_every == 0) measure();
}

bool RunProcess::read_file(std::vector<Received>& received) {
  if (following_ && following_->events) return read_events(received);
  if (!following_ || !following_->file) return false;
  const auto piece = following_->file->read();
  if (piece.restarted) {
    following_->lines = {};
    following_->collector.restart();
  }
  following_->left -= static_cast<std::int64_t>(piece.bytes.size());
  following_->lines.take(piece.bytes, [&](std::string_view text, bool too_long) {
    take_row_line(text, too_long, received);
  });
  return !piece.bytes.empty();
}

bool RunProcess::read_events(std::vector<Received>& received) {
  std::vector<TrialLine> rows;
  const auto bytes = following_->events->read(
      [&](const ScalarEvent& event) { following_->collector.take(event, rows); });
  following_->left -= bytes;
  take_rows(std::move(rows), received);
  if (const auto fault = following_->events->take_fault()) remark(*fault);
  return bytes > 0;
}

void RunProcess::take_rows(std::vector<TrialLine> rows, std::vector<Received>& received) {
  for (auto& row : rows) received.emplace_back(std::move(row), Origin::output);
  if (const auto complaint = following_->collector.take_complaint()) remark(*complaint);
}

void RunProcess::take_row_line(std::string_view text, bool too_long,
                               std::vector<Received>& received) {
  if (too_long) return;
  std::vector<TrialLine> said;
  following_->collector.take(text, said);
  take_rows(std::move(said), received);
}

// Reads a step of what was in the file when the program ended; returns true after the last. Does
// not read what another process still appends.
bool RunProcess::drain_file(std::vector<Received>& received) {
  if (!following_ || following_->is_output()) return true;
  if (held_ && !skip_file_) return false;
  const auto before = received.size();
  for (int i = 0; i < limits::last_file_pieces_max; ++i) {
    if (following_->left <= 0 || !read_file(received)) return true;
    if (received.size() - before >= limits::last_file_lines_max) break;
  }
  return skip_file_;
}

// Parameters that travel in files alone, to a program that read none, changed nothing.
void RunProcess::note_unread_parameters() {
  const std::string unread = socket_.was_used() ? std::string() : params_watch_->unread();
  if (!unread.empty()) remark(unread);
}

void RunProcess::finish_rows(bool well, std::vector<Received>& received) {
  if (!following_) return;
  following_->lines.finish(
      [&](std::string_view text, bool too_long) { take_row_line(text, too_long, received); });
  std::vector<TrialLine> said;
  if (well) following_->collector.finish(said);
  take_rows(std::move(said), received);
}

void RunProcess::measure() {
  measure_memory();
  if (exceeded_ || folder_bytes_max_ == 0 ||
      folder_bytes(folder_.path(), folder_bytes_max_) <= folder_bytes_max_)
    return;
  exceeded_ = {Exceeded::disk, "its folder is larger than the " +
                                   std::to_string(folder_bytes_max_) +
                                   " bytes that command.disk allows"};
}

// A control group counts what the run itself took. Pages that others read into memory before it
// would count here.
bool RunProcess::measures_memory() const { return memory_max_ != 0 && !group_; }

// Resident sets are cheap to read, but count shared pages several times: what they show is counted
// exactly before a run is ended for it.
void RunProcess::measure_memory() {
  if (exceeded_ || !measures_memory() || ended_) return;
  const auto use = read_tree_use(child_.pid);
  if (!use || use->memory_bytes <= memory_max_) return;
  const std::int64_t bytes = read_tree_memory(child_.pid).value_or(use->memory_bytes);
  if (bytes <= memory_max_) return;
  exceeded_ = {Exceeded::memory, "it used " + std::to_string(bytes) + " bytes of memory; " +
                                     "resources.memory allows " + std::to_string(memory_max_)};
}

}  // namespace hone::worker
