"""A contest through the API must come to what the command line says, to the byte, and keep to phases and feedback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.server.contest.cup_site import TEAMS, CupSite

from sekisho.cli import status_of
from sekisho.contest.folder.archive import unpack_contest
from sekisho.contest.folder.evaluation import write_standings
from sekisho.contest.folder.live import read_contest
from sekisho.contest.standing import rank_contest
from sekisho.server.contest.database.rows import AnnouncementRow, LedgerRow, ResultRow, SubmissionRow, TeamRow
from sekisho.server.contest.vault.import_contest import export_contest, import_contest


def test_a_whole_contest_equals_the_command_line_to_the_byte(
    cup: CupSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup.play()
    answer = cup.call("", "GET", "/api/v1/standings").json()
    assert answer["revealed"]
    assert [(each["team"], each["rank"]) for each in answer["standings"]] == [
        ("pairs", 1),
        ("triples", 2),
        ("more", 3),
        ("raw", None),
    ]
    archive = tmp_path / "cup.zip"
    archive.write_bytes(cup.export())
    assert status_of(["contest", "import", str(archive), "--out", str(tmp_path / "home"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["digest"] == answer["digest"]
    # the ledger replays, and every file scored again is worth what the server said
    assert status_of(["contest", "replay", str(tmp_path / "home"), "--json"]) == 0
    home = read_contest(tmp_path / "home")
    exported = cup.call("", "GET", "/api/v1/exports/standings.json").content
    assert exported == write_standings(rank_contest(home.state))
    assert cup.call("referee", "GET", "/api/v1/exports/ledger.jsonl").content == cup.site.book.export_lines()


def test_a_score_at_home_is_the_score_on_the_server(
    cup: CupSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup.open("anonymise", "final")
    number = cup.submit("triples", cup.materials["triples"]).json()["entry"]
    cup.worker.drain()
    score = cup.call("triples", "GET", f"/api/v1/submissions/{number}").json()["score"]
    (tmp_path / "T.csv").write_bytes(cup.call("triples", "GET", "/api/v1/rounds/final/original").content)
    (tmp_path / "A.csv").write_bytes(cup.materials["triples"])
    line = ["utility", "pwscup2018", "--original", str(tmp_path / "T.csv"), "--released", str(tmp_path / "A.csv")]
    assert status_of([*line, "--json"]) == 0
    home = json.loads(capsys.readouterr().out)
    assert score["utility"].hex() == home["utility"].hex()
    assert {name: score[name] for name in home["columns"]} == home["columns"]


def test_nothing_is_accepted_outside_its_phase(cup: CupSite) -> None:
    answer = cup.submit("raw", cup.materials["raw"])
    assert answer.status_code == 409
    assert answer.json()["rule"] == "phase"
    assert "開いていません" in answer.json()["error_ja"]
    cup.open("anonymise", "final", until="2018-09-01T12:00")
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201
    cup.clock.turn(86_400)
    assert cup.submit("raw", cup.materials["raw"]).status_code == 409


def test_a_request_that_began_in_time_is_in_time(cup: CupSite) -> None:
    # the contest's zone is Tokyo: 12:00 there is 03:00 UTC, three hours after the clock's first day begins
    cup.open("anonymise", "final", until="2018-09-01T12:00")
    cup.clock.turn(3 * 3600 - 120)
    assert cup.submit("raw", cup.materials["raw"]).status_code == 201
    cup.clock.turn(120)
    assert cup.submit("pairs", cup.materials["pairs"]).status_code == 409


def test_every_error_of_a_release_is_told_with_row_column_and_rule(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    lines = cup.materials["pairs"].decode().splitlines()
    lines[2] = "7,oops"
    lines[4] = lines[4].rpartition(",")[0] + ",0"
    number = cup.submit("pairs", ("\n".join(lines) + "\n").encode()).json()["entry"]
    cup.worker.drain()
    entry = cup.call("pairs", "GET", f"/api/v1/submissions/{number}").json()
    assert (entry["status"], entry["valid"], entry["count"]) == ("invalid", False, 2)
    assert [(each["row"], each["column"]) for each in entry["errors"]] == [(3, ""), (5, "quantity")]
    assert set(entry["errors"][0]) == {"row", "column", "rule", "value", "message", "message_ja"}


def test_before_the_reveal_a_team_is_told_what_its_phase_allows(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    for team in TEAMS:
        cup.submit(team, cup.materials[team])
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    cup.open("attack", "final")
    number = cup.attack("pairs", "raw", cup.materials["attack on raw"]).json()["entry"]
    cup.worker.drain()
    entry = cup.call("pairs", "GET", f"/api/v1/submissions/{number}").json()
    assert entry["status"] == "valid"
    assert set(entry["score"]) == {"claimed"}  # the rules tell nothing of an attack before the reveal
    assert cup.call("referee", "GET", "/api/v1/attacks?team=pairs").json()[0]["score"]["hits"] > 0
    for who in ("", "pairs", "raw-captain"):
        assert cup.call(who, "GET", "/api/v1/standings").json() == {
            "revealed": False,
            "standings": [],
            "digest": "",
            "rounds": [],
        }
        assert cup.call(who, "GET", "/api/v1/exports/standings.json").status_code == 403
    own = cup.call("pairs", "GET", "/api/v1/matrix").json()
    assert set(own["matrix"]) == {"pairs"}
    assert "hits" not in own["matrix"]["pairs"]["raw"]
    assert own["missing"] == [["pairs", "more"], ["pairs", "triples"]]
    assert cup.call("", "GET", "/api/v1/matrix").json()["matrix"] == {}
    assert cup.call("referee", "GET", "/api/v1/matrix").json()["matrix"]["pairs"]["raw"]["effective"]


def test_targets_are_handed_out_when_they_are_published(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    cup.submit("raw", cup.materials["raw"])
    cup.worker.drain()
    early = cup.call("pairs", "GET", "/api/v1/targets/final/raw/published")
    assert (early.status_code, early.json()["rule"]) == (409, "not-yet")
    assert cup.call("pairs", "GET", "/api/v1/targets?round=final").json() == []
    cup.open("publish", "final")
    cup.worker.drain()
    targets = cup.call("pairs", "GET", "/api/v1/targets?round=final").json()
    assert [(each["team"], each["own"]) for each in targets] == [("raw", False)]
    data = cup.call("pairs", "GET", "/api/v1/targets/final/raw/published")
    assert data.headers["x-content-sha256"] == targets[0]["published"]
    assert data.headers["content-disposition"].startswith("attachment")
    assert data.content == (cup.vault / "cup" / "rounds" / "final" / "published" / "raw.csv").read_bytes()


def test_practice_is_published_and_attacked_at_once(cup: CupSite) -> None:
    cup.open("practice")
    cup.submit("raw", cup.materials["raw"], round_name="practice")
    cup.worker.drain()
    assert cup.call("pairs", "GET", "/api/v1/targets?round=practice").json()[0]["team"] == "raw"
    answer = cup.attack("pairs", "raw", cup.materials["attack on raw"], round_name="practice")
    assert answer.status_code == 201
    cup.worker.drain()
    entry = cup.call("pairs", "GET", f"/api/v1/submissions/{answer.json()['entry']}").json()
    assert entry["score"]["effective"]


def test_rows_beside_the_ledger_are_what_follows_from_it(cup: CupSite) -> None:
    cup.play()
    cup.call("referee", "POST", "/api/v1/announcements", json={"en": "Well done.", "ja": "お疲れさまでした。"})
    state = cup.site.book.read().state
    with cup.site.database.read() as session:
        assert {row.name: row.registered for row in session.scalars(select(TeamRow))} == dict(state.teams)
        rows = session.scalars(select(SubmissionRow).order_by(SubmissionRow.number)).all()
        assert [(row.number, row.team, row.target, json.loads(row.files)) for row in rows] == [
            (entry.number, entry.team, entry.target, dict(entry.files)) for entry in state.entries
        ]
        results = session.scalars(select(ResultRow).order_by(ResultRow.submission)).all()
        assert [(row.submission, row.scorer, row.truth) for row in results] == [
            (entry.number, *entry.judged) for entry in state.entries
        ]
        told = session.scalars(select(AnnouncementRow)).all()
        assert [(row.en, row.ja) for row in told] == [(each.en, each.ja) for each in state.announcements]


def test_a_changed_line_of_the_ledger_is_noticed(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    with cup.site.database.write() as session:
        row = session.scalars(select(LedgerRow).where(LedgerRow.n == 4)).one()
        row.line = row.line.replace(b"pairs", b"PAIRS")
    with pytest.raises(ValueError, match="line 4: does not continue the ledger"):
        cup.worker.find_book(cup.site.book.contest).read()


def test_a_contest_exported_and_imported_is_the_same_archive(cup: CupSite, tmp_path: Path) -> None:
    cup.play()
    whole = cup.export()
    assert import_contest(whole, cup.worker.database, cup.worker.store, cup.vault, "again") == "again"
    book = cup.worker.find_book(cup.site.book.contest + 1)
    assert book.export_lines() == cup.site.book.export_lines()
    export_contest(book, cup.worker.store, cup.vault, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == whole
    public = cup.call("referee", "GET", "/api/v1/exports/contest.zip").content
    assert not [name for name in unpack_contest(public, "public") if name.startswith("truth/")]
    with pytest.raises(ValueError, match="lacks the referee's truth"):
        import_contest(public, cup.worker.database, cup.worker.store, cup.vault, "third")
    with pytest.raises(ValueError, match="there is a contest 'again' already"):
        import_contest(whole, cup.worker.database, cup.worker.store, cup.vault, "again")


def test_what_was_pending_elsewhere_is_scored_here(cup: CupSite) -> None:
    cup.open("anonymise", "final")
    cup.submit("raw", cup.materials["raw"])
    whole = cup.export()
    import_contest(whole, cup.worker.database, cup.worker.store, cup.vault, "again")
    assert cup.worker.drain() == 2
