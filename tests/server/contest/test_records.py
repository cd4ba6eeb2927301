"""A contest over records: each team has its own original, each attacker his own test set, and nobody another's."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.server.contest.cup_site import FIRST, SECRET, Clock, CupSite, open_site

from sekisho.cli import status_of
from sekisho.contest.event import Opened, Registered
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.live import create_contest
from sekisho.contest.records.rules import RecordRules
from sekisho.contest.rulebook import RULEBOOKS, read_record_rules
from sekisho.contest.rules import PhaseKind, write_moment
from sekisho.data.frame.dataset import Dataset
from sekisho.data.records.files import write_number_lines, write_records
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed
from sekisho.server.contest.auth.accounts import add_token
from sekisho.server.contest.auth.principal import AccountRole
from sekisho.server.contest.database.book import ContestBook
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.database.migrate import upgrade_tables
from sekisho.server.contest.store import Store
from sekisho.server.contest.vault.import_contest import import_contest

CHANGES = {
    "members = 50": "members = 5",
    "others = 50": "others = 4",
    "odds = 0.1": "odds = 9000",
    "rate = 0.05": "rate = 0.9",
    "cor = 0.1": "cor = 1.9",
    "uniqrt = 0.5": "uniqrt = 1",
}
TEAMS = ("ann", "bob")
GIVEN = ("--released", "--deleted", "--guess")


def make_release(data: Dataset, rules: RecordRules) -> dict[str, bytes]:
    """Return D and X of a release that drops ten rows and changes nothing else."""
    deleted = np.arange(len(data)) < 10
    kept = Dataset(data.frame.filter(pl.Series(~deleted)), data.schema)
    return {"released": write_records(kept, rules), "deleted": write_number_lines(np.flatnonzero(deleted))}


@pytest.fixture
def health(tmp_path: Path, database_url: str) -> Iterator[tuple[CupSite, dict[str, dict[str, bytes]]]]:
    text = (RULEBOOKS / "pwscup2021.toml").read_text()
    for old, new in CHANGES.items():
        text = text.replace(old, new)
    (tmp_path / "small.toml").write_text(text)
    rules = read_record_rules(str(tmp_path / "small.toml"))
    (tmp_path / "own").mkdir()
    data = {team: health_records(120, rng=Seed(place).rng()) for place, team in enumerate(TEAMS)}
    for team, records in data.items():
        (tmp_path / "own" / f"{team}.csv").write_bytes(write_records(records, rules))
    originals = {"preliminary": tmp_path / "own", "final": tmp_path / "own"}
    moment = write_moment(FIRST)
    cup = tmp_path / "cup"
    create_contest(cup, str(tmp_path / "small.toml"), originals, at=moment, first_day="", secret=SECRET)
    database, clock, tokens = Database(database_url), Clock(), dict[str, str]()
    upgrade_tables(database)
    import_contest(pack_contest(cup), database, Store(tmp_path / "store"), tmp_path / "vault", "health")
    with ContestBook(database, "health").write() as pen:
        pen.send(Opened(at=clock(), phase=PhaseKind.REGISTER))
        for team in TEAMS:
            pen.send(Registered(at=clock(), team=team))
        for name, role, team in (
            ("referee", AccountRole.REFEREE, ""),
            *((team, AccountRole.MEMBER, team) for team in TEAMS),
        ):
            tokens[name] = add_token(pen.session, pen.contest, role=role, label="", at=clock(), team=team)[1]
    database.close()
    releases = {team: make_release(records, rules) for team, records in data.items()}
    with open_site(tmp_path, database_url, {}, tokens) as site:
        yield site, releases


def test_each_team_has_its_original_and_its_test_set_and_no_others(
    health: tuple[CupSite, dict[str, dict[str, bytes]]], tmp_path: Path
) -> None:
    cup, releases = health
    cup.open("anonymise", "final")
    own = {team: cup.call(team, "GET", "/api/v1/rounds/final/original").content for team in TEAMS}
    assert own == {team: (tmp_path / "own" / f"{team}.csv").read_bytes() for team in TEAMS}
    answer = cup.call("ann", "POST", "/api/v1/submissions", data={"round": "final"}, files=releases["ann"])
    assert answer.status_code == 201
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind, content in releases["bob"].items():
            archive.writestr(f"{kind}.csv", content)
    zipped = {"archive": stream.getvalue()}
    assert cup.call("bob", "POST", "/api/v1/submissions", data={"round": "final"}, files=zipped).status_code == 201
    half = {"released": releases["bob"]["released"]}
    missing = cup.call("bob", "POST", "/api/v1/submissions", data={"round": "final"}, files=half)
    assert missing.json()["errors"][0]["rule"] == "missing"
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    cup.open("attack", "final")
    tests = {
        (attacker, target): cup.call(attacker, "GET", f"/api/v1/targets/final/{target}/test")
        for attacker in TEAMS
        for target in TEAMS
    }
    judged = {
        each["team"]: each["score"]["qualified"] for each in cup.call("referee", "GET", "/api/v1/submissions").json()
    }
    assert judged["ann"]
    assert {pair: answer.status_code for pair, answer in tests.items()} == {
        ("ann", "ann"): 404,
        ("ann", "bob"): 200 if judged["bob"] else 404,  # who breaks a condition is not attacked
        ("bob", "ann"): 200,
        ("bob", "bob"): 404,
    }
    place = cup.vault / "health" / "rounds" / "final" / "tests"
    assert tests["bob", "ann"].content == (place / "bob-on-ann.csv").read_bytes()
    answers = (cup.vault / "health" / "truth" / "final" / "answers" / "bob-on-ann.csv").read_text().split()
    guess = "".join(f"{answer},{answer},{answer}\n" for answer in answers).encode()
    assert cup.attack("bob", "ann", guess).status_code == 201
    cup.worker.drain()
    entry = cup.call("referee", "GET", "/api/v1/attacks?team=bob").json()[0]
    assert entry["score"]["risk"] == pytest.approx(1.01**3)  # all members called and every row named: (1 + delta)^3
    page = cup.call("referee", "GET", "/standings").text
    assert "preliminary 1, final 9" in page
    assert "No valid release in this round" in page  # nobody took part in the preliminary


@pytest.mark.parametrize("zipped", [False, True])
def test_a_release_that_deletes_nothing_comes_with_an_empty_file(
    health: tuple[CupSite, dict[str, dict[str, bytes]]], tmp_path: Path, *, zipped: bool
) -> None:
    cup, _ = health
    cup.open("practice")
    files = {"released": (tmp_path / "own" / "ann.csv").read_bytes(), "deleted": b""}
    if zipped:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for kind, content in files.items():
                archive.writestr(f"{kind}.csv", content)
        files = {"archive": stream.getvalue()}
    practice = {"round": "practice"}
    checked = cup.call("ann", "POST", "/api/v1/check/release", data=practice, files=files)
    assert checked.json() == {"valid": True, "errors": [], "count": 0}
    answer = cup.call("ann", "POST", "/api/v1/submissions", data=practice, files=files)
    assert answer.status_code == 201, answer.text
    cup.worker.drain()
    entry = cup.call("ann", "GET", f"/api/v1/submissions/{answer.json()['entry']}").json()
    assert (entry["status"], entry["count"]) == ("valid", 0)
    missing = cup.call("ann", "POST", "/api/v1/submissions", data=practice, files={"released": b"1\n"})
    assert [each["rule"] for each in missing.json()["errors"]] == ["missing"]


def test_practice_on_records_has_test_sets_too(health: tuple[CupSite, dict[str, dict[str, bytes]]]) -> None:
    cup, releases = health
    cup.open("practice")
    cup.call("ann", "POST", "/api/v1/submissions", data={"round": "practice"}, files=releases["ann"])
    cup.worker.drain()
    shown = cup.call("bob", "GET", "/api/v1/targets/practice/ann/test")
    assert len(shown.content.splitlines()) == 9
    answer = cup.attack("bob", "ann", b"-1,-1,-1\n" * 9, round_name="practice")
    assert answer.status_code == 201
    cup.worker.drain()
    entry = cup.call("bob", "GET", f"/api/v1/submissions/{answer.json()['entry']}").json()
    assert (entry["status"], entry["score"]["risk"]) == ("valid", 0.0)


def test_records_are_worth_at_home_what_they_are_on_the_server(
    health: tuple[CupSite, dict[str, dict[str, bytes]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup, releases = health
    rules = str(tmp_path / "small.toml")
    cup.open("anonymise", "final")
    cup.call("ann", "POST", "/api/v1/submissions", data={"round": "final"}, files=releases["ann"])
    cup.worker.drain()
    cup.open("publish", "final")
    cup.worker.drain()
    cup.open("attack", "final")
    guess = b"1,2,3\n" * 4 + b"-1,-1,-1\n" * 5
    cup.attack("bob", "ann", guess)
    cup.worker.drain()
    release, attack = (cup.call("referee", "GET", f"/api/v1/submissions/{number}").json()["score"] for number in (1, 2))
    for kind, content in {**releases["ann"], "guess": guess}.items():
        (tmp_path / f"{kind}.csv").write_bytes(content)

    def ask(*words: str) -> dict[str, object]:
        files = [f"{word}={tmp_path / f'{word[2:]}.csv'}" if word in GIVEN else word for word in words]
        status_of([*files, "--round", "final", "--json"])
        return json.loads(capsys.readouterr().out)

    home = ask("utility", rules, f"--original={tmp_path / 'own' / 'ann.csv'}", "--released", "--deleted")
    assert {name: home[name] for name in release["detail"]} == release["detail"]
    assert set(release["detail"]) >= {"rate", "odds", "cor", "iloss", "uniqrt"}
    answers = cup.vault / "health" / "truth" / "final" / "answers" / "bob-on-ann.csv"
    home = ask("judge", rules, f"--answers={answers}", "--guess")
    figures = {"risk": attack["risk"], **attack["detail"]}
    assert {name: home[name] for name in figures} == figures
    assert set(figures) == {"risk", "recall", "precision", "topk"}
