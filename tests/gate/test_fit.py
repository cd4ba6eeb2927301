"""What the rules forbid no method may publish: their largest set binds every way from a method to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.shopping import Line, shop

from sekisho.attack.history.chance import Chance
from sekisho.contest.history.files import publish, read_release, write_original, write_release
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.rulebook import read_history_rules
from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.fit import fit
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.safe_k import Safety, least_safe
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.journey import run
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
LINES: list[Line] = [(str(one + 1), 0, f"I{one}", 100, 1) for one in range(6)]
DATA = shop(LINES)


def limited(largest: int) -> HistoryRules:
    return replace(RULES, grammar=replace(RULES.grammar, max_set=largest))


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
        next(iter(least_safe(method, DATA, rules, Safety(bound=Bound.UNION), seed=Seed(1))))
    recipe = HistoryRecipe(rules=rules, methods={"six": SimilarLength(k=6)}, adversaries={"chance": Chance()})
    *_, last = run(HistoryStage(recipe=recipe, original=DATA), seed=Seed(1))
    assert int(last.outcome.best.release.table.sets("item").sizes().max()) <= 5


def test_a_method_without_sets_is_left_as_it_is() -> None:
    method = Pseudonymise()
    assert fit(method, RULES.parameters()) is method


def test_a_release_with_sets_above_the_limit_is_not_written() -> None:
    release = SimilarLength(k=6).apply(DATA, rng=Seed(1).rng())
    for write in (write_release, publish):
        with pytest.raises(FaultsError, match="a set may hold at most 5 values") as caught:
            write(release, limited(5))
        assert [fault.row for fault in caught.value.faults] == [1, 2, 3, 4, 5, 6]
        assert write(release, RULES)
    assert np.all(release.table.sets("item").sizes() == 6)
    assert write_original(DATA, RULES)
