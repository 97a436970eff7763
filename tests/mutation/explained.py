"""Why no test can notice these mutants: the file and the code that was replaced, and the reason."""

REASONS = {
    ("server/sweep/lease/fair_turns.cpp", "now <= service.at"):
        "the same value: the rate is multiplied by no time",
    ("server/sweep/lease/widths.cpp", "to > from"):
        "the same text: a width that does not change is not recorded",
    ("server/sweep/lease/widths.cpp", "left > 0"):
        "the same slots: a run in its last phase has nothing to gain by more",
    ("server/sweep/lease/widths.cpp", "lease.cpus > least"):
        "the same slots: a run with the least has none to give",
    ("server/sweep/submit/confirm.cpp", "bytes < text.size()"):
        "the same text: the byte after its end is 0, which continues no character",
    ("server/sweep/fleet/decide_fleet.cpp", "sweep.live_leases == 0"):
        "no rule of the table waits while trials are left to propose",
    ("server/sweep/fleet/decide_fleet.cpp", "waiting == 0"):
        "no rule of the table waits while trials are left to propose",
    ("server/sweep/history/import_confirmed.cpp", "forks > forks_followed_max"):
        "a bound of cost, of 1,000,000 forks: one more costs the same",
    ("worker/agent/glob.cpp", "at.pattern < pattern.size()"):
        "the same match: the byte after a pattern is 0, which is no wildcard",
    ("worker/agent/exit.cpp", "exit.number > 128"):
        "the same signal: 128 - 128 is that of no signal",
}
