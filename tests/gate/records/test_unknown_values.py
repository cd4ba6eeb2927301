"""A missing secret cell is no second value: what a class tells is counted among the known values, wherever rows are.

The oracle goes through the classes record by record. A class without a known value tells nothing: it breaks no l, and is
counted as such.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import exp, isnan, log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, describe
from tests.laws import try_examples

from sekisho.data.engines.scan import open_scan
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.layout import open_original
from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.errors import BugError, InfeasibleError
from sekisho.gate.certificate.claims import ClassesClaim
from sekisho.gate.certificate.recount import CheckStanding, PublishedForm, count_secret
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.engine.recount_scan import ScanClasses
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.recount import RowClasses, find_worst, recount_promises
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.candidates import run
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.partition import Partition
from sekisho.provenance import Provenance
from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
from sekisho.safety.records.closeness import TCloseness
from sekisho.safety.records.diversity import Diversity, LDiversity
from sekisho.safety.records.likeness import BetaLikeness, DeltaDisclosure
from sekisho.seeds import Seed

SCHEMA = Schema((Column(name="town", kind=Kind.CATEGORY), Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE)))
FIELDS = {column.name: FieldRules(name=column.name, kind=column.kind) for column in SCHEMA}
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "*", "x", "y", "z"])), min_size=1, max_size=24)
ONE_KNOWN = [("a", "x"), ("a", ""), ("b", "x"), ("b", "y"), ("c", "")]


def list_known(rows: list[tuple[str, str]]) -> list[list[str]]:
    """Return the known values of each class that has some."""
    classes = {town: [ill for other, ill in rows if other == town and ill not in {"", "*"}] for town, _ in rows}
    return [values for values in classes.values() if values]


def measure_slowly(rows: list[tuple[str, str]]) -> dict[str, float]:
    """Return the worst figure of each kind, straight from the definitions."""
    classes = list_known(rows)
    whole = Counter(value for values in classes for value in values)
    people = sum(whole.values())
    figures: dict[str, list[float]] = {name: [] for name in ("distinct", "entropy", "recursive", "t", "beta", "delta")}
    for values in classes:
        counts = Counter(values)
        shares = {value: count / len(values) for value, count in counts.items()}
        often = sorted(counts.values(), reverse=True)
        figures["distinct"].append(len(counts))
        figures["entropy"].append(exp(-sum(share * log(share) for share in shares.values())))
        figures["recursive"].append(often[0] / sum(often[1:]) if len(often) > 1 else float("inf"))
        figures["t"].append(sum(abs(shares.get(value, 0) - count / people) for value, count in whole.items()) / 2)
        lifts = [share * people / whole[value] for value, share in shares.items()]
        figures["beta"].append(max(max(lifts) - 1, 0))
        figures["delta"].append(max(abs(log(lift) / log(2)) for lift in lifts))
    return {
        name: (min if name in {"distinct", "entropy"} else max)(found) if found else float("nan")
        for name, found in figures.items()
    }


def build(rows: list[tuple[str, str]]) -> Dataset:
    return Dataset(pl.DataFrame(rows, schema=["town", "ill"], orient="row"), SCHEMA)


def release(rows: list[tuple[str, str]]) -> Release:
    none = np.zeros(len(rows), dtype=np.bool_)
    return Release(table=exact_table(build(rows)), deleted=none, provenance=Provenance(name="test"))


@try_examples(60)
@given(rows=ROWS)
@example(rows=ONE_KNOWN)
@example(rows=[("a", ""), ("a", "*")])
def test_every_guarantee_of_values_counts_the_known_ones(rows: list[tuple[str, str]]) -> None:
    expected, made = measure_slowly(rows), release(rows)
    guarantees = {
        "distinct": LDiversity(l=2),
        "entropy": LDiversity(l=2, kind=Diversity.ENTROPY),
        "recursive": LDiversity(l=2, kind=Diversity.RECURSIVE),
        "t": TCloseness(t=0.2),
        "beta": BetaLikeness(),
        "delta": DeltaDisclosure(),
    }
    unknown = len({town for town, _ in rows}) - len(list_known(rows))
    for name, guarantee in guarantees.items():
        finding = guarantee.check(made)
        assert finding.worst == pytest.approx(expected[name], nan_ok=True), name
        assert finding.kept or not isnan(finding.worst)
        assert ("no known value" in finding.words or "no class has a known value" in finding.words) == (unknown > 0)
    broken = LDiversity(l=2).find_broken(made)
    alone = {town for town, _ in rows if len({ill for other, ill in rows if other == town} - {"", "*"}) == 1}
    assert broken.tolist() == [town in alone for town, _ in rows]


@try_examples(30)
@given(rows=ROWS, choice=st.integers(0, 1), l_kind=st.sampled_from(["distinct", "recursive"]))
@example(rows=ONE_KNOWN, choice=0, l_kind="distinct")
@example(rows=[("a", "")], choice=1, l_kind="distinct")
def test_memory_engines_and_the_verifier_count_alike(rows: list[tuple[str, str]], choice: int, l_kind: str) -> None:
    frame, expected = build(rows).frame, measure_slowly(rows)
    asked = {"column": "ill", "l": 2.0, "kind": l_kind, "c": 1e9, "t": 1.0, "ordered": False}
    here = next(RowClasses(rows=PublishedRows(frame), fields=FIELDS).measure(("town",), asked))
    with TemporaryDirectory() as folder:
        frame.write_parquet(Path(folder) / "release.parquet")
        with open_scan(Path(folder) / "release.parquet", describe(FileRules(missing=())), CHOICES[choice]) as scan:
            there = find_worst(ScanClasses(scan=scan, fields=FIELDS).measure(("town",), asked))
    unknown = len({town for town, _ in rows}) - len(list_known(rows))
    for recounts in (here, there):
        assert [recount.counted for recount in recounts] == pytest.approx(
            [expected[l_kind], expected["t"]], nan_ok=True
        )
        assert [recount.unknown for recount in recounts] == [unknown, unknown]
        assert recounts[1].kept
        assert recounts[0].kept == (not list_known(rows) or expected["recursive"] < float("inf"))
    figures = count_secret(frame, [0], 1, distance=True)
    assert figures.unknown == unknown
    if list_known(rows):
        assert (figures.values, figures.distance) == (expected["distinct"], pytest.approx(expected["t"]))
    else:
        assert (figures.values, figures.distance) == (None, None)


def test_parts_of_the_classes_are_joined_whatever_is_known_in_them() -> None:
    frame = build([("a", ""), ("b", "x"), ("b", "y"), ("c", "x"), ("c", "y"), ("c", "z")]).frame
    promise = {
        "alike": {
            "keys": ["town"],
            "least": 1,
            "sensitive": {"column": "ill", "l": 2.0, "kind": "distinct", "c": 3.0, "t": None, "ordered": False},
        }
    }
    recounts = recount_promises(RowClasses(rows=PublishedRows(frame), fields=FIELDS), promise)
    assert (recounts[1].counted, recounts[1].unknown) == (2, 1)
    with pytest.raises(BugError, match="has l-diversity 1, 2 is promised"):
        recount_promises(RowClasses(rows=PublishedRows(build(ONE_KNOWN).frame), fields=FIELDS), promise)


@pytest.mark.parametrize(
    "method",
    [
        Partition(keys=("town",), k=2, sensitive="ill", l=2, effort=0.001),
        Partition(keys=("town",), k=2, sensitive="ill", l=1.5, diversity=Diversity.ENTROPY, effort=0.001),
        Lattice(keys=("town",), k=2, sensitive="ill", l=2, suppress=Fraction(3, 10)),
        Lattice(
            keys=("town",), k=2, sensitive="ill", l=2, diversity=Diversity.RECURSIVE, c=2.0, suppress=Fraction(3, 10)
        ),
        Partition(keys=("town",), k=2, sensitive="ill", t=0.4, effort=0.001),
    ],
    ids=["distinct", "entropy", "lattice", "recursive", "t"],
)
@try_examples(40)
@given(rows=ROWS.filter(lambda rows: len(rows) > 3))
@example(rows=[("a", "x"), ("a", ""), ("a", ""), ("b", "x"), ("b", "y"), ("c", ""), ("c", "")])
def test_methods_make_classes_whose_known_values_keep_what_is_asked(
    method: Partition | Lattice, rows: list[tuple[str, str]]
) -> None:
    try:
        made = method.apply(build(rows), rng=Seed(1).rng())
    except InfeasibleError:
        return
    if made.deleted.all():
        return
    guarantee = TCloseness(t=0.4) if method.l is None else LDiversity(l=method.l, kind=method.diversity, c=method.c)
    assert guarantee.check(made).kept


def test_the_risk_of_a_file_is_that_of_its_known_values() -> None:
    # town a: x and a gap, so l is 1 and one record is disclosed; town c tells nothing
    records = KeyedRecords.of(build(ONE_KNOWN), keys=("town",), sensitive=("ill",))
    (risk,) = RiskQuestion().assess(records).sensitive
    assert (risk.values, risk.distinct, risk.recursive, risk.disclosed, risk.unknown) == (2, 1, None, 1, 1)


def test_a_certificate_made_before_is_read_as_what_it_said(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("town,ill\na,hiv\na,\nb,flu\nb,cold\nc,\nc,\n")
    form = PublishedForm(file="release.csv")
    before = ClassesClaim(published=form, keys=(0,), k=2, sensitive=1, values=1)  # c has one value: the empty one
    now = replace(before, unknown=1)  # a has one: hiv
    assert [claim.check(tmp_path).standing for claim in (before, now)] == [CheckStanding.CONFIRMED] * 2
    assert "a missing cell counts as a value" in before.check(tmp_path).finding
    assert "1 class has no known value" in now.check(tmp_path).finding
    assert replace(now, unknown=0).check(tmp_path).standing is CheckStanding.REFUTED
    assert replace(now, values=2).check(tmp_path).standing is CheckStanding.REFUTED
    assert replace(now, values=None).check(tmp_path).standing is CheckStanding.REFUTED


# 36 people whose illness is known have hiv, 4 cells are empty; classes by sex and town are of ten
ALL_HIV = "sex,town,illness\n" + "".join(
    f"{sex},{town},{'hiv' if place < 9 else ''}\n" for place in range(10) for sex in "fm" for town in "AB"
)


@pytest.mark.parametrize("method", ['name = "partition"\nk = 5\n', 'name = "lattice"\nk = 5\n'])
def test_everybody_whose_illness_is_known_has_hiv_is_no_two_values(tmp_path: Path, method: str) -> None:
    (tmp_path / "m.csv").write_text(ALL_HIV)
    (tmp_path / "recipe.toml").write_text(
        'shape = "records"\noriginal = "m.csv"\nkeys = ["sex", "town"]\nsensitive = ["illness"]\n'
        f"[[methods]]\n{method}[guarantees]\nk = 5\nl = 2\n"
    )
    recipe, file = read_recipe(tmp_path / "recipe.toml")
    assert isinstance(recipe, RecordsRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    *_, last = run(RecordsStage.open(replace(recipe, rules=rules), original.data), seed=Seed(1))
    (candidate,) = last.outcome.candidates
    assert candidate.verdict is Verdict.REFUSE
    (broken,) = [one for one in candidate.statements if one.subject.startswith("l-diversity")]
    assert broken.standing is Certainty.REFUTED
    assert "distinct diversity 1, 2 is asked for" in broken.detail
