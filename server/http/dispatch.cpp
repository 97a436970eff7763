// Answers a request from its header on: checks, route, token, rate, body, handler.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "server/api/origin.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "server/dashboard/pages.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"
#include "server/standby/standbys.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

api::Method method_of(std::string_view method) {
  if (method == "GET" || method == "HEAD") return api::Method::get;
  if (method == "POST") return api::Method::post;
  return method == "PUT" ? api::Method::put : api::Method::other;
}

bool is_continue(std::string_view expect) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::ranges::equal(expect, std::string_view("100-continue"), same);
}

// Checks the header's fields, whatever the route.
Status check_header(const Shared& shared, const RequestHead& head) {
  if (head.fields > limits::header_fields_max)
    return refuse(Code::too_large, "the request has more than " +
                                       std::to_string(limits::header_fields_max) +
                                       " header fields");
  if (!head.expect.empty() && !is_continue(head.expect))
    return refuse(Code::invalid, "the only expectation this server supports is 100-continue");
  return api::check_origin(head.host, head.origin, {shared.local_only, shared.tls != nullptr});
}

// Finds the owner of the request's token. Returns a refusal, or nullopt.
std::optional<api::Response> authenticate(const Shared& shared, const RequestHead& head,
                                          Incoming& incoming) {
  if (shared.parts->keys == nullptr) return std::nullopt;
  const auto speaker = api::check_access(*incoming.route, *shared.parts->keys, head.authorization,
                                         incoming.request.now);
  if (!speaker) return api::problem(speaker.error());
  incoming.request.speaker = *speaker;
  return std::nullopt;
}

// Whether the text may go into a log and a header unchanged.
bool is_request_id(std::string_view text) {
  constexpr std::size_t longest = 64;
  return !text.empty() && text.size() <= longest && is_plain(text, "-_.");
}

// The id under which the logs of both sides have the request.
std::string request_id(Shared& shared, const RequestHead& head) {
  if (is_request_id(head.request_id)) return head.request_id;
  return shared.id_prefix + std::to_string(++shared.requests);
}

// The answer if the path is a file of the dashboard.
std::optional<api::Response> answer_page(const Shared& shared, const api::Request& request,
                                         const RequestHead& head) {
  if (shared.parts->dashboard == nullptr) return std::nullopt;
  return shared.parts->dashboard->answer(request, {head.accept_encoding, head.if_none_match});
}

// A client that has seen a promoted standby returns its term: a primary that it replaced ends here.
void consider_term(const Shared& shared, const RequestHead& head) {
  auto* const standbys = shared.parts->standbys;
  if (head.term.empty() || standbys == nullptr) return;
  if (const auto term = standby::parse_term(head.term)) standbys->consider(*term, {});
}

// A client asks by HEAD whether it must send a blob: what a standby holds tells nothing about the
// primary, to which the record of the blob goes.
bool begins_a_write(const Incoming& incoming) {
  return incoming.head_only && std::holds_alternative<api::GetBlob>(incoming.route->handler);
}

// A follower answers reads alone.
std::optional<api::Response> refuse_write(const Shared& shared, const Incoming& incoming) {
  const auto* role = shared.parts->role;
  if (role == nullptr || !role->is_follower()) return std::nullopt;
  if (!api::is_write(*incoming.route) && !begins_a_write(incoming)) return std::nullopt;
  return api::problem(refuse(Code::unavailable,
                             "this server is a standby of " + role->primary() +
                                 " and accepts no writes: send them there. If that server is lost, "
                                 "'hone db promote' makes this one the primary"));
}

