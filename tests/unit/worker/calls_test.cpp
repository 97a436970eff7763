// The calls to the server and their way back to the loop; and the socket of a trial.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <future>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "tests/unit/sdk/given.hpp"
#include "tests/unit/worker/process_given.hpp"
#include "worker/process/call_threads.hpp"
#include "worker/process/mailbox.hpp"
#include "worker/process/trial_socket.hpp"

namespace hone::worker {
namespace {

bool is_readable(int fd, int wait_ms = 0) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, wait_ms) == 1;
}

// The mailbox -------------------------------------------------------------------------------------

TEST(Mailbox, is_readable_while_there_are_replies) {
  Mailbox mailbox;
  EXPECT_FALSE(is_readable(mailbox.fd()));
  EXPECT_TRUE(mailbox.take().empty());
  mailbox.post({1, CallReply{Done{}}});
  mailbox.post({2, refuse(Code::busy, "later")});
  EXPECT_TRUE(is_readable(mailbox.fd()));
  const auto replies = mailbox.take();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].id, 1);
  EXPECT_EQ(replies[1].id, 2);
  EXPECT_EQ(replies[1].reply.error().code, Code::busy);
  EXPECT_FALSE(is_readable(mailbox.fd()));
}

TEST(Mailbox, loses_none_of_many_threads) {
  constexpr int threads = 4, each = 2000;
  Mailbox mailbox;
  std::vector<std::thread> senders;
  for (int t = 0; t < threads; ++t)
    senders.emplace_back([&mailbox, t] {
      for (int i = 0; i < each; ++i) mailbox.post({t * each + i, CallReply{Done{}}});
    });
  std::vector<int> last(threads, -1);
  int received = 0;
  while (received < threads * each && is_readable(mailbox.fd(), patience_ms)) {
    for (const Replied& reply : mailbox.take()) {
      const auto sender = static_cast<std::size_t>(reply.id / each);
      EXPECT_LT(last[sender], static_cast<int>(reply.id)) << "in the order of each thread";
      last[sender] = static_cast<int>(reply.id);
      ++received;
    }
  }
  for (auto& sender : senders) sender.join();
  EXPECT_EQ(received, threads * each);
  EXPECT_TRUE(mailbox.take().empty());
}

// Call threads ------------------------------------------------------------------------------------

// Heartbeats have one thread and one connection.
const BeatCall one_beat{WorkerId{3}, {{LeaseId{1}}}};
const BeatReply beat_reply{{{LeaseId{1}, Order::none, {}}}};

class Calls : public InFolder {
 protected:
  // The next reply; id 0 if none comes.
  Replied next_reply() {
    if (replies_.empty() && is_readable(mailbox_.fd(), patience_ms)) replies_ = mailbox_.take();
    if (replies_.empty()) return {};
    Replied reply = std::move(replies_.front());
    replies_.erase(replies_.begin());
    return reply;
  }
  BlobCache& cache() {
    if (!cache_) cache_ = std::make_unique<BlobCache>(path("cache"));
    return *cache_;
  }

  CodeFolders& code() {
    if (!code_) code_ = std::make_unique<CodeFolders>(path("code"));
    return *code_;
  }

  Mailbox mailbox_;
  std::vector<Replied> replies_;
  std::unique_ptr<BlobCache> cache_;
  std::unique_ptr<CodeFolders> code_;
};

TEST_F(Calls, are_answered_under_their_ids) {
  Listener listener({[](Peer& peer) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(peer.request().starts_with("POST /v1/workers/wk_3/beat "));
      peer.answer(to_text(encode(beat_reply)));
    }
    peer.wait_for_end();
  }});
  CallThreads calls(listener.endpoint, cache(), code(), mailbox_);
  for (const CallId id : {7, 8}) {
    calls.send(id, one_beat);
    const Replied reply = next_reply();
    EXPECT_EQ(reply.id, id);
    ASSERT_TRUE(reply.reply) << reply.reply.error().detail;
    EXPECT_EQ(std::get<BeatReply>(*reply.reply).leases.size(), beat_reply.leases.size());
  }
  calls.stop();
}

