"""Figures of a certificate are counted again: right ones are confirmed, and any other is refuted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.gate.certificate.claims import (
    Claims,
    ClassesClaim,
    ConditionClaim,
    PatternClaim,
    RejectionClaim,
    RiskClaim,
    TwinsClaim,
)
from sekisho.gate.certificate.recount import (
    CheckStanding,
    PublishedForm,
    count_least_class,
    count_least_values,
    count_twins,
    measure_farthest,
)
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound
from sekisho.utility.records.conditions import Side

CONFIRMED, REFUTED = CheckStanding.CONFIRMED, CheckStanding.REFUTED
# seven of seven is the least that refutes: (1/3)^7 = 1/2187 is below 1/2000, (1/3)^6 = 1/729 is not
ATTACK = RejectionClaim(
    adversary="one",
    claimed=7,
    hits=6,
    bound=Bound.UNION,
    p=Fraction(1, 3),
    alpha=Fraction(1, 2000),
    threshold=7,
    effective=False,
)


@pytest.mark.parametrize(
    ("changed", "standing"),
    [
        ({}, CONFIRMED),
        ({"threshold": 6}, REFUTED),
        ({"threshold": 6, "effective": True}, REFUTED),
        ({"effective": True}, REFUTED),
        ({"hits": 7}, REFUTED),
        ({"hits": 7, "effective": True}, CONFIRMED),
        ({"threshold": 6, "normative": True}, CheckStanding.NOT_CHECKED),
    ],
)
def test_the_threshold_of_an_attack_is_computed_again(changed: dict[str, object], standing: CheckStanding) -> None:
    assert replace(ATTACK, **changed).check(Path()).standing is standing


def test_more_hits_than_claims_are_no_claim() -> None:
    with pytest.raises(ParameterError, match="hits must lie between 0 and the 7 claimed"):
        replace(ATTACK, hits=8)


def write_twins(folder: Path, sizes: list[int]) -> TwinsClaim:
    """Write a history whose classes of twins have these sizes, each person with two rows."""
    people = [place for place, size in enumerate(sizes) for _ in range(size)]
    lines = [f"{number},{row},c{place}" for number, place in enumerate(people) for row in range(2)]
    (folder / "release.csv").write_text("\n".join(sorted(lines)) + "\n")
    classes = {str(size): count for size, count in Counter(sizes).items()}
    form = PublishedForm(file="release.csv", header=False, encoding="ascii")
    return TwinsClaim(published=form, pseudonym=0, classes=classes, p=Fraction(1, 3), standing=Standing.HOLDS)


def test_twins_are_counted_again_and_the_claim_with_them(tmp_path: Path) -> None:
    # 1/7! = 1/5040 is below (1/3)^7 = 1/2187, 1/6! = 1/720 is above (1/3)^6 = 1/729
    claim = write_twins(tmp_path, [7, 7, 9])
    assert claim.check(tmp_path).standing is CONFIRMED
    assert replace(claim, classes={"7": 3}).check(tmp_path).standing is REFUTED
    claim = write_twins(tmp_path, [6, 7])
    assert claim.check(tmp_path).standing is REFUTED
    assert replace(claim, standing=Standing.NOT_PROVEN).check(tmp_path).standing is CONFIRMED


def test_very_large_classes_of_twins_hold(tmp_path: Path) -> None:
    assert write_twins(tmp_path, [1200]).check(tmp_path).standing is CONFIRMED


@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=24)
)
def test_twins_are_those_with_the_same_rows(rows: list[tuple[int, str, str]]) -> None:
    frame = pl.DataFrame([(str(who), one, two) for who, one, two in rows], schema=["id", "a", "b"], orient="row")
    histories = {who: tuple(sorted(row[1:] for row in rows if row[0] == who)) for who, *_ in rows}
    assert count_twins(frame, 0) == dict(sorted(Counter(Counter(histories.values()).values()).items()))


@given(rows=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=20))
def test_k_l_and_t_are_those_of_the_classes(rows: list[tuple[str, str]]) -> None:
    frame = pl.DataFrame(rows, schema=["key", "value"], orient="row")
    classes = {key: [value for other, value in rows if other == key] for key, _ in rows}
    whole = Counter(value for _, value in rows)
    farthest = max(
        sum(abs(values.count(value) / len(values) - count / len(rows)) for value, count in whole.items()) / 2
        for values in classes.values()
    )
    assert count_least_class(frame, [0]) == min(map(len, classes.values()))
    assert count_least_values(frame, [0], 1) == min(len(set(values)) for values in classes.values())
    assert measure_farthest(frame, [0], 1) == pytest.approx(farthest)


def test_k_is_counted_again_in_the_published_file(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("age,ill\n[20;39],yes\n[20;39],no\n[40;59],no\n[40;59],yes\n")
    # every class has one yes and one no, just as all have: t is 0
    claim = ClassesClaim(
        published=PublishedForm(file="release.csv"), keys=(0,), k=2, sensitive=1, values=2, distance=0.0, required_k=2
    )
    assert claim.check(tmp_path).standing is CONFIRMED
    assert claim.kept
    assert not replace(claim, required_k=3).kept
    assert not replace(claim, required_values=3).kept
    for wrong in (replace(claim, k=3), replace(claim, values=1), replace(claim, distance=0.5)):
        assert wrong.check(tmp_path).standing is REFUTED
    (tmp_path / "release.csv").write_text("age,ill\n[20;39],yes\n[20;39],no\n[40;59],no\n[40;60],yes\n")
    assert claim.check(tmp_path).standing is REFUTED


def test_risks_conditions_and_hidden_cells_are_computed_again(tmp_path: Path) -> None:
    risk = RiskClaim(adversary="one", risks=(0.1, 0.3), target=0.25, refuted=False)
    assert risk.check(tmp_path).standing is CONFIRMED
    assert replace(risk, target=0.15).check(tmp_path).standing is REFUTED
    condition = ConditionClaim(name="kept", value=0.6, limit=0.5, side=Side.AT_LEAST, met=True)
    assert condition.check(tmp_path).standing is CONFIRMED
    assert replace(condition, value=0.4).check(tmp_path).standing is REFUTED
    (tmp_path / "release.csv").write_text("a,n\nx,4\ny,x\nTotal,x\n")
    pattern = PatternClaim(published=PublishedForm(file="release.csv"), dims=(0,), value=1, mark="x", cells=3, hidden=2)
    assert pattern.check(tmp_path).standing is CONFIRMED
    assert replace(pattern, hidden=1).check(tmp_path).standing is REFUTED


def test_a_claim_whose_file_cannot_be_read_is_refuted(tmp_path: Path) -> None:
    claim = write_twins(tmp_path, [7])
    assert [one.standing for one in Claims(twins=(replace(claim, pseudonym=9),)).check(tmp_path)] == [REFUTED]
    (tmp_path / "release.csv").unlink()
    (only,) = Claims(twins=(claim,)).check(tmp_path)
    assert (only.standing, "no such file" in only.finding) == (REFUTED, True)


def test_figures_name_the_rules_that_they_break() -> None:
    effective = replace(ATTACK, hits=7, effective=True)
    assert list(Claims(rejections=(effective,)).list_broken_rules()) == []
    assert list(Claims(rejections=(replace(effective, decides=True),)).list_broken_rules()) == ["effective attack"]
    risk = RiskClaim(adversary="one", risks=(0.3,), target=0.2, refuted=True)
    broken = ConditionClaim(name="kept", value=0.4, limit=0.5, side=Side.AT_LEAST, met=False)
    rules = list(Claims(risks=(risk,), conditions=(broken,)).list_broken_rules())
    assert rules == ["risk above target", "condition broken"]


def test_too_many_claims_are_refused() -> None:
    with pytest.raises(ParameterError, match="claims must be at most 1,000"):
        Claims(rejections=(ATTACK,) * 1001)