// Fills in `incoming` from the header. Returns a refusal, or nullopt.
std::optional<api::Response> accept_header(const Shared& shared, const RequestHead& head,
                                           Incoming& incoming) {
  incoming.version = head.version;
  incoming.keep_alive = head.keep_alive;
  incoming.head_only = head.method == "HEAD";
  incoming.content_length = head.content_length;
  incoming.chunked = head.chunked;
  incoming.has_body = head.chunked || head.content_length.value_or(0) > 0;
  incoming.wants_continue = head.version >= 11 && !head.expect.empty();
  if (auto fine = check_header(shared, head); !fine) return api::problem(fine.error());
  consider_term(shared, head);
  auto parsed = api::parse_target(method_of(head.method), head.target);
  if (!parsed) return api::problem(parsed.error());
  auto& request = incoming.request = *std::move(parsed);
  if (auto page = answer_page(shared, request, head)) return page;
  if (auto ours = api::check_site(head.site); !ours) return api::problem(ours.error());
  auto match = api::find_route(request.method, request.path);
  if (match.route == nullptr && !match.allow.empty())
    return api::wrong_method(head.method, request.path, match.allow);
  if (match.route == nullptr)
    return api::problem(refuse(Code::not_found, "there is nothing at " + request.path));
  request.ids = std::move(match.ids);
  request.accept = head.accept;
  request.last_event_id = head.last_event_id;
  request.counters = &shared.parts->counters;
  request.logs = shared.parts->logs;
  request.newest_seq = shared.newest_seq.load();
  request.role = shared.parts->role;
  request.troubles = shared.parts->troubles;
  request.forecasts = shared.parts->forecasts;
  request.contacts = shared.parts->contacts;
  request.now = shared.now();
  incoming.route = match.route;
  if (auto refusal = authenticate(shared, head, incoming)) return refusal;
  if (auto refusal = refuse_write(shared, incoming)) return refusal;
  if (auto known = api::check_query(*match.route, request); !known)
    return api::problem(known.error());
  return std::nullopt;
}

// How long a client with too many requests must wait; nullopt if the request may proceed.
std::optional<Duration> wait_of(Connection& connection, const Incoming& incoming) {
  auto& clients = connection.shared.clients;
  if (!clients.counts_requests(connection.client)) return std::nullopt;
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  const Instant now{std::chrono::duration_cast<std::chrono::microseconds>(since_start).count()};
  return clients.add_request(speaker_of(connection, incoming), now);
}