TEST_F(Calls, to_a_server_that_is_down_are_answered_too) {
  Endpoint nowhere;
  {
    const Listener listener(std::vector<Listener::Script>{});
    nowhere = listener.endpoint;
  }
  CallThreads calls(nowhere, cache(), code(), mailbox_);
  calls.send(1, BeatCall{WorkerId{1}, {{LeaseId{1}}}});
  calls.send(2, EndCall{LeaseId{1}, {EndReason::budget_reached, 0, {}, {}}});
  for (int i = 0; i < 2; ++i) {
    const Replied reply = next_reply();
    EXPECT_TRUE(reply.id == 1 || reply.id == 2);
    ASSERT_FALSE(reply.reply);
    EXPECT_EQ(reply.reply.error().code, Code::unavailable);
  }
}

TEST_F(Calls, in_flight_are_interrupted_and_waiting_ones_dropped) {
  std::promise<void> arrived;
  Listener listener({[&](Peer& peer) {
    peer.request();
    arrived.set_value();
    peer.wait_for_end();  // never answers
  }});
  CallThreads calls(listener.endpoint, cache(), code(), mailbox_);
  calls.send(1, one_beat);
  calls.send(2, one_beat);  // one thread serves both
  arrived.get_future().wait();
  calls.stop();
  const Replied reply = next_reply();
  EXPECT_EQ(reply.id, 1);
  EXPECT_FALSE(reply.reply);
  EXPECT_TRUE(replies_.empty());
  EXPECT_FALSE(is_readable(mailbox_.fd())) << "the second was not sent";
  calls.stop();
}

TEST_F(Calls, for_a_cached_checkpoint_need_no_server) {
  Client client(Endpoint{});
  CodeRecorder recorder;
  const ModelRef model{ModelId{1}, sha256_hex("weights"), 7, 10, 0};
  BlobCache& cached = cache();
  write("cache/" + model.sha256, "weights");
  const auto reply = perform(client, cached, code(), recorder, FetchBlob{LeaseId{1}, model});
  ASSERT_TRUE(reply) << reply.error().detail;
  EXPECT_EQ(std::get<FetchedBlob>(*reply).path, path("cache/copies/le_1"));
}

TEST_F(Calls, for_files_that_are_gone_fail) {
  Client client(Endpoint{});
  CodeRecorder recorder;
  EXPECT_FALSE(perform(client, cache(), code(), recorder, StoreBlob{LeaseId{1}, path("missing")}));
  const KeepFiles gone{.lease = LeaseId{1}, .files = {{path("missing"), "missing"}}};
  EXPECT_FALSE(perform(client, cache(), code(), recorder, gone));
  EXPECT_TRUE(perform(client, cache(), code(), recorder, KeepFiles{LeaseId{1}, {"*"}}))
      << "none to keep";
}

// The socket of a trial ---------------------------------------------------------------------------

class TrialConnection {
 public:
  explicit TrialConnection(const std::string& path)
      : file_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(file_.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  void say(const std::string& line) const {
    EXPECT_EQ(::send(file_.fd(), line.data(), line.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(line.size()));
  }
  // One answer without its end; empty if there is none, or if the worker has hung up.
  [[nodiscard]] std::string answer() const {
    std::string line;
    char c = 0;
    while (is_readable(file_.fd()) && ::recv(file_.fd(), &c, 1, 0) == 1 && c != '\n') line += c;
    return line;
  }
  [[nodiscard]] bool is_closed() const {
    char c = 0;
    return is_readable(file_.fd()) && ::recv(file_.fd(), &c, 1, MSG_PEEK) <= 0;
  }
  void close() { file_.close(); }

 private:
  FileHandle file_;
};

class Socket : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    auto socket = TrialSocket::listen(path("socket"));
    ASSERT_TRUE(socket) << socket.error().detail;
    socket_ = std::make_unique<TrialSocket>(std::move(*socket));
  }
  TrialConnection connect() const { return TrialConnection(path("socket")); }

