"""Contests of 2019 and 2023 to 2026 from their rules to their standings: live, replayed, evaluated and imported alike."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.contest.tables.table_cups import DAY, MAKERS, TEAMS, TableCup, begin_cup, run_round, send, write_file

from sekisho.cli import status_of
from sekisho.contest.event import Opened
from sekisho.contest.folder.desk import publish_round, recheck_scores, submit_release
from sekisho.contest.folder.live import LiveContest, read_contest
from sekisho.contest.rules import PhaseKind
from sekisho.contest.standing import digest_standings, gather_round, rank_contest, rank_round_of
from sekisho.contest.tables.dealing import commit_salt
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
    assert all(each.total is not None and (each.attack is not None or each.boards) for each in rows)
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
    good, bad = (cup.answer(Seed(n).rng(), "", "").decode().splitlines() for n in (1, 2))
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


def test_answers_about_all_cohorts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A matrix of confidences and a long table of times are taken apart; attackers are told bands, never numbers."""
    cup = MAKERS["pwscup2026"](Seed(4).rng())
    live = begin_cup(cup, tmp_path)
    live = send(live, Opened(at=DAY.format(3), phase=PhaseKind.ANONYMISE, round="final"))
    for team, parts in cup.files.items():
        path = write_file(tmp_path / f"{team}.csv", parts["released"])
        live = submit_release(live, team, "final", {"released": path}, at=DAY.format(3)).contest
    live = publish_round(live, "final", at=DAY.format(4))
    send(live, Opened(at=DAY.format(5), phase=PhaseKind.ATTACK, round="final"))
    people = [line.split(",")[0] for line in cup.originals["ann.csv"].decode().splitlines()[1:]]
    other = {line.split(",")[0] for line in cup.originals["bob.csv"].decode().splitlines()[1:]}
    matrix = ["record_id,bob,eve", *(f"{each},{1 if each in other else 0},0.5" for each in people)]
    times = [f"{team},{row},10" for team in ("bob", "eve") for row in range(40)]
    files = {"membership": matrix, "attribute": ["target_k,challenge_row_id,time_hat", *times]}
    given: list[str] = []
    for name, lines in files.items():
        path = write_file(tmp_path / name, "".join(f"{line}\n" for line in lines).encode())
        given += ["--part", f"{name}={path}"]
    words = ["contest", "attack", live.folder, "--team", "ann", "--round", "final", "--at", "2026-01-06T00:00"]
    status, answer = run(capsys, *words, *given)
    assert (status, answer["valid"]) == (0, True)
    assert [(each["target"], each["band"]) for each in answer["entries"]] == [
        ("bob", [0.75, None]),
        ("eve", [None, 0.25]),
    ]
    assert not {"risk", "hits", "membership"} & set(answer["entries"][0])
    (tmp_path / "membership").write_text("record_id,bob,dan\n")
    capsys.readouterr()
    assert status_of([*map(str, words), *given]) == 2
    assert "dan" in capsys.readouterr().err


def test_originals_are_dealt_by_a_salt_that_is_bound(
    shared: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cohorts, salt = tmp_path / "cohorts", tmp_path / "salt.txt"
    cohorts.mkdir()
    for name in ("1", "2", "3", "background"):
        (cohorts / f"{name}.csv").write_text(f"{name}\n")
    words = ["contest", "deal", "pwscup2026", "ann", "bob", "--originals", cohorts, "--salt", salt, "--out"]
    status, dealt = run(capsys, *words, tmp_path / "one")
    assert status == 0
    text = salt.read_text().strip()
    assert dealt["commitment"] == sha256(text.encode()).hexdigest()
    order = sorted(["ann", "bob"], key=lambda team: sha256(f"{team}{text}".encode()).hexdigest())
    assert [(tmp_path / "one" / f"{team}.csv").read_text() for team in order] == ["1\n", "2\n"]
    assert (tmp_path / "one" / "background.csv").read_text() == "background\n"
    assert run(capsys, *words, tmp_path / "two")[1]["commitment"] == dealt["commitment"]
    assert status_of([*map(str, words), str(tmp_path / "two")]) == 2  # in use
    assert status_of([*map(str, words[:3]), "a", "b", "c", "d", *map(str, words[5:]), str(tmp_path / "three")]) == 2
    published = json.loads(shared("cups/2026/commitment.json").read_text())
    assert commit_salt(published["salt"]) == published["sha256"]