api::Response too_many_requests(Duration wait) {
  auto response = api::problem(refuse(Code::rate_limited,
                                      "more requests than one token or address may send; wait as "
                                      "long as Retry-After says"));
  response.retry_after_s = static_cast<int>((wait.us + 999'999) / 1'000'000);
  return response;
}

// Only a client with a token, if tokens are required, may make the server keep bytes.
std::size_t body_bytes_max(const api::Route& route) {
  const auto* write = std::get_if<api::Write>(&route.handler);
  if (write != nullptr) return write->body_bytes_max;
  if (std::holds_alternative<api::PutLog>(route.handler)) return limits::log_bytes_max;
  const auto* read = std::get_if<api::Read>(&route.handler);
  if (read != nullptr && !route.needs.empty()) return read->body_bytes_max;
  return route.needs.empty() ? 0 : limits::read_body_bytes_max;
}

// Counts the body before it is read. A body of chunks may become as large as its route takes.
Result<ByteBudget::Share> reserve_body(Connection& connection, const Incoming& incoming,
                                       std::size_t most) {
  const std::size_t bytes = incoming.chunked ? most : incoming.content_length.value_or(0);
  if (bytes <= limits::small_body_bytes) return ByteBudget::Share();
  auto share = connection.shared.bodies.take(speaker_of(connection, incoming), bytes);
  if (share) return *std::move(share);
  return refuse(Code::busy,
                "the server is receiving as many bytes as it may: try again in a second");
}

asio::awaitable<Status> receive_body(Connection& connection, Incoming& incoming,
                                     ByteBudget::Share& held) {
  const std::size_t most = body_bytes_max(*incoming.route);
  if (incoming.content_length.value_or(0) > most || (most == 0 && incoming.chunked))
    co_return refuse(Code::too_large,
                     most == 0 ? "this path takes no body"
                               : "the body is larger than " + std::to_string(most) + " bytes");
  auto reserved = reserve_body(connection, incoming, most);
  if (!reserved) co_return reserved.error();
  held = *std::move(reserved);
  co_await send_continue(connection, incoming);
  co_return co_await connection.read_body(incoming.request.body, most);
}

// The counter for the time until a command's reply; nullptr if it is not counted.
Lengths* lengths_of(Counters& counters, const Command& command) {
  if (std::holds_alternative<Report>(command)) return &counters.reports;
  return std::holds_alternative<Ask>(command) ? &counters.asks : nullptr;
}

Duration since(std::chrono::steady_clock::time_point start) {
  const auto time = std::chrono::steady_clock::now() - start;
  return {std::chrono::duration_cast<std::chrono::microseconds>(time).count()};
}

// Parses a small body at once, and a large one or an import on another thread.
asio::awaitable<Result<api::ParsedWrite>> parse_command(Connection& connection,
                                                        const api::Write& write,
                                                        const Incoming& incoming) {
  auto& shared = connection.shared;
  const api::Request& request = incoming.request;
  const auto parse = [&parts = *shared.parts, &write, &request] {
    const Spending spending(parts.counters, Part::parse);
    return api::parse_write(write, parts.blobs, request);
  };
  const bool is_import = write.one_at_a_time;
  if (request.body.size() <= limits::io_parse_bytes_max && !is_import) co_return parse();
  const auto speaker = speaker_of(connection, incoming);
  auto pending = on_parser<api::ParsedWrite>(shared, speaker, is_import, parse);
  co_return co_await std::move(pending);
}

// Whether the token of a request was revoked, or has expired, since its header was read.
bool has_lost_access(const Shared& shared, const api::Request& request) {
  const TokenId token = request.speaker.token;
  return shared.parts->keys != nullptr && token &&
         shared.parts->keys->find_live(token, shared.now()) == nullptr;
}

// The worker that sends such a command of itself, and so shows that it is alive.
std::optional<WorkerId> sender_of(const Command& command) {
  if (const auto* acquire = std::get_if<Acquire>(&command)) return acquire->request.worker;
  if (const auto* beat = std::get_if<Beat>(&command)) return beat->worker;
  return std::nullopt;
}

// Takes the samples of its machine out of a worker's command: no rule reads them.
std::optional<MachineSamples> take_machine(Command& command) {
  if (auto* acquire = std::get_if<Acquire>(&command))
    return std::exchange(acquire->request.machine, std::nullopt);
  if (auto* beat = std::get_if<Beat>(&command))
    return std::exchange(beat->request.machine, std::nullopt);
  return std::nullopt;
}

// What a worker shows of itself with a command. Its samples are kept at once where an earlier
// request proved that the worker is the token's: a request for work may wait half a minute.
class Sighting {
 public:
  Sighting(api::WorkerContacts* contacts, Command& command, const api::Request& request)
      : contacts_(contacts), worker_(sender_of(command)), request_(request) {
    auto samples = take_machine(command);
    if (contacts_ == nullptr || !worker_) return;
    const bool known = contacts_->arrived(*worker_, request_.speaker.token, request_.now);
    if (known && samples) contacts_->machines().add(*worker_, *samples, request_.now);
    if (!known) samples_ = std::move(samples);
  }
  void accepted() {
    if (contacts_ == nullptr || !worker_) return;
    contacts_->accepted(*worker_, request_.speaker.token, request_.now);
    if (samples_) contacts_->machines().add(*worker_, *samples_, request_.now);
  }

 private:
  api::WorkerContacts* contacts_;
  std::optional<WorkerId> worker_;
  const api::Request& request_;
  std::optional<MachineSamples> samples_{};
};

asio::awaitable<api::Response> answer_write(Connection& connection, const api::Write& write,
                                            const Incoming& incoming) {
  auto& shared = connection.shared;
  const api::Request& request = incoming.request;
  auto& parts = *shared.parts;
  auto parsing = parse_command(connection, write, incoming);
  auto parsed = co_await std::move(parsing);
  if (!parsed) co_return api::problem(parsed.error());
  Lengths* const lengths = lengths_of(parts.counters, parsed->command);
  Sighting sighting(parts.contacts, parsed->command, request);
  const auto asked_at = std::chrono::steady_clock::now();
  auto pending =
      ask_engine(shared, std::move(parsed->command), request.speaker, std::move(parsed->digest));
  auto reply = co_await std::move(pending);
  if (auto* beat = reply ? std::get_if<BeatReply>(&*reply) : nullptr; beat && parts.logs)
    parts.logs->mark(*beat, request.now);
  if (lengths != nullptr) lengths->add(since(asked_at));
  if (reply) sighting.accepted();
  // Update the keyring before replying, so that a revoked token is already rejected when the client
  // gets the reply.
  const auto* key = reply ? std::get_if<Key>(&*reply) : nullptr;
  if (key != nullptr && parts.keys != nullptr) {
    parts.keys->learn(*key);
    wake_watchers(shared);  // the streams of a revoked token end
  }
  const bool undeliverable = reply && write.take_back != nullptr &&
                             (connection.is_gone() || has_lost_access(shared, request));
  auto undo = undeliverable ? write.take_back(*reply) : std::nullopt;
  if (!undo) co_return api::render_write(write, reply);
  auto undoing = ask_engine(shared, *std::move(undo));
  (void)co_await std::move(undoing);  // a refusal means that it is undone already
  co_return api::problem(
      refuse(Code::unavailable, "the client had closed its side while it waited; ask again"));
}

asio::awaitable<api::Response> answer_read(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  const bool is_heavy = api::weight_of(*incoming.route, incoming.request) == api::Weight::heavy;
  const Lane lane = is_heavy ? Lane::sweep : Lane::page;
  const auto speaker = speaker_of(connection, incoming);
  if (auto may = shared.reads.may_start(lane, speaker); !may) co_return api::problem(may.error());
  const Reads::Pass pass(shared.reads, lane, speaker, connection);
  auto work = [&incoming, ticket = pass.ticket()](SQLite::Database& db) -> Result<api::Response> {
    api::Request request = incoming.request;
    request.stop = &ticket->stop;
    return api::answer_read(*incoming.route, db, request);
  };
  auto pending = on_reader<api::Response>(shared, pass.ticket(), work);
  auto response = co_await std::move(pending);
  co_return response ? *std::move(response) : api::problem(response.error());
}

asio::awaitable<api::Response> answer(Connection& connection, const Incoming& incoming) {
  if (const auto* write = std::get_if<api::Write>(&incoming.route->handler)) {
    auto pending = answer_write(connection, *write, incoming);
    co_return co_await std::move(pending);
  }
  if (const auto* probe = std::get_if<api::Probe>(&incoming.route->handler))
    co_return api::answer_probe(*probe, incoming.request);
  if (std::holds_alternative<api::PutLog>(incoming.route->handler)) {
    auto pending = take_log(connection, incoming);
    co_return co_await std::move(pending);
  }
  auto pending = answer_read(connection, incoming);
  co_return co_await std::move(pending);
}

bool wants_events(const Incoming& incoming) {
  return std::holds_alternative<api::Follow>(incoming.route->handler) && !incoming.head_only &&
         incoming.request.accept.find("text/event-stream") != std::string::npos;
}

}  // namespace

std::string speaker_of(const Connection& connection, const Incoming& incoming) {
  const TokenId token = incoming.request.speaker.token;
  return token ? text(token) : connection.client.name;
}

asio::awaitable<After> answer_request(Connection& connection, const RequestHead& head) {
  Incoming incoming;
  incoming.id = request_id(connection.shared, head);
  auto refusal = accept_header(connection.shared, head, incoming);
  if (auto wait = wait_of(connection, incoming)) refusal = too_many_requests(*wait);
  if (refusal) co_return co_await write_early(connection, incoming, *std::move(refusal));
  if (std::holds_alternative<api::PutBlob>(incoming.route->handler))
    co_return co_await put_blob(connection, incoming);
  const auto alone =
      connection.shared.only_one.enter(*incoming.route, speaker_of(connection, incoming));
  if (!alone) co_return co_await write_early(connection, incoming, api::problem(alone.error()));
  ByteBudget::Share held;
  const Status received = co_await receive_body(connection, incoming, held);
  if (!received)
    co_return co_await write_early(connection, incoming, api::problem(received.error()));
  if (std::holds_alternative<api::GetBlob>(incoming.route->handler))
    co_return co_await get_blob(connection, incoming);
  if (std::holds_alternative<api::PullPage>(incoming.route->handler))
    co_return co_await pull_page(connection, incoming);
  if (std::holds_alternative<api::Piecewise>(incoming.route->handler))
    co_return co_await send_pieces(connection, incoming);
  if (wants_events(incoming)) co_return co_await follow(connection, incoming);
  auto response = co_await answer(connection, incoming);
  co_return co_await write_answer(connection, incoming, std::move(response));
}

}  // namespace hone::http
