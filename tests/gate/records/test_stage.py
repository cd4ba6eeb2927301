"""Records go through the same gate as histories: protected, held to the conditions, attacked.

What breaks a condition or falls must stay.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from sekisho.attack.records.partner_guess import RandomPartner
from sekisho.attack.records.row_scores import NearestRows
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import health_records
from sekisho.errors import ParameterError, SettingsError
from sekisho.gate.fit import fit
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.test_sets import RiskCandidate, list_reasons, score_strain
from sekisho.journey.candidates import run
from sekisho.protect.records.delete import DeleteRandom
from sekisho.protect.records.in_turn import InTurn
from sekisho.protect.records.swap import Swap
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition

RULES = read_record_rules("pwscup2021")
# Nothing is asked of utility, so that attacks alone decide.
EASY = replace(
    RULES,
    rounds={"final": replace(RULES.find_round("final"), rate=1.0, cor=2.0, odds=1e9, uniqrt=1.0)},
)
DATA = health_records(600, rng=Seed(7).rng())
CHANCE = DeleteRandom(share=0.45)
RECIPE = RecordsRecipe(
    rules=EASY,
    methods={"raw": CHANCE, "swap": InTurn(delete=CHANCE, change=fit(Swap(few=-1), EASY.parameters()))},
    adversaries={"nearest": NearestRows(cut=False), "random": RandomPartner()},
    target=0.2,
    tests=2,
)


@cache
def travelled() -> Outcome[RiskCandidate]:
    *_, last = run(RecordsStage(recipe=RECIPE, original=DATA), seed=Seed(7))
    assert (last.done, last.total) == (2, 2)
    return cast("Outcome[RiskCandidate]", last.outcome)


def test_raw_records_fall_and_swapped_ones_may_leave() -> None:
    outcome = travelled()
    raw, swapped = outcome.candidates
    assert outcome.shape is Shape.RECORDS
    # Unchanged rows are nearest to themselves: all fifty members of both test sets are found, (1.01)(0.51)(1.01) each.
    assert (raw.attempts[0].hits, raw.attempts[0].claimed) == (100, 200)
    assert raw.attempts[0].mean == pytest.approx(1.01 * 0.51 * 1.01)
    assert raw.attempts[0].strength == pytest.approx(raw.attempts[0].mean / 0.2)
    # 200 named, three rows of 330 for each of the 100 members among them.
    assert raw.attempts[0].baseline == pytest.approx(100 * 3 / 330)
    assert [reason.rule for reason in raw.reasons] == ["risk above target"]
    assert "nearest: mean risk 0.5203 over 2 test sets, the target is 0.2" in raw.reasons[0].detail
    assert (raw.verdict, swapped.verdict) == (Verdict.REFUSE, Verdict.RELEASE)
    assert outcome.best is swapped


def test_the_same_seed_gives_the_same_outcome_and_another_way_changes_nothing() -> None:
    alone = replace(RECIPE, methods={"swap": RECIPE.methods["swap"]})
    *_, last = run(RecordsStage(recipe=alone, original=DATA), seed=Seed(7))
    (swapped,) = cast("Outcome[RiskCandidate]", last.outcome).candidates
    assert [one.judged for one in swapped.attempts] == [one.judged for one in travelled().candidates[1].attempts]


def test_a_broken_condition_refuses_whatever_the_attacks_do_and_nobody_attacking_is_no_proof() -> None:
    met, broken = (Condition(name=name, value=value, limit=0.5) for name, value in (("rate", 0.1), ("cor", 0.6)))
    (why, nobody) = list_reasons((met, broken), (), 0.2)
    assert (why.rule, why.verdict) == ("condition broken", Verdict.REFUSE)
    assert "cor" in why.detail
    assert (nobody.rule, nobody.verdict) == ("no attack", Verdict.REVIEW)
    assert score_strain((met, broken)).value == pytest.approx(1.2)


def test_another_round_than_the_usual_one_is_asked_for_by_name() -> None:
    stage = RecordsStage(recipe=replace(RECIPE, rules=RULES, round_name="preliminary"), original=DATA)
    candidate = stage.try_release("raw", CHANCE.apply(DATA, rng=Seed(1).rng()), seed=Seed(1))
    assert isinstance(candidate, RiskCandidate)
    limits = {condition.name: condition.limit for condition in candidate.conditions}
    assert limits["iloss"] == 6
    # delta is 0 there: all found is 1 * 0.5 * 1.
    assert candidate.attempts[0].mean == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": 0.0}, "target must lie above 0 and be at most 1, not 0.0"),
        ({"target": 1.5}, "target must lie above 0 and be at most 1, not 1.5"),
        ({"tests": 0}, "tests must be at least 1, not 0"),
        ({"round_name": "third"}, "round must be one of final, not 'third'"),
    ],
)
def test_impossible_recipes_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        replace(RECIPE, **changes)


TEXT = """rules = "pwscup2021"
original = "B.csv"
target = 0.1
tests = 4
round = "preliminary"
shuffled = false
[[methods]]
name = "swap"
few = 10
[[adversaries]]
name = "nearest"
cut = false
"""


def test_a_recipe_of_records_is_read_with_its_own_keys(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(TEXT)
    recipe, file = read_recipe(path)
    assert isinstance(recipe, RecordsRecipe)
    assert (recipe.target, recipe.tests, recipe.round_name, recipe.shuffled) == (0.1, 4, "preliminary", False)
    assert list(recipe.methods) == ["swap few=10"]
    assert list(recipe.adversaries) == ["nearest cut=False"]
    assert file.original == str(tmp_path / "B.csv")


def test_what_suits_another_shape_is_refused_together(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        TEXT.replace('"swap"\nfew = 10', '"groups"').replace("target = 0.1", 'target = 0.1\nbound = "exact"')
    )
    with pytest.raises(SettingsError) as caught:
        read_recipe(path)
    assert {fault.column for fault in caught.value.faults} == {"bound", "methods.1.method"}
    assert "groups suits history" in str(caught.value)
    path.write_text(TEXT.replace("target = 0.1\n", ""))
    with pytest.raises(SettingsError, match="target must be given for records"):
        read_recipe(path)
    path.write_text(TEXT.replace('"pwscup2021"', '"pwscup2018"').replace('"swap"\nfew = 10', '"groups"'))
    with pytest.raises(SettingsError) as caught:
        read_recipe(path)
    keys = {"target", "tests", "round", "shuffled", "adversaries.1.adversary"}
    assert {fault.column for fault in caught.value.faults} == keys


def test_a_recipe_of_a_history_needs_no_target(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "groups"\n[[adversaries]]\nname = "chance"\n'
    )
    assert isinstance(read_recipe(path)[0], HistoryRecipe)
