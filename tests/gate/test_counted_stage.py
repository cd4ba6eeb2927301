"""Records whose rows stay with an engine, taken through the gate: the release, the verdict and the words of memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekisho.cli import status_of
from sekisho.errors import SettingsError
from sekisho.gate.certificate.checking import verify_certificate
from sekisho.gate.counted.records import CountedRecords
from sekisho.gate.outcome import Verdict
from sekisho.journey.entry import ReadRecipe
from sekisho.journey.result import GateResult
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed
from sekisho.words import Language, translate

SCHEMA = (
    'shape = "records"\n'
    + "".join(
        f'[[columns]]\nname = "{name}"\nrole = "{role}"\n'
        for name, role in {
            "id": "identifier",
            "age": "quasi",
            "town": "quasi",
            "pay": "other",
            "ill": "sensitive",
        }.items()
    )
    + '[harmless]\npay = "what they are paid hangs at the office door"\n'
)
ASKED = '[guarantees]\nk = 4\nl = 2\n[[methods]]\nname = "partition"\nk = 4\nsensitive = "ill"\nl = 2\neffort = 0\n'
ENGINES = ('engine = "polars"', 'memory = "1GB"')
BELOW = ("release.csv", "report.html", "certificate.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with made-up people and their schema."""
    rng = Seed(4).rng()
    rows = [
        f"p{n},{rng.integers(20, 60)},{rng.choice(['a', 'b', 'c'])},{rng.integers(0, 9)}.5,"
        f"{rng.choice(['flu', 'none', 'cold'])}"
        for n in range(240)
    ]
    (tmp_path / "people.csv").write_text("id,age,town,pay,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def write_recipe(folder: Path, text: str, name: str = "recipe.toml") -> Path:
    """Write a recipe of the people, and return where it is."""
    place = folder / name
    place.write_text(f'shape = "records"\noriginal = "people.csv"\nschema = "schema.toml"\nseed = 3\n{text}')
    return place


def go(folder: Path, text: str, out: str) -> GateResult:
    return pass_gate(write_recipe(folder, text), out=folder / out)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_same_release_verdict_and_proofs_as_in_memory(folder: Path, kind: str) -> None:
    more = f'{ASKED}[write]\nformat = "{kind}"\n'
    here = go(folder, more, "here")
    release = f"release.{kind}"
    for number, engine in enumerate(ENGINES):
        there = go(folder, f"{engine}\n{more}", f"there-{number}")
        place = folder / f"there-{number}" / "public"
        if kind == "csv":  # of Parquet the rows are the same, an engine writes them in blocks
            assert (place / release).read_bytes() == here.public[release]
        assert {path.name for path in place.iterdir()} == {release, "report.html", "certificate.json"}
        assert there.verdict is here.verdict is Verdict.RELEASE
        proven = [one for one in here.certificate.statements if one.standing == "proven"]
        assert list(there.certificate.statements) == proven
        assert there.certificate.claims == here.certificate.claims
        assert verify_certificate(place / "certificate.json").valid
        assert not list((folder / f"there-{number}" / "confidential").glob(".*"))
        assert release not in there.public  # it is not held in memory
        assert str(place / release) in there.list_paths()["public"]


def test_without_a_folder_the_release_is_read_into_memory(folder: Path) -> None:
    here, there = (pass_gate(write_recipe(folder, f"{engine}\n{ASKED}")) for engine in ("", ENGINES[0]))
    assert there.public["release.csv"] == here.public["release.csv"]
    assert there.best is not None
    assert here.best is not None
    assert there.best.risk >= here.best.risk  # rows alike cannot be told apart: no attack finds more than classes


def test_the_page_tells_in_both_languages_that_nobody_attacked(folder: Path) -> None:
    result = go(folder, f"{ENGINES[0]}\n{ASKED}", "out")
    page = result.confidential["report.html"].decode()
    assert "Nobody attacked this release" in page
    assert "攻撃は行っていません" in page
    public = result.public["report.html"].decode()
    assert "Nobody attacked this release" in public
    assert "Risk before and after" not in public
    assert "found by the keys at most" in translate(result.text, Language.EN)


def test_more_than_the_keys_may_give_away_is_refused(folder: Path) -> None:
    weak = '[[methods]]\nname = "code"\nbottom = { age = "25" }\n'
    result = go(folder, f"{ENGINES[0]}\n{weak}", "out")
    assert result.verdict is Verdict.REFUSE
    assert {one.rule for one in result.reasons} >= {"possible risk", "open account"}
    assert not list((folder / "out" / "public").iterdir())
    assert json.loads((folder / "out" / "confidential" / "certificate.json").read_text())["files"] == {}


def test_a_guarantee_that_does_not_hold_is_refused(folder: Path) -> None:
    text = ASKED.replace("k = 4\nl = 2\n[[m", "k = 9\nl = 2\nt = 0.01\n[[m")
    result, here = (go(folder, f"{engine}\n{text}", f"out{n}") for n, engine in enumerate((ENGINES[1], "")))
    broken = [[one.detail for one in each.reasons if one.rule == "guarantee broken"] for each in (result, here)]
    assert broken[0] == broken[1]
    assert len(broken[0]) == 2
    assert result.verdict is Verdict.REFUSE


def test_what_a_person_must_look_at_awaits_her_on_disk(folder: Path) -> None:
    text = f"{ENGINES[0]}\n{ASKED}[limits]\nncp = 0.0001\n"
    result = go(folder, text, "out")
    assert result.verdict is Verdict.REVIEW
    assert [one.rule for one in result.reasons] == ["limit exceeded"]
    proposed = folder / "out" / "confidential" / "proposed"
    assert {path.name for path in proposed.iterdir()} == set(BELOW)
    assert not list((folder / "out" / "public").iterdir())
    assert str(proposed / "release.csv") in result.list_paths()["proposed"]


def test_the_best_of_several_candidates_is_chosen_and_the_others_are_gone(folder: Path) -> None:
    two = ASKED + ASKED.partition("[[methods]]")[2].join(("[[methods]]", "")).replace("k = 4", "k = 8")
    result = go(folder, f'{ENGINES[0]}\nutility = "ncp"\n{two}', "out")
    assert result.outcome is not None
    first, second = result.outcome.candidates
    assert isinstance(first, CountedRecords)
    assert result.best is min((first, second), key=lambda each: each.score.value)
    assert not (folder / "out" / "confidential" / ".spool").exists()
    here = go(folder, f'utility = "ncp"\n{two}', "here")
    assert (folder / "out" / "public" / "release.csv").read_bytes() == here.public["release.csv"]


NO_WAY = {
    "methods": '[[methods]]\nname = "lattice"\nk = 3\n',
    "adversaries": '[[adversaries]]\nname = "prosecutor"\n',
    "keep": 'keep = ["age"]\n',
    "coarser": "[coarser]\nage = 5\n",
    "limits.pair-tables": "[limits]\npair-tables = 0.5\n",
    "utility": 'utility = "entropy"\n',
    "guarantees.beta-likeness": "[guarantees.beta-likeness]\nbeta = 2\n",
    "write.original": "[write]\noriginal = true\n",
    "memory": 'memory = "12 apples"\n',
    "engine": 'engine = "spark"\n',
}


@pytest.mark.parametrize("key", NO_WAY)
def test_what_has_no_way_there_is_refused_in_a_sentence(folder: Path, key: str) -> None:
    engine = "" if key in ("memory", "engine") else 'memory = "1GB"\n'
    line = NO_WAY[key]
    text = f"{engine}{line}{ASKED}" if "[" not in line.partition("=")[0] else f"{engine}{ASKED}{line}"
    with pytest.raises(SettingsError) as caught:
        ReadRecipe.read(write_recipe(folder, text))
    assert {fault.column for fault in caught.value.faults} == {key}
    assert "must" in caught.value.faults[0].message


def test_records_that_are_judged_by_test_sets_take_no_engine(folder: Path) -> None:
    text = 'engine = "duckdb"\nshape = "records"\ntarget = 0.5\n[[methods]]\nname = "groups"\n'
    place = folder / "recipe.toml"
    place.write_text(f'original = "people.csv"\n{text}')
    with pytest.raises(SettingsError) as caught:
        ReadRecipe.read(place)
    assert "engine" in {fault.column for fault in caught.value.faults}


@pytest.mark.parametrize("engine", ["", *ENGINES])
def test_a_column_that_others_may_know_does_not_leave_as_it_was_unseen(folder: Path, engine: str) -> None:
    narrow = f'{engine}\nkeys = ["town"]\n{ASKED}'
    result = go(folder, narrow, "narrow")  # classes by town alone are large, and everybody's age would leave
    assert result.verdict is Verdict.REVIEW
    (reason,) = [one for one in result.reasons if one.rule == "open account"]
    assert reason.detail.startswith("age: others may know it")
    assert not any((folder / "narrow" / "public").iterdir())
    said = SCHEMA.replace('"age"\nrole = "quasi"', '"age"\nrole = "other"')
    (folder / "schema.toml").write_text(f'{said}age = "nobody outside this town knows their ages"\n')
    assert go(folder, narrow, "said").verdict is Verdict.RELEASE  # whoever says that nobody knows it answers for it


def test_without_a_schema_nobody_said_what_others_know(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plain.toml").write_text(
        f'shape = "records"\noriginal = "people.csv"\nkeys = ["town"]\nsensitive = ["ill"]\n{ASKED}'
    )
    (reason,) = [one for one in pass_gate(folder / "plain.toml").reasons if one.rule == "open account"]
    assert reason.detail.startswith("3 columns leave and nobody said what they are: id")
    line = ["protect", "partition", str(folder / "people.csv"), "--keys", "town", "--k", "4", "--out"]
    assert status_of([*line, str(folder / "R.csv"), "--columns", "age,town"]) == 3
    assert "nobody said what it is: age" in capsys.readouterr().out
    assert status_of([*line, str(folder / "S.csv"), "--schema", str(folder / "schema.toml")]) == 3
    assert "age: others may know it" in capsys.readouterr().out
