// What the server answers. Readers skip fields they do not know: the server may be newer.
#include "schemas/codec/parts.hpp"

namespace hone::codec {

void fields(auto& f, Of<JoinReply> auto& r) {
  f("worker", r.worker)("lease", r.lease)("heartbeat", r.heartbeat).some("epoch", r.epoch);
  f.some("phase_seconds", r.phase_seconds).some("machine", r.machine);
}

void fields(auto& f, Of<ModelRef> auto& m) {
  f("model", m.id)("sha256", m.sha256, Digest{})("bytes", m.bytes, Integer{0});
  f("step", m.step, Integer{0})("phase", m.phase, Integer{0});
}

void fields(auto& f, Of<TimeLimits> auto& l) { f.some("run", l.run).some("phase", l.phase); }

void fields(auto& f, Of<AttemptOrigin> auto& o) {
  f("step", o.step, Integer{0})("phase", o.phase, Integer{0});
  f.some("begin", o.begin, Integer{0}).some("reported", o.reported, Integer{0});
}

void fields(auto& f, Of<LeaseGrant> auto& g) {
  f("lease", g.lease)("attempt", g.attempt)("sweep", g.sweep)("sweep_name", g.sweep_name);
  f("objective", g.objective)("trainer", g.trainer)("params", g.params)("seed", g.seed, seed_rule);
  f("budget", g.budget)("resources", g.resources)("next_phase", g.next_phase, Integer{0});
  f.maybe("resume", g.resume)("expires_at", g.expires_at, WireTime{}).some("limits", g.limits);
  f.some("step", g.step).some("inputs", g.inputs, ListOf{OfType{}, files_max});
  f.some("further_objectives", g.further_objectives, ListOf{OfType{}, objectives_max});
  f.some("devices", g.devices, device_numbers).some("origin", g.origin);
}
void fields(auto& f, Of<std::optional<LeaseGrant>> auto& grant) { f.maybe("grant", grant); }

void fields(auto& f, Of<LeaseStanding> auto& s) {
  f("lease", s.lease)("order", s.order)("expires_at", s.expires_at, WireTime{});
  f.some("stale_epoch", s.stale_epoch).some("log_wanted", s.log_wanted);
}
void fields(auto& f, Of<BeatReply> auto& r) { f("leases", r.leases); }

void fields(auto& f, Of<ReportReply, TellReply> auto& r) { fields(f, r.verdict); }

void fields(auto& f, Of<AskReply> auto& r) {
  f("trial", r.trial)("number", r.number, Integer{0})("lease", r.lease)("params", r.params);
  f("seed", r.seed, seed_rule)("next_phase", r.next_phase, Integer{0}).some("epoch", r.epoch);
  f.some("resume", r.resume).some("origin", r.origin);
}

void fields(auto& f, Of<EnqueueReply> auto& r) { f("waiting", r.waiting, Integer{0}); }

void fields(auto& f, Of<CreateTokenReply> auto& r) {
  f("token", r.token).maybe("expires_at", r.expires_at, WireTime{});
}

void fields(auto& f, Of<SaveModelReply> auto& r) { f("model", r.model); }

void fields(auto& f, Of<FleetReply> auto& r) { f("fleet", r.fleet); }

void fields(auto& f, Of<EvaluateReply> auto& r) { f("evaluation", r.evaluation); }

template struct Replies<JoinReply, BeatReply, ReportReply, AskReply, TellReply, EnqueueReply,
                        CreateTokenReply, SaveModelReply, FleetReply, EvaluateReply,
                        std::optional<LeaseGrant>>;

}  // namespace hone::codec
