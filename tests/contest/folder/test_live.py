"""A contest in a folder, by the command line: nothing outside its phase, every file kept, replayed to the same bytes."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.contest.folder.cup import RULES, attack_release, draw_history, make_releases

from sekisho.cli import status_of
from sekisho.contest.event import Announced
from sekisho.contest.folder import desk
from sekisho.contest.folder.live import LEDGER, LiveContest, hold_contest, read_contest
from sekisho.contest.rules import read_moment
from sekisho.contest.state import ContestEntry, EntryStatus
from sekisho.data.history.files import write_original, write_release

Run = Callable[..., tuple[int, dict[str, Any]]]
TEAMS = ("raw", "pairs", "triples", "more")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(line: str, **paths: Path) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        words = [str(paths[word[1:]]) if word.startswith("@") else word for word in line.split()]
        status = status_of([*words, "--json"])
        return status, json.loads(capsys.readouterr().out)

    return command


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    data = draw_history()
    (folder / "T.csv").write_bytes(write_original(data, RULES))
    for team, release in make_releases(data).items():
        (folder / f"{team}.csv").write_bytes(write_release(release, RULES))
        (folder / f"on-{team}.csv").write_bytes(attack_release(release, data))
    return folder


def play(run: Run, cup: Path, files: Path) -> None:
    """Take a whole round from its beginning to the reveal, a day a phase."""
    begin(run, cup, files)
    for team in TEAMS:
        line = f"contest submit @cup --team {team} --released @release --at 2026-01-03"
        assert run(line, cup=cup, release=files / f"{team}.csv")[0] == 0
    assert run("contest open @cup publish --round final --at 2026-01-04", cup=cup)[0] == 0
    assert run("contest open @cup attack --round final --at 2026-01-05", cup=cup)[0] == 0
    for team in TEAMS:
        for target in TEAMS:
            line = f"contest attack @cup --team {team} --target {target} --guess @guess --at 2026-01-05"
            status, answer = run(line, cup=cup, guess=files / f"on-{target}.csv")
            assert (status, answer.get("rule")) == ((1, "own-release") if team == target else (0, None))
            assert "hits" not in answer  # the rules tell nothing of an attack before the reveal
    assert run("contest open @cup evaluate --round final --at 2026-01-06", cup=cup)[0] == 0
    assert not run("contest standings @cup", cup=cup)[1]["revealed"]
    assert run("contest open @cup reveal --at 2026-01-07", cup=cup)[0] == 0


def begin(run: Run, cup: Path, files: Path) -> None:
    new = "contest new @cup --rules pwscup2018 --original @original --at 2026-01-01 --seed 5"
    assert run(new, cup=cup, original=files / "T.csv")[0] == 0
    assert run("contest open @cup register --at 2026-01-01", cup=cup)[0] == 0
    assert run(f"contest register @cup {' '.join(TEAMS)} --at 2026-01-01", cup=cup)[0] == 0
    assert run("contest open @cup anonymise --round final --at 2026-01-02", cup=cup)[0] == 0


def test_a_round_is_played_replayed_and_evaluated_from_its_files(run: Run, files: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    play(run, cup, files)
    told = run("contest standings @cup --round final", cup=cup)[1]
    assert told["revealed"]
    assert [each["rank"] for each in told["standings"]] == [1, 2, 3, None]
    assert told["standings"][-1]["team"] == "raw"
    assert run("contest standings @cup", cup=cup)[1]["digest"] == told["digest"]  # the preliminary counts nothing
    status, answer = run("contest replay @cup --rescore --out @out", cup=cup, out=tmp_path / "again.jsonl")
    assert (status, answer["identical"], answer["different"], answer["digest"]) == (0, True, [], told["digest"])
    assert (tmp_path / "again.jsonl").read_bytes() == (cup / LEDGER).read_bytes()
    line = "contest evaluate @round --rules @rules --round final"
    evaluated = run(line, round=cup / "rounds" / "final", rules=cup / "rules.toml")[1]
    assert evaluated["digest"] == told["digest"]
    assert (cup / "truth").stat().st_mode & 0o077 == 0
    assert run("contest evaluate @cup", cup=cup)[1]["digest"] == told["digest"]
    assert (cup / "result" / "report.html").is_file()
    assert run("contest evaluate @cup --round preliminary", cup=cup)[0] == 2


def test_many_at_once_write_one_after_another(run: Run, files: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    begin(run, cup, files)
    before = read_contest(cup).head.count

    def announce(number: int) -> None:
        with hold_contest(cup) as live:
            live.send(Announced(at=read_moment("2026-01-02", "UTC"), en=f"number {number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(announce, range(40)))
    after = read_contest(cup)
    assert after.head.count == before + 40
    assert {each.en for each in after.state.announcements} == {f"number {number}" for number in range(40)}


def test_a_contest_leaves_as_an_archive_and_comes_back(run: Run, files: Path, tmp_path: Path) -> None:
    cup, archive, again = tmp_path / "cup", tmp_path / "cup.zip", tmp_path / "again"
    play(run, cup, files)
    first = run("contest export @cup --out @out", cup=cup, out=archive)[1]["sha256"]
    status, answer = run("contest import @archive --out @out", archive=archive, out=again)
    assert (status, answer["digest"]) == (0, run("contest standings @cup", cup=cup)[1]["digest"])
    assert run("contest export @cup --out @out", cup=again, out=tmp_path / "again.zip")[1]["sha256"] == first
    run("contest export @cup --out @out --public", cup=cup, out=tmp_path / "public.zip")
    with zipfile.ZipFile(tmp_path / "public.zip") as public:
        assert not [name for name in public.namelist() if name.startswith("truth")]
        assert "ledger.jsonl" in public.namelist()


def test_nothing_is_accepted_outside_its_phase(run: Run, files: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    begin(run, cup, files)
    before = (cup / LEDGER).read_bytes()
    release = files / "raw.csv"
    for line, rule in (
        ("contest submit @cup --team raw --released @r --round preliminary --at 2026-01-02", "phase"),
        ("contest submit @cup --team raw --released @r --at 2026-01-01", "phase"),
        ("contest submit @cup --team nobody --released @r --at 2026-01-02", "team"),
        ("contest attack @cup --team raw --target pairs --guess @r --at 2026-01-02", "phase"),
        ("contest register @cup late --at 2026-01-02", "phase"),
        ("contest open @cup attack --round final --at 2026-01-03", "published"),
        ("contest open @cup anonymise --round final --at 2025-12-31", "clock"),
    ):
        status, answer = run(line, cup=cup, r=release)
        assert (status, answer["accepted"], answer["rule"]) == (1, False, rule), line
        assert answer["message"]
        assert answer["message_ja"]
    assert (cup / LEDGER).read_bytes() == before
    assert not (cup / "files").exists()


def test_an_invalid_file_costs_an_attempt_and_says_every_error(run: Run, files: Path, tmp_path: Path) -> None:
    cup, bad = tmp_path / "cup", tmp_path / "bad.csv"
    begin(run, cup, files)
    bad.write_text("1,2\nx\n")
    status, answer = run("contest submit @cup --team raw --released @r --at 2026-01-02", cup=cup, r=bad)
    assert (status, answer["valid"], answer["counts_now"]) == (1, False, None)
    assert len(answer["errors"]) == answer["count"] == 3  # two rows and their number
    assert answer["left"] == {"scored": 10, "attempted": 29}
    line = "contest submit @cup --team raw --released @r --at 2026-01-02 --key a"
    first, second = (run(line, cup=cup, r=files / "raw.csv")[1] for _ in range(2))
    assert (first["entry"], first["counts_now"], first["left"]) == (2, 2, {"scored": 9, "attempted": 28})
    assert (second["entry"], second["repeated"], second["left"]) == (2, True, first["left"])
    other = run(line, cup=cup, r=files / "pairs.csv")
    assert (other[0], other[1]["rule"]) == (1, "key")


def test_a_fault_of_ours_costs_nothing(run: Run, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = tmp_path / "cup"
    begin(run, cup, files)

    def fail(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(desk, "score_entry", fail)
        assert (
            run("contest submit @cup --team raw --released @r --at 2026-01-02", cup=cup, r=files / "raw.csv")[0] == 70
        )
    (entry,) = read_contest(cup).state.entries
    assert entry.status is EntryStatus.FAULTED
    answer = run("contest submit @cup --team raw --released @r --at 2026-01-02", cup=cup, r=files / "raw.csv")[1]
    assert answer["left"] == {"scored": 9, "attempted": 29}


def test_a_rejudging_changes_nothing_until_it_is_applied(
    run: Run, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = tmp_path / "cup"
    play(run, cup, files)
    digest = run("contest standings @cup", cup=cup)[1]["digest"]
    answer = run("contest rejudge @cup --name same --at 2026-01-08", cup=cup)[1]
    assert (answer["entries"], answer["differences"]) == (4 + 12, [])
    score = desk.score_entry

    def score_otherwise(contest: LiveContest, entry: ContestEntry) -> desk.EntryResult:
        result = score(contest, entry)
        return desk.EntryResult(worth=None, count=1) if entry.team == "pairs" and not entry.is_attack else result

    with monkeypatch.context() as patch:
        patch.setattr(desk, "score_entry", score_otherwise)
        answer = run("contest rejudge @cup --name erratum --at 2026-01-08", cup=cup)[1]
    assert [each["now"]["status"] + " " + each["then"]["status"] for each in answer["differences"]] == ["valid invalid"]
    assert answer["digest"] == digest
    assert run("contest rejudge @cup --name same --drop --at 2026-01-08", cup=cup)[1]["digest"] == digest
    applied = run("contest rejudge @cup --name erratum --apply --at 2026-01-08", cup=cup)[1]
    assert applied["digest"] != digest
    teams = {each["team"]: each for each in run("contest standings @cup", cup=cup)[1]["standings"]}
    assert (teams["pairs"]["rank"], teams["pairs"]["survives"]) == (None, False)
    assert run("contest rejudge @cup --name erratum --apply --at 2026-01-08", cup=cup)[0] == 1


def test_a_line_that_a_crash_cut_is_dropped_and_nothing_else(run: Run, files: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    begin(run, cup, files)
    whole = (cup / LEDGER).read_bytes()
    (cup / LEDGER).write_bytes(whole + b'{"event":')
    assert run("contest announce @cup Hello --at 2026-01-02", cup=cup)[0] == 0
    assert (cup / LEDGER).read_bytes().startswith(whole)
    (cup / LEDGER).write_bytes(whole[:-40] + b"\n")
    status, answer = run("contest show @cup", cup=cup)
    assert (status, "line 7" in answer["error"]) == (2, True)


def test_the_schedule_of_2018_follows_from_its_first_day(run: Run, files: Path, tmp_path: Path) -> None:
    cup = tmp_path / "cup"
    line = "contest new @cup --rules pwscup2018 --original @o --start 2018-08-24 --at 2018-08-01 --seed 5"
    phases = {each["phase"]: each for each in run(line, cup=cup, o=files / "T.csv")[1]["phases"]}
    # Table 1 of the report, in Japan, which is nine hours ahead: a day begins at 15:00 UTC the day before.
    assert phases["register"]["opens"] == "2018-08-23T15:00:00.000000Z"
    assert phases["register"]["closes"] == "2018-09-03T15:00:00.000000Z"  # the end of 3 September
    assert phases["anonymise preliminary"]["local"] == "2018-09-06 00:00:00 JST – 2018-09-12 00:00:00 JST"
    assert phases["attack preliminary"]["local"] == "2018-09-13 00:00:00 JST – 2018-09-19 00:00:00 JST"
    assert phases["anonymise final"]["local"] == "2018-09-27 00:00:00 JST – 2018-10-10 00:00:00 JST"
    assert phases["attack final"]["local"] == "2018-10-11 00:00:00 JST – 2018-10-17 00:00:00 JST"
    assert phases["reveal"]["local"].startswith("2018-10-22 00:00:00 JST")
    assert run("contest register @cup a --at 2018-09-03T23:59:59", cup=cup)[0] == 0
    assert run("contest register @cup b --at 2018-09-04", cup=cup)[1]["rule"] == "phase"
    assert run("contest register @cup b --at 2018-09-03T15:00:00Z", cup=cup)[1]["rule"] == "phase"


def test_practice_is_scored_and_does_not_count(run: Run, files: Path, tmp_path: Path) -> None:
    cup, shown = tmp_path / "cup", tmp_path / "P.csv"
    begin(run, cup, files)
    assert run("contest open @cup practice --at 2026-01-02", cup=cup)[0] == 0
    line = "contest submit @cup --team raw --released @r --practice --at 2026-01-02"
    answer = run(line, cup=cup, r=files / "raw.csv")[1]
    assert (answer["valid"], answer["utility"], answer["left"]["attempted"]) == (True, 0.0, 99)
    assert run("contest practise @cup --team pairs --target raw --published @p", cup=cup, p=shown)[0] == 0
    assert len(shown.read_text().splitlines()) == len((files / "T.csv").read_text().splitlines())
    line = "contest attack @cup --team pairs --target raw --guess @g --practice --at 2026-01-02"
    answer = run(line, cup=cup, g=files / "on-raw.csv")[1]
    assert (answer["valid"], answer["effective"]) == (True, True)
    assert all(each["utility"] is None for each in run("contest standings @cup", cup=cup)[1]["standings"])
    assert run("contest practise @cup --team raw --target raw --published @p", cup=cup, p=shown)[0] == 2
    assert run("contest submit @cup --team raw --released @r --at 2026-01-02", cup=cup, r=files / "raw.csv")[0] == 0


def test_a_file_on_which_the_program_failed_blocks_the_publication_until_it_is_settled(
    run: Run, tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = tmp_path / "cup"
    begin(run, cup, files)

    def fail(contest: LiveContest, entry: ContestEntry) -> None:
        raise OSError(5, f"Input/output error of {entry.number} in {contest.folder}")

    for team in ("raw", "pairs", "triples"):
        line = f"contest submit @cup --team {team} --released @release --at 2026-01-03"
        with monkeypatch.context() as patch:
            if team != "triples":
                patch.setattr(desk, "score_entry", fail)
            assert (run(line, cup=cup, release=files / f"{team}.csv")[0] == 0) == (team == "triples")
    publish = "contest open @cup publish --round final --at 2026-01-04"
    status, answer = run(publish, cup=cup)
    assert (status, answer["rule"]) == (1, "faulted")
    assert run("contest requeue @cup 1 --at 2026-01-04", cup=cup)[0] == 0
    assert run("contest requeue @cup 1 --at 2026-01-04", cup=cup)[1]["rule"] == "faulted"  # it is scored now
    assert run("contest requeue @cup 2 --set-aside again --at 2026-01-04", cup=cup)[0] == 0
    assert run(publish, cup=cup)[0] == 0
    assert set(read_contest(cup).state.published["final"]) == {"raw", "triples"}
