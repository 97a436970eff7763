#include "worker/train/envs/bridge/host.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "schemas/values/number.hpp"

namespace hone::envs::bridge {
namespace {

constexpr std::uint32_t reset_command = 1;
constexpr std::uint32_t step_command = 2;
constexpr std::size_t header_bytes = 64;  // words: command, observations to write, failed
constexpr std::size_t error_bytes = 4096;
constexpr int patience_s = 60;  // for a step, or for the start of Python and of all copies

int patience_ms() {
  const char* given = std::getenv("HONE_ENV_TIMEOUT");
  const int seconds = given == nullptr ? 0 : std::atoi(given);
  return (seconds > 0 ? std::min(seconds, 86'400) : patience_s) * 1000;
}

Error no_description(const std::string& name, const std::string& why) {
  return refuse(Code::invalid, name + ": " + why, "/env");
}

// "observation byte 28224 84 84 4 1\naction discrete 6\nlimit 27000\nsolved none\n"
Result<Description> parse_description(const std::string& name, const std::string& text) {
  if (text.starts_with("error ")) return no_description(name, text.substr(6, text.find('\n') - 6));
  std::istringstream words(text);
  std::string label, kind, action, solved;
  int channels_first = 0;
  Description what;
  auto& spec = what.spec;
  words >> label >> kind >> spec.observation_size >> spec.planes.rows >> spec.planes.columns >>
      spec.planes.channels >> channels_first >> label >> action >> spec.actions >> label >>
      spec.step_limit >> label >> solved;
  if (!words || spec.observation_size <= 0 || spec.actions <= 0)
    return no_description(name, "Python said nothing of this environment; its log says why");
  what.bytes = kind == "byte";
  what.channels_first = channels_first != 0;
  if (what.bytes && spec.planes != Planes{}) spec.storage = Storage::bytes;
  spec.action_kind = action == "continuous" ? ActionKind::continuous : ActionKind::discrete;
  if (solved != "none") spec.solved_return = read_number(solved).value_or(0);
  spec.forgets = true;
  if (name.starts_with("atari:")) spec.sticky = 0.0;
  return what;
}

std::string plan_text(const HostPlan& plan, const Layout& layout, const std::array<int, 4>& links) {
  const bool discrete = plan.what.spec.action_kind == ActionKind::discrete;
  std::ostringstream text;
  text << "{\"count\":" << plan.count << ",\"sticky\":" << plan.sticky << ",\"memory\":" << links[0]
       << ",\"bytes\":" << layout.bytes << ",\"error\":" << layout.error
       << ",\"error_bytes\":" << error_bytes << ",\"seeds\":" << layout.seeds
       << ",\"actions\":" << layout.actions
       << ",\"actions_each\":" << (discrete ? 1 : plan.what.spec.actions) << ",\"action_code\":\""
       << (discrete ? 'i' : 'f') << "\",\"rewards\":" << layout.rewards
       << ",\"terminated\":" << layout.terminated << ",\"truncated\":" << layout.truncated
       << ",\"final\":" << layout.final << ",\"observations\":[" << layout.observations[0] << ","
       << layout.observations[1] << "],\"bells\":[" << links[1] << "," << links[2]
       << "],\"lifeline\":" << links[3] << "}";
  return text.str();
}

Error no_resources(const std::string& what, const std::string& why = std::strerror(errno)) {
  return refuse(Code::internal, "cannot make " + what + ": " + why);
}

}  // namespace

Result<Description> describe(const std::string& name) {
  auto pipe = make_pipe();
  if (!pipe) return no_resources("a pipe", pipe.error().detail);
  const int in = pipe->write.fd();
  auto python = Python::start({"describe", name, std::to_string(in)}, {in});
  pipe->write.close();
  if (!python) return python.error();
  pollfd said{pipe->read.fd(), POLLIN, 0};
  const int ready = ::poll(&said, 1, patience_ms());
  if (ready == 0) return no_description(name, "Python did not say in time what it is like");
  return parse_description(name, read_to_end(pipe->read));
}

Layout::Layout(const HostPlan& plan) {
  const auto count = static_cast<std::size_t>(plan.count);
  const auto& spec = plan.what.spec;
  const auto each = static_cast<std::size_t>(spec.observation_size);
  const auto actions_each = spec.action_kind == ActionKind::discrete
                                ? std::size_t{1}
                                : static_cast<std::size_t>(spec.actions);
  constexpr std::size_t line = 64;
  const auto place = [this](std::size_t size) {
    const auto start = bytes;
    bytes += (size + line - 1) / line * line;
    return start;
  };
  place(header_bytes);
  error = place(error_bytes);
  seeds = place(count * sizeof(std::int64_t));
  actions = place(count * actions_each * 4);
  rewards = place(count * sizeof(float));
  terminated = place(count);
  truncated = place(count);
  const auto all = count * each * (plan.what.bytes ? 1 : sizeof(float));
  for (auto& one : observations) one = place(all);
  final = place(all);
}

Result<std::unique_ptr<Host>> Host::start(const HostPlan& plan) {
  const Layout layout(plan);
  Links links;
  links.memory = FileHandle(::memfd_create("hone-env", MFD_CLOEXEC));
  links.call = FileHandle(::eventfd(0, EFD_CLOEXEC));
  links.answer = FileHandle(::eventfd(0, EFD_CLOEXEC));
  auto lifeline = make_pipe();
  if (!links.memory || !links.call || !links.answer || !lifeline)
    return no_resources("shared memory");
  const FileHandle theirs(std::move(lifeline->read));
  links.lifeline = std::move(lifeline->write);
  if (::ftruncate(links.memory.fd(), static_cast<off_t>(layout.bytes)) != 0)
    return no_resources("shared memory");
  void* segment =
      ::mmap(nullptr, layout.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, links.memory.fd(), 0);
  if (segment == MAP_FAILED) return no_resources("shared memory");
  const std::array<int, 4> numbers{links.memory.fd(), links.call.fd(), links.answer.fd(),
                                   theirs.fd()};
  auto python = Python::start({"serve", plan.name, plan_text(plan, layout, numbers)},
                              {numbers[0], numbers[1], numbers[2], numbers[3]});
  if (!python) {
    ::munmap(segment, layout.bytes);
    return python.error();
  }
  return std::unique_ptr<Host>(new Host(plan, layout, std::move(links), *std::move(python),
                                        static_cast<std::byte*>(segment)));
}

Host::~Host() { ::munmap(segment_, layout_.bytes); }

Status Host::reset(std::span<const std::int64_t> seeds) {
  std::copy(seeds.begin(), seeds.end(), at<std::int64_t>(layout_.seeds));
  return command(reset_command);
}

Status Host::step(const Actions& actions) {
  if (plan_.what.spec.action_kind == ActionKind::discrete)
    std::copy(actions.discrete.begin(), actions.discrete.end(), at<std::int32_t>(layout_.actions));
  else
    std::copy(actions.continuous.begin(), actions.continuous.end(), at<float>(layout_.actions));
  return command(step_command);
}

// The eventfds order the writes of both sides: a read of one happens after all that came before the
// write.
Status Host::command(std::uint32_t number) {
  auto* header = at<std::uint32_t>(0);
  now_ = 1 - now_;
  header[0] = number;
  header[1] = static_cast<std::uint32_t>(now_);
  if (::eventfd_write(links_.call.fd(), 1) != 0) return no_resources("a call");
  if (auto answered = await_answer(); !answered) return answered;
  if (header[2] == 0) return Done{};
  const auto* text = at<char>(layout_.error);
  return refuse(Code::internal, std::string(text, ::strnlen(text, error_bytes)));
}

Status Host::await_answer() {
  std::array<pollfd, 2> watched{pollfd{links_.answer.fd(), POLLIN, 0},
                                pollfd{python_.descriptor(), POLLIN, 0}};
  int ready = 0;
  do ready = ::poll(watched.data(), watched.size(), patience_ms());
  while (ready < 0 && errno == EINTR);
  if (ready == 0)
    return refuse(Code::timed_out, "no answer for " + std::to_string(patience_ms() / 1000) +
                                       " s (HONE_ENV_TIMEOUT allows more)");
  eventfd_t rings = 0;
  if ((watched[0].revents & POLLIN) != 0 && ::eventfd_read(links_.answer.fd(), &rings) == 0)
    return Done{};
  return refuse(Code::unavailable, "its process " + python_.ending());
}

std::span<const float> Host::rewards() const {
  return {at<float>(layout_.rewards), static_cast<std::size_t>(plan_.count)};
}
std::span<const std::uint8_t> Host::terminated() const {
  return {at<std::uint8_t>(layout_.terminated), static_cast<std::size_t>(plan_.count)};
}
std::span<const std::uint8_t> Host::truncated() const {
  return {at<std::uint8_t>(layout_.truncated), static_cast<std::size_t>(plan_.count)};
}

void Host::read(std::size_t offset, int i, float* out) const {
  const auto& what = plan_.what;
  const auto size = static_cast<std::size_t>(what.spec.observation_size);
  const auto start = static_cast<std::size_t>(i) * size;
  if (!what.bytes) {
    std::copy_n(at<float>(offset) + start, size, out);
    return;
  }
  const auto* bytes = at<std::uint8_t>(offset) + start;
  if (what.spec.storage == Storage::floats) {
    for (std::size_t k = 0; k < size; ++k) out[k] = byte_scale * bytes[k];
    return;
  }
  auto* planes = reinterpret_cast<std::uint8_t*>(out);
  const auto channels =
      what.channels_first ? static_cast<std::size_t>(what.spec.planes.channels) : std::size_t{1};
  const auto places = size / channels;
  const auto interleave = [&](std::size_t count) {
    for (std::size_t p = 0; p < places; ++p)
      for (std::size_t c = 0; c < count; ++c) planes[p * count + c] = bytes[c * places + p];
  };
  if (channels == 4) return interleave(4);  // Atari: faster with a constant
  interleave(channels);
}

}  // namespace hone::envs::bridge
