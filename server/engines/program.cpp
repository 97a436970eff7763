#include "server/engines/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/files.hpp"
#include "base/process.hpp"

namespace hone::engines {
namespace {

using Clock = std::chrono::steady_clock;

// Appends what can be read now. False at the end of the stream.
bool read_some(const FileHandle& file, std::string& text) {
  std::array<char, 16 * 1024> piece{};
  const auto got = ::read(file.fd(), piece.data(), piece.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const auto room = output_bytes_max - std::min(output_bytes_max, text.size());
  text.append(piece.data(), std::min(room, static_cast<std::size_t>(got)));
  return true;
}

// False at the end of the input, or if the program does not read it.
bool write_some(const FileHandle& file, std::string_view& rest) {
  const auto put = ::write(file.fd(), rest.data(), rest.size());
  if (put < 0) return errno == EINTR || errno == EAGAIN;
  rest.remove_prefix(static_cast<std::size_t>(put));
  return !rest.empty();
}

struct Streams {
  Pipe in, out, err;
};

// Serves the pipes until both outputs end or the time is over; true: they ended.
bool serve(Streams& streams, std::string_view input, ProgramEnd& end, Clock::time_point until) {
  if (input.empty()) streams.in.write.close();
  while (streams.out.read || streams.err.read) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 3> watched{{{streams.out.read.fd(), POLLIN, 0},
                                   {streams.err.read.fd(), POLLIN, 0},
                                   {streams.in.write.fd(), POLLOUT, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left.count())) < 0) continue;
    if (watched[0].revents != 0 && !read_some(streams.out.read, end.out)) streams.out.read.close();
    if (watched[1].revents != 0 && !read_some(streams.err.read, end.err)) streams.err.read.close();
    if (watched[2].revents != 0 && !write_some(streams.in.write, input)) streams.in.write.close();
  }
  return true;
}

// The program may close its outputs before it ends.
bool wait_until(pid_t pid, int& status, Clock::time_point until) {
  while (true) {
    const pid_t found = ::waitpid(pid, &status, WNOHANG);
    if (found == pid) return true;
    if (Clock::now() >= until) return false;
    ::poll(nullptr, 0, 10);
  }
}

ProgramEnd not_started(std::string why) {
  return {ProgramEnd::Kind::not_started, 0, {}, std::move(why)};
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& argv, const std::string& input,
                       Duration time) {
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  if (!in || !out || !err) return not_started("no descriptors are left");
  Streams streams{std::move(*in), std::move(*out), std::move(*err)};
  ::fcntl(streams.in.write.fd(), F_SETFL, O_NONBLOCK);
  const auto pid = start_process({.argv = argv,
                                  .in = streams.in.read.fd(),
                                  .out = streams.out.write.fd(),
                                  .err = streams.err.write.fd(),
                                  .own_group = true});
  if (!pid) return not_started(argv.front() + ": " + pid.error().detail);
  streams.in.read.close(), streams.out.write.close(), streams.err.write.close();
  const auto until = Clock::now() + std::chrono::microseconds(time.us);
  ProgramEnd end;
  int status = 0;
  if (serve(streams, input, end, until) && wait_until(*pid, status, until)) {
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return end;
  }
  ::kill(-*pid, SIGKILL);
  ::kill(*pid, SIGKILL);
  wait_for(*pid);
  end.kind = ProgramEnd::Kind::timed_out;
  return end;
}

std::string failure_text(const ProgramEnd& end) {
  constexpr std::size_t bytes_max = 500;
  std::string text = end.err.empty() ? end.out : end.err;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  while (text.ends_with(' ')) text.pop_back();
  if (text.size() > bytes_max) text.resize(bytes_max);
  if (!text.empty()) return text;
  return end.kind == ProgramEnd::Kind::timed_out ? "no answer in time"
                                                 : "exit status " + std::to_string(end.status);
}

}  // namespace hone::engines
