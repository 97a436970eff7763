"""`hone simulate cluster` with the real programs: the examples, and a policy of `hone train harmony`."""
import json

from commands import hone, ok
from conftest import ROOT

EXAMPLES = ROOT / "sdk" / "examples" / "cluster"


def simulate(file, *words):
    return json.loads(ok("simulate", "cluster", file, *words, "--format", "json"))


def test_the_examples_rank_the_policies_and_name_what_is_simulated():
    rows = simulate(EXAMPLES / "harmony.yaml", "--seeds", "10")
    relative = {row["policy"]: row["of_oracle"]["mean"] for row in rows}
    assert relative["placement-oracle"] == 1
    assert relative["load-balancing"] > relative["lif-linear"] > 0.98
    assert all(row["simulated"] and row["seeds"] == 10 for row in rows)
    text = ok("simulate", "cluster", EXAMPLES / "optimus.yaml", "--seeds", "2")
    assert text.startswith("Simulated, not measured: optimus, 13 servers, seeds 1 to 2")


def test_recorded_jobs_run_at_the_speeds_that_were_measured(tmp_path):
    profile = tmp_path / "traces" / "small"
    profile.mkdir(parents=True)
    (profile / "placements.csv").write_text(
        "placement,local_bsz,step_time,sync_time\n1,8,1.5,0.0\n2,4,1.0,0.2\n")
    (profile / "validation-8.csv").write_text(
        "progress,iteration,metric,grad_sqr,grad_var\n100,100,0.5,1,1\n")
    (tmp_path / "jobs.csv").write_text(
        "name,time,application,num_replicas,batch_size\na,0,small,1,8\n")
    file = tmp_path / "cluster.yaml"
    file.write_text("""
rule: measured
interval: 60
preempts: true
restart: 30
servers: [{gpus: 2, cpus: 2}]
trace: {format: pollux, file: jobs.csv, profiles: traces}
policies: [las-fill]
oracle: optimus-fill
""")
    rows = {row["policy"]: row["completion_s"]["mean"] for row in simulate(file)}
    assert rows == {"las-fill": 30 + 150, "optimus-fill": 30 + 100}
    (profile / "placements.csv").write_text("placement\n1\n")
    refused = hone("simulate", "cluster", file)
    assert refused.returncode != 0
    assert "small/placements.csv needs the columns placement, local_bsz" in refused.stderr
    refused = hone("simulate", "cluster", file, "--set", "trace.profiles=nothing")
    assert refused.returncode != 0 and "nothing has no folders of profiles" in refused.stderr


def test_pairs_of_jobs_share_a_gpu_where_they_gain(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps({"v100": {
        "('light', 1)": {"null": 20, "('light', 1)": [18, 18]}}}))
    file = tmp_path / "cluster.yaml"
    file.write_text("""
rule: pairs
preempts: true
servers: [{count: 2, cpus: 2, kind: v100}]
pairs: {throughputs: t.json}
jobs: {count: 40, per_interval: 1, workers: 1, parameter_servers: false}
""")
    rows = {row["policy"]: row["of_oracle"]["mean"] for row in simulate(file)}
    assert set(rows) == {"never-pack", "pack-all", "pack-measured", "pack-oracle"}
    assert rows["pack-measured"] < 0.8 * rows["never-pack"]
    refused = hone("simulate", "cluster", file, "--against", "fifo")
    assert refused.returncode != 0 and "policy 'fifo' is not for this rule" in refused.stderr


def test_a_trained_policy_is_compared(tmp_path):
    model = tmp_path / "harmony.json"
    ok("train", "harmony", "--jobs", "400", "--seed", "1", "--set", "samples=500", "--set",
       "reward_epochs=8", "--set", "hidden=24", "--out", model)
    file = tmp_path / "cluster.yaml"
    learned = "{harmony: harmony.json}, {learned-search: harmony.json}"
    file.write_text((EXAMPLES / "harmony.yaml").read_text().replace(
        "policies: [", f"policies: [{learned}, "))
    rows = simulate(file, "--seeds", "5")
    relative = {row["policy"]: row["of_oracle"]["mean"] for row in rows}
    assert relative["learned-search"] < relative["load-balancing"]
    assert set(relative) >= {"harmony", "packing", "placement-oracle"}
    model.write_text("{}")
    refused = hone("simulate", "cluster", file)
    assert refused.returncode != 0 and "no model of the trainer harmony" in refused.stderr
