#include "worker/process/run_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "worker/process/command_line.hpp"
#include "worker/process/oom_kills.hpp"

namespace hone::worker {
namespace {

constexpr std::size_t piece_bytes = 64 * 1024;
// What may still be in a pipe (64 KiB) or a socket after the end; a stray grandchild must not keep
// us reading.
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

std::string log_path(const Workplace& place, AttemptId attempt) {
  const auto folder = std::filesystem::path(place.data) / "logs";
  std::error_code ignored;  // LogFile does without
  std::filesystem::create_directories(folder, ignored);
  return folder / (text(attempt) + ".log");
}

}  // namespace

Result<std::unique_ptr<RunProcess>> RunProcess::start(const Workplace& place, const Spawn& spawn) {
  const LeaseGrant& grant = spawn.grant;
  auto argv = command_line(grant, place.program_folder);
  if (!argv) return argv.error();
  auto folder = RunFolder::make(place.data, grant, spawn.resume_path);
  if (!folder) return folder.error();
  auto socket = TrialSocket::listen(folder->places().socket);
  if (!socket) return socket.error();
  LogFile log(log_path(place, grant.attempt));
  auto child = start_child(
      {std::move(*argv),
       trial_environment(own_environment(), folder->places(), grant.resources.cpus, spawn.gpus),
       place.work_folder});
  if (!child) return child.error();
  return std::unique_ptr<RunProcess>(
      new RunProcess(std::move(*folder), std::move(*socket), std::move(*child), std::move(log)));
}

RunProcess::RunProcess(RunFolder folder, TrialSocket socket, Child child, LogFile log)
    : folder_(std::move(folder)),
      socket_(std::move(socket)),
      child_(std::move(child)),
      log_(std::move(log)),
      oom_kills_(oom_kills(oom_counters())) {}

RunProcess::~RunProcess() {
  if (!ended_) signal(SIGKILL);
}

void RunProcess::watch(std::vector<pollfd>& fds) const {
  if (ended_) return;
  socket_.watch(fds, held_);
  if (child_.out && !held_) fds.push_back({child_.out.fd(), POLLIN, 0});
  if (child_.err) fds.push_back({child_.err.fd(), POLLIN, 0});
}

std::vector<RunProcess::Heard> RunProcess::serve() {
  std::vector<Heard> heard;
  read_errors();
  if (held_) {
    socket_.flush();
    return heard;
  }
  hear_socket(heard);
  read_output(heard);
  return heard;
}

std::optional<Exited> RunProcess::collect(LeaseId lease, std::vector<Heard>& last_lines) {
  if (ended_) return std::nullopt;
  const auto end = collect_child(child_.pid);
  if (!end) return std::nullopt;
  ended_ = true;
  for (int i = 0; i < last_pieces_max; ++i) {
    const auto before = last_lines.size();
    hear_socket(last_lines);
    const bool errors = read_errors();
    const bool output = read_output(last_lines);
    if (!output && !errors && last_lines.size() == before) break;
  }
  output_.finish(
      [&](std::string_view text, bool too_long) { take_output_line(text, too_long, last_lines); });
  return Exited{lease, end->by_signal, end->number, log_.tail(),
                oom_kills(oom_counters()) > oom_kills_};
}

void RunProcess::signal(int number) const {
  if (!ended_) signal_child(child_.pid, number);
}

void RunProcess::answer(const TrialAnswer& answer) { socket_.answer(answer); }

void RunProcess::hear_socket(std::vector<Heard>& heard) {
  for (auto& line : socket_.serve()) heard.emplace_back(std::move(line), Origin::socket);
}

// True when there was something.
bool RunProcess::read_output(std::vector<Heard>& heard) {
  std::array<char, piece_bytes> piece;
  std::string_view bytes;
  if (read_piece(child_.out, bytes, piece) != Read::some) return false;
  log_.take(bytes);
  output_.take(bytes, [&](std::string_view text, bool too_long) {
    take_output_line(text, too_long, heard);
  });
  return true;
}

bool RunProcess::read_errors() {
  std::array<char, piece_bytes> piece;
  std::string_view bytes;
  if (read_piece(child_.err, bytes, piece) != Read::some) return false;
  log_.take(bytes);
  return true;
}

void RunProcess::take_output_line(std::string_view text, bool too_long, std::vector<Heard>& heard) {
  const auto said = hone_line(text);
  if (!said) return;
  auto line = too_long ? Result<TrialLine>(refuse(Code::too_large, "a line is at most 1 MiB long"))
                       : parse_trial_line(*said);
  if (line)
    heard.emplace_back(std::move(*line), Origin::output);
  else
    log_.take("[hone: this @hone line is wrong: " + line.error().detail + "]\n");
}

}  // namespace hone::worker
