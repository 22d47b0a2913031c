"""A question waits for nobody long: what is slow keeps silent, is named, and costs only itself."""

from __future__ import annotations

from tests.peers.conftest import Town

SHORT = {"GITMEM_FEDERATION_PEER_TIMEOUT_MS": "1"}


def test_a_peer_that_changed_too_much_to_be_read_in_time_is_named(asked: Town) -> None:
    asked.peers("add", str(asked.bare), "--alias", "still").ok()
    asked.billing.decide("Not read in a millisecond", "src/app.py")
    answer = asked.why("src/app.py", env=SHORT)
    warned = [warning for warning in answer["warnings"] if warning["code"] == "peer-silent"]
    assert any("billing" in warning["message"] for warning in warned)
    shown = [hit["summary"] for hit in answer["data"]["hits"]]
    assert "Sessions in cookies" in shown and "Not read in a millisecond" not in shown
    assert ("billing", "Not read in a millisecond") in asked.hits("src/app.py")


def test_without_a_registry_nothing_of_peers_is_loaded(town: Town) -> None:
    done = town.shop.gitmem("why", "src/app.py", env={"PYTHONPROFILEIMPORTTIME": "1"}).ok()
    for module in ("gitmem.app.federation", "gitmem.services.federate", "gitmem.core.mentions"):
        assert module not in done.err
    town.peers("add", str(town.billing.path)).ok()
    done = town.shop.gitmem("why", "src/app.py", env={"PYTHONPROFILEIMPORTTIME": "1"}).ok()
    assert "gitmem.services.federate" in done.err


def test_a_question_about_peers_starts_no_process_where_nothing_changed(asked: Town) -> None:
    asked.why("src/app.py")
    answer = asked.shop.gitmem("why", "src/app.py", env={"PYTHONPROFILEIMPORTTIME": "1"}).ok()
    assert "[billing]" in answer.out
    imported = {line.rpartition("|")[2].strip() for line in answer.err.splitlines()}
    assert "gitmem.app.federation" in imported
    assert "subprocess" not in imported
