"""The token of a standby: the scope replica, and no more."""
import pytest

from conftest import sweep_spec
from guarded import Guarded
from slurm import until
from standby_pair import SECONDS, caught_up, health, promote, with_checkpoint


@pytest.fixture
def guarded_pair(tmp_path):
    """A primary with tokens, its standby, and the standby's token."""
    a = Guarded(tmp_path / "a").start()
    token, secret = a.create("replica")
    (tmp_path / "replica.token").write_text(secret)
    b = Guarded(tmp_path / "b", "--follow", f"http://127.0.0.1:{a.port}", "--follow-token-file",
                str(tmp_path / "replica.token"))
    b.token = a.token
    b.start()
    yield a, b, token
    for one in (a, b):
        if one.process is not None:
            one.kill()


def test_a_standby_with_the_scope_replica_copies_everything_and_is_promoted(guarded_pair):
    a, b, _ = guarded_pair
    _, grant, digest, blob = with_checkpoint(a)
    caught_up(b, a)
    assert b.ask("GET", f"/v1/blobs/{digest}").body == blob
    a.kill()
    promote(b)
    assert until(lambda: health(b).get("role") == "primary", SECONDS)
    assert b.report(grant, 1, 2.5)["verdict"] == "continue", "the tokens of A are those of B"


def test_a_standby_whose_token_is_revoked_gets_nothing_more(guarded_pair):
    a, b, token = guarded_pair
    caught_up(b, a)
    a.post(f"/v1/tokens/{token}/revoke", {})
    assert until(lambda: "not known here, or was revoked" in health(b).get("trouble", ""), SECONDS)
    seen = health(b)["seq"]
    a.submit(sweep_spec())
    assert health(b)["seq"] == seen < health(a)["seq"]
