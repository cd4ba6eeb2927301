"""What the rules forbid no method may publish: their largest set binds every way from a method to a file."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.shopping import Line, shop

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.attack.records.row_scores import NearestRows
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules, read_record_rules
from sekisho.data.history.files import read_release, write_original, write_published, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.fit import fit
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.safe_k import Safety, search_safe_k
from sekisho.gate.history.stage import HistoryStage
from sekisho.journey.candidates import run
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.protect.records.noise import Noise
from sekisho.protect.records.swap import Swap
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
LINES: list[Line] = [(str(one + 1), 0, f"I{one}", 100, 1) for one in range(6)]
DATA = shop(LINES)


def limited(largest: int) -> HistoryRules:
    return replace(RULES, layout=replace(RULES.layout, grammar=replace(RULES.layout.grammar, max_set=largest)))


@pytest.mark.parametrize("method", [Groups(k=6), SimilarLength(k=6)])
def test_the_rules_limit_is_the_default_and_more_is_refused(method: Groups | SimilarLength, tmp_path: Path) -> None:
    rules = limited(5)
    release = fit(method, rules.parameters()).apply(DATA, rng=Seed(1).rng())
    (tmp_path / "A.csv").write_bytes(write_release(release, rules))
    # Six different items in one group: a set of six is one too many, so the cells are suppressed.
    assert read_release(tmp_path / "A.csv", rules, DATA).table.sets("item").suppressed.all()
    assert not fit(method, RULES.parameters()).apply(DATA, rng=Seed(1).rng()).table.sets("item").suppressed.any()
    with pytest.raises(ParameterError, match=r"^max_set must be at most 5, the largest that the rules allow, not 6$"):
        fit(replace(method, max_set=6), rules.parameters())
    assert fit(replace(method, max_set=4), rules.parameters()).max_set == 4


def test_every_way_through_the_gate_refuses_and_keeps_the_limit() -> None:
    method, rules = SimilarLength(k=6, max_set=6), limited(5)
    with pytest.raises(ParameterError, match="max_set"):
        HistoryRecipe(rules=rules, methods={"six": method}, adversaries={"chance": Chance()})
    with pytest.raises(ParameterError, match="max_set"):
        next(iter(search_safe_k(method, DATA, rules, Safety(bound=Bound.UNION), seed=Seed(1))))
    recipe = HistoryRecipe(rules=rules, methods={"six": SimilarLength(k=6)}, adversaries={"chance": Chance()})
    *_, last = run(HistoryStage(recipe=recipe, original=DATA), seed=Seed(1))
    assert int(last.outcome.best.release.table.sets("item").sizes().max()) <= 5


def test_a_method_without_sets_is_left_as_it_is() -> None:
    method = Pseudonymise()
    assert fit(method, RULES.parameters()) is method


def test_a_release_with_sets_above_the_limit_is_not_written() -> None:
    release = SimilarLength(k=6).apply(DATA, rng=Seed(1).rng())
    for write in (write_release, write_published):
        with pytest.raises(FaultsError, match="a set may hold at most 5 values") as caught:
            write(release, limited(5))
        assert [fault.row for fault in caught.value.faults] == [1, 2, 3, 4, 5, 6]
        assert write(release, RULES)
    assert np.all(release.table.sets("item").sizes() == 6)
    assert write_original(DATA, RULES)


def test_an_attack_is_planned_for_the_rules_that_will_judge_it() -> None:
    fifth = replace(RULES, verdict=replace(RULES.verdict, p=Fraction(1, 5), thresholds=""), normative={})
    data = SyntheticHistory(customers=40, items=200, median_rows=8).draw(rng=Seed(5).rng())
    recipe = HistoryRecipe(
        rules=fifth,
        methods={"raw": Pseudonymise()},
        adversaries={"strong": MaximumKnowledge()},
        bound=Bound.UNION,
    )
    *_, last = run(HistoryStage(recipe=recipe, original=data), seed=Seed(1))
    (attempt,) = last.outcome.candidates[0].attempts
    wanted = RejectionRule(p=Fraction(1, 5)).threshold(attempt.claimed)
    assert wanted != RejectionRule().threshold(attempt.claimed)  # a third would plan for another
    assert attempt.guess.detail["threshold"] == attempt.threshold[Bound.UNION] == wanted
    exact = fit(MaximumKnowledge(), fifth.parameters(Bound.EXACT))
    assert (exact.p, exact.alpha, exact.bound) == (Fraction(1, 5), Fraction(1, 2000), Bound.EXACT)


def test_a_parameter_that_is_said_stays_as_it_is_said() -> None:
    said = read_record_rules("pwscup2021").parameters()
    assert fit(Swap(limit=2), said).limit == 2
    assert fit(Swap(), said).limit == 4
    assert fit(NearestRows(answers=1), said).answers == 1
    assert (fit(NearestRows(), said).measured, fit(NearestRows(), said).answers) == (("age", "bmi"), 3)
    # Who names some columns means those, and no others are compared beside them.
    assert fit(NearestRows(measured=("bmi",)), said).compared == ()
    noise = fit(Noise(epsilon={"age": 1.0}), said)
    assert (noise.low["age"], noise.high["age"]) == (13, 85)


def test_the_least_safe_k_is_sought_against_the_rules_own_test() -> None:
    data = SyntheticHistory(customers=30, items=100, median_rows=5).draw(rng=Seed(5).rng())
    lax = replace(RULES, verdict=replace(RULES.verdict, p=Fraction(9, 10), thresholds=""), normative={})
    safety = Safety(bound=Bound.EXACT)
    # Where nine in ten may be named nothing is refuted; one in three refutes pairs.
    (first, *_) = search_safe_k(SimilarLength(), data, lax, safety, seed=Seed(2))
    (pairs, *_) = search_safe_k(SimilarLength(), data, RULES, safety, seed=Seed(2))
    assert (first.k, first.safe) == (2, True)
    assert not pairs.safe
