"""Choices of every type and every word that names one: `hone enqueue --params` and `hone find` reach the value that
the API does."""
import json

import pytest

from commands import hone, ok
from conftest import Server, sweep_spec

# The word of `--params` -> the value that is enqueued.
WORDS = {"1": 1, '"1"': "1", "true": True, '"true"': "true", "null": None, '"null"': "null",
         '""': "", "a": "a", '"b,c"': "b,c", "[64,64]": [64, 64], "[64, 64.0]": [64, 64], "[256]": [256], '{"k": [1]}': {"k": [1]},
         "0.30000000000000004": 0.3, "c d": "c d"}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("words") / "data").start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def sweep(own):
    values = [json.loads(text) for text in sorted({json.dumps(value) for value in WORDS.values()})]
    return own.submit(sweep_spec(
        parameters={"x": {"type": "choice", "values": values},
                    "y": {"type": "float", "min": 0, "max": 1}},
        search={"method": "random", "trials": 100}))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_command_line_names_its_choice(own, sweep, word):
    ok("enqueue", sweep, "--params", f"y=0.5,x={word}", server=own)
    grant = own.acquire(own.join())
    assert grant["params"] == {"x": WORDS[word], "y": 0.5}
    assert json.dumps(grant["params"]["x"]) == json.dumps(WORDS[word])


def test_a_word_that_names_none_lists_the_words_that_do(own, sweep):
    refused = hone("enqueue", sweep, "--params", "x=zzz", server=own)
    assert refused.returncode == 2
    for word in ('"1"', "[64,64]", '"null"', " null", "a", "0.3"):
        assert word in refused.stderr, (word, refused.stderr)


def test_choices_are_found_by_their_text(server):
    """`params.x = [256]` found the trials with 256, and `params.x = yes` none."""
    spec = sweep_spec(parameters={"x": {"type": "choice",
                                        "values": [[256], 256, [64, 64], "yes", "10", "1k", 10]}},
                      search={"method": "grid", "trials": 7})
    sweep = server.submit(spec)
    worker = server.join()
    shown = {}
    while len(shown) < 7 and (grant := server.acquire(worker)):
        trial = grant["attempt"].split(".")[0].replace("rn_", "tr_")
        shown[json.dumps(grant["params"]["x"])] = trial
    for filter, *values in (("[256]", [256]), ("256", 256), ('"[64,64]"', [64, 64]), ("yes", "yes"),
                            ('"10"', "10"), ("1k", "1k"), ("10", 10, "10")):
        found = json.loads(ok("find", f"trial where sweep = {sweep} and params.x = {filter}",
                              "--format", "json", server=server))
        assert {one["id"] for one in found} == {shown[json.dumps(one)] for one in values}, filter
