"""Records of one's own go all the way under rules of one's own: read, change, check, measure, attack, judge, plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.records.guess_files import read_guess
from sekisho.attack.records.partner_guess import BandPartner
from sekisho.attack.records.referee import draw_test_set, judge
from sekisho.attack.records.row_scores import NearestRows
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.files.layout import open_original
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, SchemaFile
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.records.files import read_original, read_published, read_release, write_number_lines, write_records
from sekisho.data.records.partners import squares
from sekisho.data.records.space import RecordSpace, take_kept
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, ParameterError, SettingsError
from sekisho.gate.fit import fit
from sekisho.gate.records.plan import RecordPlanner
from sekisho.gate.records.test_sets import score_strain
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.swap import Swap
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import check_conditions
from sekisho.utility.schema_terms import own_rules

SCHEMA = """
shape = "records"
missing_cells = "drop"
[rounds.own]
iloss = 2.5
kept = 0.3
rate = 0.5
delta = 0.01
[test]
members = 5
others = 5
[[columns]]
name = "id"
role = "identifier"
[[columns]]
name = "hired"
kind = "date"
role = "other"
[[columns]]
name = "age"
[[columns]]
name = "town"
missing = "category"
[[columns]]
name = "ill"
role = "sensitive"
"""
TOWNS = ("Ueda", "", "Kyoto; {x}", "北見")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    lines = ["id,name,hired,age,town,ill"]
    for row in range(120):
        age, town = f"{rng.integers(20, 26)}.{5 * rng.integers(2)}", TOWNS[rng.integers(4)]
        lines.append(
            f"p{row},N {row},2024-0{rng.integers(1, 9)}-11,{age},{town},{'yes' if rng.random() < 0.4 else 'no'}"
        )
    lines.append("p120,N 120,2024-01-11,,Ueda,no")
    (tmp_path / "staff.toml").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "staff.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def opened(folder: Path) -> tuple[Dataset, RecordTerms]:
    original, rules = open_original(folder / "staff.csv", read_record_rules(str(folder / "staff.toml")))
    return original.data, rules


def test_the_whole_way(folder: Path) -> None:
    data, rules = opened(folder)
    assert (len(data), data.schema["age"].kind, rules.name) == (120, Kind.DECIMAL, "staff")
    assert "missing" in data.domain("town")
    said = rules.parameters()
    method = InTurn(delete=DeleteRandom(share=0.2), change=fit(Swap(few=-1), said))
    release = method.apply(data, rng=Seed(1).rng())
    (folder / "D.csv").write_bytes(write_records(take_kept(release), rules))
    (folder / "X.csv").write_bytes(write_number_lines(np.flatnonzero(release.deleted)))
    assert (folder / "D.csv").read_text().startswith("hired,age,town,ill\n2024-")  # nobody's identifier

    again = read_release(folder / "D.csv", folder / "X.csv", rules, data)
    assert take_kept(again).frame.equals(take_kept(release).frame)
    found = {each.name: each for each in check_conditions(rules, data, again)}
    assert set(found) == {"rate", "odds", "cor", "iloss", "uniqrt", "kept"}
    assert [found[name].limit for name in ("rate", "odds", "kept")] == [0.5, None, 0.3]
    assert found["odds"].met
    assert found["odds"].as_dict()["met"] is None
    assert found["iloss"].value is not None
    assert 0 < found["iloss"].value <= 2.5
    assert set(score_strain(tuple(found.values())).detail) == {"rate"}

    test = draw_test_set(again.deleted, rng=Seed(2).rng(), members=5, others=5)
    (folder / "CT.csv").write_bytes(write_records(Dataset(data.frame[test.rows], data.schema), rules))
    known = read_original(folder / "CT.csv", rules)
    assert known.frame.equals(data.frame[test.rows])
    published = read_published(folder / "D.csv", rules, data.schema)
    guess = fit(NearestRows(cut=False), said).guess(published, known, rng=Seed(3).rng())
    (folder / "E.csv").write_bytes(write_number_lines(guess.rows(10, 3)))
    judged = judge(
        test.answers, read_guess(folder / "E.csv", rules, records=10, rows=len(published)), delta=0.01, count=3
    )
    assert (judged.members, judged.claimed) == (5, 10)


def test_a_plan_under_rules_of_one_s_own(folder: Path) -> None:
    data, rules = opened(folder)
    planner = RecordPlanner(leans=(0.0,), pulls=(0.0,), scouting=1, seeds=1)
    *_, last = planner.steps(rules, data, seed=Seed(1), target=0.9)
    assert last.best is not None
    assert last.best.admissible
    assert {attempt.adversary for attempt in last.best.attempts} >= {"nearest", "band", "density"}


def test_a_plan_needs_to_know_how_far_a_record_may_move(folder: Path) -> None:
    (folder / "staff.toml").write_text(SCHEMA.replace("iloss = 2.5\n", ""))
    data, rules = opened(folder)
    with pytest.raises(ParameterError, match="limit must be given"):
        next(RecordPlanner().steps(rules, data, seed=Seed(1), target=0.9))


def test_without_any_limit_everything_is_told_and_nothing_is_broken(folder: Path) -> None:
    (folder / "staff.toml").write_text(
        'shape = "records"\nmissing_cells = "drop"\n[[columns]]\nname = "age"\n'
        '[[columns]]\nname = "town"\nmissing = "category"\n'
    )
    data, rules = opened(folder)
    release = DeleteRandom(share=0.5).apply(data, rng=Seed(1).rng())
    found = check_conditions(rules, data, release)
    assert [each.name for each in found] == ["cor", "iloss", "uniqrt", "kept"]  # nothing is sensitive: no outcome
    assert all(each.met for each in found)
    assert str(found[-1]) == "kept        0.500000  no limit"
    assert set(score_strain(found).detail) == {"cor"}


def test_released_records_can_be_read_by_those_who_know_no_original(folder: Path) -> None:
    data, rules = opened(folder)
    release = DeleteRandom(share=0.5).apply(data, rng=Seed(1).rng())
    (folder / "D.csv").write_bytes(write_records(take_kept(release), rules))
    fresh = read_record_rules(str(folder / "staff.toml"))
    assert read_published(folder / "D.csv", fresh).to_dataset().frame.equals(take_kept(release).frame)


def test_every_error_of_a_release_at_once(folder: Path) -> None:
    data, rules = opened(folder)
    (folder / "D.csv").write_text("age,ill,town,hired\n20.55,no,Ueda,2024-01-11\n20,maybe,Ueda,11.1.2024\n")
    (folder / "X.csv").write_text("0\n0\n200\n")
    with pytest.raises(FaultsError) as caught:
        read_release(folder / "D.csv", folder / "X.csv", rules, data)
    assert {(fault.row, fault.column, fault.rule) for fault in caught.value.faults} == {
        (0, "", "rows"),
        (1, "age", "grammar"),
        (2, "ill", "domain"),
        (2, "hired", "grammar"),
        (2, "X", "doubled"),
        (3, "X", "range"),
    }


def test_a_limit_on_the_outcome_needs_an_outcome(folder: Path) -> None:
    (folder / "staff.toml").write_text(SCHEMA.replace('role = "sensitive"\n', "") + "[measures]\nrounded = 3\n")
    with pytest.raises(SettingsError, match=r"measures\.rounded"):
        read_record_rules(str(folder / "staff.toml"))
    (folder / "staff.toml").write_text(SCHEMA.replace('role = "sensitive"\n', ""))
    with pytest.raises(SettingsError, match=r"measures\.outcome must be given"):
        read_record_rules(str(folder / "staff.toml"))


def test_a_band_below_the_usual_one_ends_at_the_limit(folder: Path) -> None:
    data, _ = opened(folder)
    release = DeleteRandom(share=0.1).apply(data, rng=Seed(1).rng())
    shown = release.table.take(~release.deleted)
    assert len(BandPartner(limit=1.0).guess(shown, data, rng=Seed(1).rng())) > 0
    with pytest.raises(ParameterError, match="low must lie between 0 and the limit 1"):
        BandPartner(limit=1.0, low=2.0).guess(shown, data, rng=Seed(1).rng())


def test_numbers_too_far_apart_for_64_bits_are_refused_not_wrapped_around() -> None:
    schema = Schema((Column(name="income", kind=Kind.INTEGER), Column(name="share", kind=Kind.DECIMAL, decimals=6)))
    data = Dataset(pl.DataFrame({"income": [0, 10**7], "share": [0, 1]}), schema)
    (points,) = RecordSpace().points(data)
    with pytest.raises(ParameterError, match="64 bits"):  # (10**7 * 10**6)**2 = 10**26
        squares(points, points)
    huge = Dataset(pl.DataFrame({"income": [0, 10**14], "share": [0, 1]}), schema)
    with pytest.raises(ParameterError, match="column income must be small enough for 6 decimals"):
        RecordSpace().points(huge)


words = st.text(st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"]), max_size=6)


@given(
    st.lists(st.tuples(words, words, st.integers(-(10**9), 10**9), st.dates()), min_size=1, max_size=6),
    st.sampled_from([FileRules(missing=()), FileRules(missing=(), separator=";", decimal=",", date_format="%d.%m.%Y")]),
)
def test_any_records_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int, object]], file: FileRules
) -> None:
    columns = (
        ColumnRules(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        ColumnRules(name="town", source="Stadt", kind=Kind.CATEGORY),
        ColumnRules(name="cost", kind=Kind.DECIMAL, decimals=2),
        ColumnRules(name="day", kind=Kind.DATE),
    )
    rules = own_rules(SchemaFile(shape=Shape.RECORDS, columns=columns, file=file), "law")
    assert isinstance(rules, RecordTerms)
    frame = pl.DataFrame(
        rows, schema={"who": pl.String(), "town": pl.String(), "cost": pl.Int64(), "day": pl.Date()}, orient="row"
    )
    data, path = Dataset(frame, rules.schema), tmp_path_factory.mktemp("law") / "B.csv"
    path.write_bytes(write_records(data, rules))
    assert read_original(path, rules).frame.equals(frame)
    released = Dataset(frame.drop("who"), Schema(data.schema.attributes))
    path.write_bytes(write_records(released, rules))
    assert read_published(path, rules, data.schema).to_dataset().frame.equals(released.frame)
