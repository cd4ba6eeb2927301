"""No answer and no log line may tell the referee's truth, or a team's private file to another team."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from tests.server.contest.cup_site import SECRET, TEAMS, CupSite
from tests.server.contest.routes.test_access import EVERYBODY, MATRIX, send

from sekisho.server.contest.app import create_app
from sekisho.server.contest.settings import WebSettings

ENTRIES = range(1, 18)


def list_truth(cup: CupSite) -> set[bytes]:
    """Return what only the vault may hold: the secret, and each line of who is who."""
    maps = sorted((cup.vault / "cup" / "truth").rglob("maps/*.csv"))
    assert len(maps) == len(TEAMS)
    lines = {line for path in maps for line in path.read_bytes().splitlines() if len(line) > 6}
    assert len(lines) > 20
    return lines | {str(SECRET.value).encode()}


def gather_answers(cup: CupSite, who: str) -> dict[str, bytes]:
    """Return every answer that somebody can get."""
    answers = {f"{key[0]} {key[1]}": send(cup, who, *key, call).content for key, call in MATRIX.items()}
    paths = [f"/api/v1/submissions/{n}{more}" for n in ENTRIES for more in ("", "/receipt", "/files/released")]
    paths += [
        f"/api/v1/targets/{name}/{team}/{kind}"
        for name in ("final", "practice", "..%2Ftruth%2Ffinal")
        for team in TEAMS
        for kind in ("published", "test")
    ]
    paths += ["/api/v1/samples/..%2F..%2Fvault%2Fcup%2Ftruth%2Fsecret", "/../vault/cup/truth/secret", "/truth/secret"]
    return answers | {path: cup.call(who, "GET", path).content for path in paths}


def test_canaries_of_the_truth_are_in_no_answer_and_no_log(cup: CupSite) -> None:
    cup.play()
    truth = list_truth(cup)
    for who in EVERYBODY:
        for path, content in gather_answers(cup, who).items():
            told = [value for value in truth if value in content]
            assert not told, (who, path, told[:3])
    log = cup.logs.getvalue().encode()
    assert log.count(b'"request"') > 100
    assert not [value for value in truth if value in log]


def test_logs_hold_no_names_addresses_tokens_or_contents(cup: CupSite) -> None:
    cup.play()
    cup.call("", "POST", "/api/v1/session", json={"login": "raw-captain", "password": "wrong and long"})
    cup.call("", "GET", "/api/v1/none?secret=1234567")
    log = cup.logs.getvalue()
    for private in ("raw-captain", "wrong and long", "127.0.0.1", "1234567", *cup.tokens.values()):
        assert private not in log
    for line in cup.materials["raw"].decode().splitlines()[:50]:
        assert line not in log


def test_a_raw_release_is_its_own_teams(cup: CupSite) -> None:
    cup.play()
    raw = cup.materials["raw"]
    for who in EVERYBODY - {"raw", "raw-captain", "referee"}:
        assert not [path for path, content in gather_answers(cup, who).items() if raw in content]
    assert cup.call("raw", "GET", "/api/v1/submissions/1/files/released").content == raw


def test_the_web_process_is_given_no_way_to_the_truth(cup: CupSite, tmp_path: Path) -> None:
    assert not [each.name for each in fields(WebSettings) if "vault" in each.name or "truth" in each.name]
    cup.play()
    before = cup.call("referee", "GET", "/api/v1/exports/standings.json").content
    cup.vault.rename(tmp_path / "moved away")
    app = create_app(cup.site.settings, cup.clock)
    try:
        assert app.state.site.book.read() == cup.site.book.read()
        for who in EVERYBODY:
            gather_answers(cup, who)
        assert cup.call("referee", "GET", "/api/v1/exports/standings.json").content == before
    finally:
        app.state.site.database.close()
    assert not cup.vault.exists()


def test_the_vault_is_its_owners(cup: CupSite) -> None:
    assert cup.vault.stat().st_mode & 0o077 == 0