  std::unique_ptr<TrialSocket> socket_;
};

const std::string report_text = "{\"report\":{\"step\":1,\"value\":2}}\n";
const std::string metric_text = "{\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":2}}\n";

TEST_F(Socket, answers_reports_in_the_order_in_which_they_came) {
  const auto first = connect(), second = connect();
  first.say(report_text);
  EXPECT_EQ(socket_->serve().size(), 1U);
  second.say(metric_text + report_text);
  EXPECT_EQ(socket_->serve().size(), 2U);
  socket_->answer(Saved{"1"});
  EXPECT_EQ(first.answer(), R"({"saved":{"sha256":"1"}})");
  EXPECT_EQ(second.answer(), "");
  socket_->answer(Saved{"2"});
  EXPECT_EQ(second.answer(), R"({"saved":{"sha256":"2"}})");
  socket_->answer(Saved{"3"});
  EXPECT_EQ(first.answer() + second.answer(), "") << "no report waits";
}

TEST_F(Socket, gives_the_answer_of_a_closed_connection_to_no_other) {
  auto first = connect();
  const auto second = connect();
  first.say(report_text);
  EXPECT_EQ(socket_->serve().size(), 1U);
  second.say(report_text);
  EXPECT_EQ(socket_->serve().size(), 1U);
  first.close();
  socket_->serve();
  socket_->answer(Saved{"1"});
  EXPECT_EQ(second.answer(), "");
  socket_->answer(Saved{"2"});
  EXPECT_EQ(second.answer(), R"({"saved":{"sha256":"2"}})");
}

TEST_F(Socket, accepts_no_more_connections_than_its_limit_until_one_closes) {
  std::vector<TrialConnection> all;
  for (int i = 0; i <= limits::connections_max; ++i) all.push_back(connect());
  for (const auto& one : all) one.say(metric_text);
  socket_->serve();
  EXPECT_EQ(socket_->serve().size(), 0U) << "those accepted were read";
  std::vector<pollfd> fds;
  socket_->watch(fds, false);
  EXPECT_EQ(fds.size(), static_cast<std::size_t>(limits::connections_max)) << "no listener";
  all.front().close();
  socket_->serve();
  EXPECT_EQ(socket_->serve().size(), 1U) << "the last one";
}

TEST_F(Socket, watches_nothing_to_read_while_it_is_held) {
  const auto one = connect();
  socket_->serve();
  std::vector<pollfd> fds;
  socket_->watch(fds, true);
  EXPECT_TRUE(fds.empty());
  socket_->watch(fds, false);
  EXPECT_EQ(fds.size(), 2U) << "the listener and the connection";
}

TEST_F(Socket, hangs_up_on_a_process_that_never_reads_its_answers) {
  const auto one = connect();
  const std::string wrong = std::string(200, 'x') + "\n";
  std::string many;
  for (int i = 0; i < 300; ++i) many += wrong;
  bool closed = false;
  for (int i = 0; i < 400 && !closed; ++i) {
    one.say(many);
    for (int j = 0; j < 3; ++j) EXPECT_TRUE(socket_->serve().empty());
    std::vector<pollfd> fds;
    socket_->watch(fds, false);
    closed = fds.size() == 1;  // the listener
  }
  EXPECT_TRUE(closed);
}

TEST_F(Socket, takes_the_last_line_of_a_connection_without_its_end) {
  auto one = connect();
  one.say(report_text.substr(0, report_text.size() - 1));
  EXPECT_TRUE(socket_->serve().empty());
  one.close();
  EXPECT_EQ(socket_->serve().size(), 1U);
}

TEST_F(Socket, replaces_a_socket_that_an_earlier_worker_left) {
  const auto again = TrialSocket::listen(path("socket"));
  EXPECT_TRUE(again);
  const auto deep = TrialSocket::listen(path(std::string(120, 'd')));
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().detail.find("too long"), std::string::npos);
}

}  // namespace
}  // namespace hone::worker
