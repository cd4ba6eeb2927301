"""Contests of 2023, 2024 and 2025 on the server: parts, choices, one file about all releases, two boards, no truth."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contest.tables.table_cups import MAKERS as TABLE_CUPS
from tests.contest.tables.table_cups import TEAMS, create_cup
from tests.server.contest.conftest import make_database
from tests.server.contest.cup_site import SECRET
from tests.server.contest.pages.visits import read_page
from tests.server.contest.table_site import MAKERS, TableSite, open_table_site, pack_parts

from sekisho.cli import status_of
from sekisho.contest.folder.archive import pack_contest
from sekisho.contest.folder.binding import commit_secret
from sekisho.contest.ledger import digest_bytes
from sekisho.contest.standing import digest_standings, gather_round, rank_contest, rank_round_of
from sekisho.seeds import Seed
from sekisho.server.contest.backup import restore_backup, write_backup
from sekisho.server.contest.database.engine import Database
from sekisho.server.contest.store import Store


def open_kind(folder: Path, name: str) -> Iterator[TableSite]:
    with make_database(folder) as url, open_table_site(folder, url, MAKERS[name](Seed(4).rng())) as site:
        yield site


@pytest.fixture(params=list(MAKERS))
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TableSite]:
    yield from open_kind(tmp_path, request.param)


@pytest.fixture
def patients(tmp_path: Path) -> Iterator[TableSite]:
    yield from open_kind(tmp_path, "pwscup2025")


@pytest.fixture
def cells(tmp_path: Path) -> Iterator[TableSite]:
    yield from open_kind(tmp_path, "pwscup2023")


@pytest.fixture
def ratings(tmp_path: Path) -> Iterator[TableSite]:
    yield from open_kind(tmp_path, "pwscup2024")


def ask(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    capsys.readouterr()
    assert status_of([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_contest_ends_with_the_standings_that_its_export_evaluates_to(
    tables: TableSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup = tables.cup
    tables.play_until_attacks()
    for team in TEAMS:
        tables.attack_all(team, tables.widen(team))
    cup.reveal()
    answer = cup.call("", "GET", "/api/v1/standings").json()
    state = cup.site.book.read().state
    assert answer["digest"] == digest_standings(rank_contest(state))
    final = next(each for each in answer["rounds"] if each["round"] == "final")
    assert {each["team"] for each in final["boards"]["releases"]} == set(TEAMS)
    assert all(each["rank"] and each["total"] > 0 for each in final["boards"]["releases"])
    ranked = {each["team"] for each in final["boards"]["attackers"] if each["rank"] is not None}
    assert ranked == set(TEAMS)
    (tmp_path / "cup.zip").write_bytes(cup.export())
    ask(capsys, "contest", "import", tmp_path / "cup.zip", "--out", tmp_path / "home")
    replayed = ask(capsys, "contest", "replay", tmp_path / "home", "--rescore")
    assert (replayed["identical"], replayed["digest"]) == (True, answer["digest"])
    evaluated = ask(capsys, "contest", "evaluate", tmp_path / "home", "--round", "final")
    of_round = rank_round_of(state.contest, gather_round(state, "final"), "final")
    assert (evaluated["errors"], evaluated["digest"]) == ([], digest_standings(of_round))


def test_a_team_is_handed_what_is_its_own_of_the_originals(tables: TableSite) -> None:
    cup = tables.cup
    assert cup.call("ann", "GET", "/api/v1/rounds/final/original?number=1").status_code == 409  # not opened yet
    cup.open("anonymise", "final")
    many = "original.csv" not in tables.made.originals
    for number in ("1", "2", "3") if many else ("",):
        path = f"/api/v1/rounds/final/original{f'?number={number}' if number else ''}"
        held = {team: cup.call(team, "GET", path) for team in TEAMS}
        assert {each.status_code for each in held.values()} == {200}
        assert len({each.content for each in held.values()}) == (3 if many else 1)
        whole = tables.made.originals[f"ann-{number}.csv" if many else "original.csv"]
        if b"member" not in whole:
            assert held["ann"].content == whole
            continue
        # of 2025: the rows that are marked 1, without the mark, in their order
        lines = whole.decode().splitlines()
        mine = [line.rpartition(",")[0] for line in lines[1:] if line.endswith(",1")]
        assert held["ann"].content.decode().splitlines() == [lines[0].removesuffix(",member"), *mine]
    if many:
        assert cup.call("ann", "GET", "/api/v1/rounds/final/original").status_code == 422
        assert cup.call("ann", "GET", "/api/v1/rounds/final/original?number=4").status_code == 422
    assert cup.call("referee", "GET", "/api/v1/rounds/final/original").status_code == 403


def test_parts_come_one_by_one_or_in_an_archive_and_every_error_is_told(tables: TableSite) -> None:
    cup, files = tables.cup, tables.made.files["ann"]
    cup.open("anonymise", "final")
    form = {"round": "final"}
    for sent in (files, {"archive": pack_parts(files)}):
        checked = cup.call("ann", "POST", "/api/v1/check/release", data=form, files=sent)
        assert checked.json() == {"valid": True, "errors": [], "count": 0}
    name, *others = [part for part in files if part not in ("seed", "choice", "model")]
    lacking = {part: data for part, data in files.items() if part != name}
    refused = cup.call("ann", "POST", "/api/v1/submissions", data=form, files=lacking | {"diary": b"1\n"})
    assert refused.status_code == 422
    assert {(each["rule"], each["column"]) for each in refused.json()["errors"]} == {("kind", "diary")}
    refused = cup.call("ann", "POST", "/api/v1/submissions", data=form, files=lacking)
    assert [(each["rule"], each["column"]) for each in refused.json()["errors"]] == [("missing", name)]
    head, _, rest = files[name].partition(b"\n")
    spoiled = {**files, **dict.fromkeys(others[:1], b""), name: head + b",x\n" + rest}
    checked = cup.call("ann", "POST", "/api/v1/check/release", data=form, files=spoiled).json()
    assert not checked["valid"]
    assert {each["column"].split("/")[0] for each in checked["errors"]} >= {name, *others[:1]}
    assert all(each["message_ja"] for each in checked["errors"])


def test_archives_are_not_trusted(ratings: TableSite) -> None:
    cup, files = ratings.cup, ratings.made.files["ann"]
    cup.open("anonymise", "final")
    good = {f"{name}{'.txt' if name == 'choice' else '.csv'}": data for name, data in files.items()}
    bad: dict[str, dict[str, bytes]] = {
        "name": good | {"../0.csv": b"1\n"},
        "folder": {f"sheets/{name}": data for name, data in good.items()},
        "ratio": good | {"0.csv": b"0" * (40 << 20)},
    }
    for what, content in bad.items():
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in content.items():
                archive.writestr(name, data)
        answer = cup.call(
            "ann", "POST", "/api/v1/submissions", data={"round": "final"}, files={"archive": stream.getvalue()}
        )
        assert answer.status_code == 422, what
        assert answer.json()["errors"]
    assert cup.site.book.read().state.entries == ()


@pytest.mark.parametrize(
    "model",
    [
        b"\x80\x04\x95\x0e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",  # a pickle
        b"[" * 100_000,
        b'{"attributes": {}}',
        b"{}",
        b"\xff\xfe",
    ],
    ids=["pickle", "deep", "empty attributes", "nothing", "no text"],
)
def test_a_model_is_parsed_as_data_and_refused_with_a_reason(patients: TableSite, model: bytes) -> None:
    cup, files = patients.cup, patients.made.files["ann"]
    cup.open("anonymise", "final")
    sent = dict(files) | {"model": model}
    checked = cup.call("ann", "POST", "/api/v1/check/release", data={"round": "final"}, files=sent).json()
    assert {each["column"].split("/")[0] for each in checked["errors"]} == {"model"}
    number = patients.submit("ann", sent)
    cup.worker.drain()
    entry = cup.call("ann", "GET", f"/api/v1/submissions/{number}").json()
    assert (entry["status"], entry["count"]) == ("invalid", checked["count"])


def test_a_team_chooses_the_entry_that_counts(tables: TableSite) -> None:
    cup = tables.cup
    cup.open("anonymise", "final")
    for _ in range(2):
        tables.submit("bob", tables.made.files["bob"])
    first, last = (tables.submit("ann", tables.made.files["ann"]) for _ in range(2))
    waiting = cup.call("ann", "POST", f"/api/v1/submissions/{first}/choose")
    assert waiting.status_code == 409
    # the ledger's number would tell ann how many files others have handed in
    assert "entry 3" not in waiting.text
    cup.worker.drain()
    assert cup.call("bob", "POST", "/api/v1/submissions/9/choose").status_code == 403
    chosen = cup.call("ann", "POST", f"/api/v1/submissions/{first}/choose")
    if cup.site.rules.contest.final_entry != "chosen":
        assert (chosen.status_code, chosen.json()["rule"]) == (409, "choice")
        return
    assert chosen.json()["counts_now"] == first
    assert "Let this entry count" in read_page(cup, "ann", f"/entries/{last}", "en")
    assert "Let this entry count" not in read_page(cup, "ann", f"/entries/{first}", "en")
    tables.submit("ann", tables.made.files["ann"])
    cup.worker.drain()
    assert cup.call("ann", "GET", f"/api/v1/submissions/{first}").json()["counts_now"] == first
    cup.open("publish", "final")
    cup.worker.drain()
    state = cup.site.book.read().state
    assert state.published["final"]["ann"] == 3
    late = cup.call("ann", "POST", f"/api/v1/submissions/{last}/choose")
    assert late.status_code == 409


def test_one_file_about_all_releases_costs_only_what_is_wrong(tables: TableSite) -> None:
    cup = tables.cup
    tables.play_until_attacks()
    form = cup.call("ann", "GET", "/api/v1/attacks/all?round=final").json()
    assert (form["teams"], form["wanted"]) == (sorted(TEAMS), ["bob", "eve"])
    spoiled = tables.widen("ann", spoiled=("eve",))
    checked = cup.call("ann", "POST", "/api/v1/check/attacks", data={"round": "final"}, files={"guess": spoiled})
    assert {each["column"].split("/")[0] for each in checked.json()["errors"]} == {"eve"}
    taken = tables.attack_all("ann", spoiled)
    assert [each["target"] for each in taken["receipts"]] == ["bob", "eve"]
    found = {each["target"]: each["status"] for each in cup.call("ann", "GET", "/api/v1/attacks").json()}
    assert found == {"bob": "valid", "eve": "invalid"}
    taken = tables.attack_all("bob", tables.widen("bob", skipped=("eve",)))
    assert ([each["target"] for each in taken["receipts"]], taken["missing"]) == (["ann"], ["eve"])
    short = b"".join(line.rpartition(b",")[0] + b"\n" for line in tables.widen("eve").splitlines())
    refused = cup.call("eve", "POST", "/api/v1/attacks/all", data={"round": "final"}, files={"guess": short})
    assert (refused.status_code, refused.json()["errors"][0]["rule"]) == (422, "columns")
    empty = tables.widen("eve", skipped=("ann", "bob"))
    refused = cup.call("eve", "POST", "/api/v1/attacks/all", data={"round": "final"}, files={"guess": empty})
    assert refused.status_code == 422
    lone = tables.made.answer(Seed(1).rng(), "eve", "ann")
    assert cup.attack("eve", "ann", lone).status_code == 201
    page = cup.call("eve", "POST", "/attacks", data={"round": "final"}, files={"guess": tables.widen("eve")})
    assert page.status_code == 201
    assert "Received. Attacks that are being scored:" in page.text


def test_a_file_sent_twice_with_its_key_counts_once(cells: TableSite) -> None:
    cells.play_until_attacks()
    sent = [
        cells.cup.call(
            "ann",
            "POST",
            "/api/v1/attacks/all",
            data={"round": "final"},
            files={"guess": cells.widen("ann")},
            headers={"Idempotency-Key": "once"},
        ).json()
        for _ in range(2)
    ]
    assert [[each["repeated"] for each in answer["receipts"]] for answer in sent] == [[False, False], [True, True]]
    assert [each["entry"] for each in sent[0]["receipts"]] == [each["entry"] for each in sent[1]["receipts"]]


def test_the_truth_of_tables_is_in_no_answer(tables: TableSite) -> None:
    """Seeds, originals of others, members and answers stay with the referee, before and after the reveal."""
    cup = tables.cup
    tables.play_until_attacks()
    tables.attack_all("ann", tables.widen("ann"))
    hidden = [str(SECRET.value).encode()]
    hidden += [path.read_bytes() for path in sorted(cup.vault.glob("cup/truth/*/maps/*"))]
    hidden += [data for name, data in tables.made.originals.items() if not name.startswith(("original", "bob"))]
    assert len(hidden) >= 4
    paths = [f"/api/v1/submissions/{n}{more}" for n in range(1, 6) for more in ("", "/receipt", "/files/released")]
    paths += [f"/api/v1/submissions/{n}/files/{kind}" for n in range(1, 6) for kind in ("seed", "choice", "guess")]
    paths += [f"/api/v1/targets/final/{team}/{what}" for team in TEAMS for what in ("published", "test")]
    paths += [f"/api/v1/rounds/final/original?number={number}" for number in ("", "1", "2", "3")]
    paths += ["/api/v1/commitments", "/api/v1/matrix", "/api/v1/standings", "/standings", "/matrix", "/rules", "/team"]
    paths += ["/entries", "/targets?round=final", "/api/v1/exports/contest.zip", "/api/v1/attacks"]
    for _ in range(2):
        for who in ("", "bob"):
            for path in paths:
                for content in unpack(cup.call(who, "GET", path).content):
                    assert not [value[:40] for value in hidden if value in content], (who, path)
        cup.reveal() if not cup.call("", "GET", "/api/v1/standings").json()["revealed"] else None
    log = cup.logs.getvalue().encode()
    assert not [value[:40] for value in hidden if value in log]
    public = unpack(cup.call("referee", "GET", "/api/v1/exports/contest.zip").content)
    assert len(public) > 3
    assert not [value[:40] for value in hidden for content in public if value in content]


def unpack(content: bytes) -> list[bytes]:
    """Return an answer, and what is in it if it is an archive."""
    if not content.startswith(b"PK"):
        return [content]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [content, *(archive.read(name) for name in archive.namelist())]


def test_the_referee_is_bound_before_anybody_can_know(ratings: TableSite) -> None:
    cup = ratings.cup
    told = {(each["round"], each["of"]): each["digest"] for each in cup.call("", "GET", "/api/v1/commitments").json()}
    assert told["", "secret"] == commit_secret(SECRET, "")
    for name, data in ratings.made.originals.items():
        assert told["final", f"originals/{name}"] == commit_secret(SECRET, digest_bytes(data))
        assert digest_bytes(data) not in told.values()  # unsalted, it would tell who guesses rightly
    ratings.play_until_attacks()
    rows = cup.call("", "GET", "/api/v1/commitments").json()
    assert [each["round"] for each in rows if each["of"] == "published"] == ["final"]
    assert "originals/ann-1.csv" in read_page(cup, "", "/rules", "ja")


def test_attackers_of_the_house_have_no_rank(ratings: TableSite) -> None:
    cup = ratings.cup
    ratings.play_until_attacks()
    ratings.attack_all("ann", ratings.widen("ann"))
    cup.reveal()
    final = next(each for each in cup.call("", "GET", "/api/v1/standings").json()["rounds"] if each["standings"])
    house = [each for each in final["boards"]["attackers"] if each["house"]]
    assert [(each["team"], each["rank"]) for each in house] == [("sample-2024", None)]
    matrix = cup.call("", "GET", "/api/v1/matrix?round=final").json()
    assert set(matrix["house"]["sample-2024"]) == set(TEAMS)
    # ann did not shuffle her sheets: the house joins them and finds nearly all of 20 rows and 20 values
    assert matrix["house"]["sample-2024"]["ann"]["hits"] > 35 > matrix["house"]["sample-2024"]["bob"]["hits"]
    assert "of the house" in read_page(cup, "", "/matrix?round=final", "en")
    assert "運営（順位なし）" in read_page(cup, "", "/standings", "ja")


def test_feedback_tells_what_the_phase_allows(ratings: TableSite) -> None:
    ratings.play_until_attacks()
    entry = ratings.cup.call("ann", "GET", "/api/v1/submissions/1").json()
    assert set(entry["score"]) == {"utility", "pair-tables", "house sample-2024"}  # full, while releases are made
    ratings.attack_all("ann", ratings.widen("ann"))
    attack = ratings.cup.call("ann", "GET", "/api/v1/attacks").json()[0]
    assert set(attack["score"]) == {"claimed"}  # none before the reveal
    ratings.cup.reveal()
    attack = ratings.cup.call("ann", "GET", "/api/v1/attacks").json()[0]
    assert set(attack["score"]) == {"claimed", "hits", "risk", "identification", "reconstruction"}


def test_practice_is_on_tables_too(cells: TableSite) -> None:
    cup = cells.cup
    assert cup.open("practice").status_code == 200
    for team in ("ann", "bob"):
        cells.submit(team, cells.made.files[team], "practice")
    cup.worker.drain()
    answer = cup.attack("ann", "bob", cells.made.answer(Seed(1).rng(), "ann", "bob"), round_name="practice")
    assert answer.status_code == 201, answer.text
    cup.worker.drain()
    entry = cup.call("ann", "GET", f"/api/v1/submissions/{answer.json()['entry']}").json()
    assert (entry["status"], entry["score"]["claimed"]) == ("valid", 600)  # 60 rows of 10 secret columns


def test_a_backup_is_restored_to_the_same_standings(patients: TableSite, tmp_path: Path) -> None:
    patients.play_until_attacks()
    patients.attack_all("ann", patients.widen("ann"))
    patients.cup.reveal()
    written = write_backup(patients.cup.worker.database, patients.cup.worker.store, tmp_path / "backup.zip")
    with make_database(tmp_path / "other") as url:
        database = Database(url)
        restored = restore_backup(tmp_path / "backup.zip", database, Store(tmp_path / "other" / "store"))
        database.close()
    assert restored == written
    assert written["cup"] == patients.cup.call("", "GET", "/api/v1/standings").json()["digest"]


def test_a_rejudging_finds_nothing_else(patients: TableSite) -> None:
    patients.play_until_attacks()
    patients.attack_all("ann", patients.widen("ann"))
    cup = patients.cup
    cup.open("evaluate", "final")
    assert cup.call("referee", "POST", "/api/v1/rejudgings", json={"name": "again"}).status_code < 300
    cup.worker.drain()
    found = cup.call("referee", "GET", "/api/v1/rejudgings/again").json()
    assert (found["scored"], found["wanted"], found["differences"]) == (5, 5, [])


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_can_be_read(tables: TableSite, language: str) -> None:
    cup = tables.cup
    tables.play_until_attacks()
    tables.attack_all("ann", tables.widen("ann"))
    shared = ("/", "/rules", "/standings", "/matrix?round=final")
    team = ("/team", "/release?round=final", "/entries", "/entries/1", "/entries/2", "/targets?round=final")
    for who, paths in (
        ("", shared),
        ("ann", (*shared, *team, "/targets/final/bob")),
        ("referee", (*shared, "/entries")),
    ):
        for path in paths:
            read_page(cup, who, path, language)
    cup.reveal()
    page = read_page(cup, "ann", "/standings", language)
    assert ("Attackers" if language == "en" else "攻撃者") in page
    assert "less is better" not in page
    for path in ("/entries/1", "/entries/2"):
        read_page(cup, "referee", path, language)


@pytest.mark.parametrize("rules", ["pwscup2019", "pwscup2026"])
def test_a_contest_that_asks_several_things_is_refused_before_anybody_is_invited(tmp_path: Path, rules: str) -> None:
    # no attack could be handed in: each is an archive of several answers
    create_cup(TABLE_CUPS[rules](Seed(4).rng()), tmp_path, at="2026-01-01T00:00:00.000000Z", secret=Seed(3))
    (tmp_path / "cup.zip").write_bytes(pack_contest(tmp_path / "cup"))
    words = ["worker", "--import", tmp_path / "cup.zip", "--database", f"sqlite:///{tmp_path / 'cup.sqlite3'}"]
    assert status_of([*map(str, [*words, "--store", tmp_path / "s", "--vault", tmp_path / "v"])]) == 2
    assert not (tmp_path / "v").exists()
