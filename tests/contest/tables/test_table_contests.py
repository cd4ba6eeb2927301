"""Contests of 2023, 2024 and 2025 from their rules to their standings: live, replayed, evaluated and imported alike."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.contest.tables.table_cups import DAY, MAKERS, TEAMS, TableCup, begin_cup, run_round, send, write_file

from sekisho.cli import status_of
from sekisho.contest.event import Opened
from sekisho.contest.folder.desk import recheck_scores
from sekisho.contest.folder.live import LiveContest, read_contest
from sekisho.contest.rules import PhaseKind
from sekisho.contest.standing import digest_standings, gather_round, rank_contest, rank_round_of
from sekisho.seeds import Seed


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = status_of([*map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.fixture(scope="module", params=list(MAKERS))
def held(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[LiveContest, TableCup]:
    """Return a contest that was held to its end, and what it was made of."""
    work = tmp_path_factory.mktemp("work")
    cup = MAKERS[request.param](Seed(4).rng())
    live = begin_cup(cup, work)
    for number, name in enumerate(live.state.contest.round_names):
        live = run_round(live, cup, name, 3 + 5 * number, work)
    return send(live, Opened(at=DAY.format(20), phase=PhaseKind.REVEAL)), cup


def test_live_replayed_evaluated_and_imported_are_the_same(
    held: tuple[LiveContest, TableCup], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, _ = held
    rows = rank_contest(live.state)
    assert {each.team for each in rows} == set(TEAMS)
    assert all(each.total is not None and each.attack is not None for each in rows)
    again = read_contest(live.folder)
    assert digest_standings(rank_contest(again.state)) == digest_standings(rows)
    assert recheck_scores(again) == ()
    status, replayed = run(capsys, "contest", "replay", live.folder, "--rescore")
    assert (status, replayed["identical"], replayed["different"]) == (0, True, [])
    assert replayed["digest"] == digest_standings(rows)
    last = live.state.contest.round_names[-1]
    status, evaluated = run(capsys, "contest", "evaluate", live.folder, "--round", last)
    assert status == 0
    assert evaluated["errors"] == []
    page = (live.folder / "result" / "report.html").read_text(encoding="utf-8")
    assert "Releases by total" in page
    assert "less is better" not in page
    assert (live.folder / "result" / "standings.csv").read_text(encoding="utf-8-sig").startswith("rank,team,total")
    of_round = rank_round_of(live.state.contest, gather_round(live.state, last), last)
    assert evaluated["digest"] == digest_standings(of_round)
    assert run(capsys, "contest", "export", live.folder, "--out", tmp_path / "cup.zip")[0] == 0
    status, imported = run(capsys, "contest", "import", tmp_path / "cup.zip", "--out", tmp_path / "cup2")
    assert (status, imported["digest"]) == (0, digest_standings(rows))
    assert run(capsys, "contest", "export", live.folder, "--public", "--out", tmp_path / "public.zip")[0] == 0


def test_what_is_published_tells_no_secret(held: tuple[LiveContest, TableCup]) -> None:
    live, _ = held
    for path in live.folder.glob("rounds/*/published/*.zip"):
        names = {each.split(".")[0] for each in _list_names(path)}
        assert not names & {"seed", "choice"}
    for path in live.folder.glob("truth/*/maps/*"):
        assert path.stat().st_size


def _list_names(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_one_file_about_all_releases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is missing or wrong of one target costs that target alone."""
    cup = MAKERS["ipwscup2024"](Seed(4).rng())
    live = begin_cup(cup, tmp_path)
    live = send(live, Opened(at=DAY.format(3), phase=PhaseKind.ANONYMISE, round="final"))
    names = {"choice": "choice.txt"}
    for team, parts in cup.files.items():
        given = [
            word
            for part, data in parts.items()
            for word in ("--part", f"{part}={write_file(tmp_path / names.get(part, f'{part}.csv'), data)}")
        ]
        status, answer = run(
            capsys, "contest", "submit", live.folder, "--team", team, *given, "--at", "2026-01-03T12:00"
        )
        assert (status, answer["valid"]) == (0, True)
    for phase, day in (("publish", 4), ("attack", 5)):
        assert (
            run(capsys, "contest", "open", live.folder, phase, "--round", "final", "--at", f"2026-01-{day:02d}T12:00")[
                0
            ]
            == 0
        )
    good, bad = (cup.answer(Seed(n).rng()).decode().splitlines() for n in (1, 2))
    wide = "".join(f",,{one},x{two}\n" for one, two in zip(good, bad, strict=True))
    path = write_file(tmp_path / "wide.csv", wide.encode())
    at = ("--at", "2026-01-06T00:00")
    status, answer = run(capsys, "contest", "attack", live.folder, "--team", "ann", "--guess", path, *at)
    assert status == 1
    assert [(each["target"], each["valid"]) for each in answer["entries"]] == [("bob", True), ("eve", False)]
    path.write_text(wide.replace("\n", ",1\n", 1))
    capsys.readouterr()
    assert status_of(["contest", "attack", str(live.folder), "--team", "ann", "--guess", str(path), *at]) == 2
    status, standings = run(capsys, "contest", "standings", live.folder)
    assert status == 0
    figures = {each["team"]: each["total"] for each in standings["standings"]}
    assert figures["ann"] < figures["eve"]  # the house joins ann's sheets, which she did not shuffle
