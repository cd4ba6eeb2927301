"""A history is protected, attacked and judged in one go; the best candidate that may leave is chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InfeasibleError, SettingsError
from sekisho.gate.history.recipe import ClaimPolicy, HistoryRecipe
from sekisho.gate.history.safe_k import Safety, search_safe_k
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.journey.candidates import run
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed

RULES = read_history_rules("pwscup2018")
HISTORY = SyntheticHistory(customers=60, items=300, median_rows=10).draw(rng=Seed(5).rng())


def travelled(bound: Bound = Bound.EXACT, claim: ClaimPolicy = ClaimPolicy.REQUIRED) -> Outcome[HistoryCandidate]:
    recipe = HistoryRecipe(
        rules=RULES,
        methods={"raw": Pseudonymise(), "threes": SimilarLength(k=3), "sevens": SimilarLength(k=7)},
        adversaries={"chance": Chance(), "strong": MaximumKnowledge(bound=bound, everyone=True)},
        bound=bound,
        claim=claim,
    )
    return list(run(HistoryStage(recipe=recipe, original=HISTORY), seed=Seed(1)))[-1].outcome


def test_raw_data_are_refused_threes_are_reviewed_and_sevens_may_leave() -> None:
    outcome = travelled()
    raw, threes, sevens = outcome.candidates
    assert (raw.verdict, threes.verdict, sevens.verdict) == (Verdict.REFUSE, Verdict.REVIEW, Verdict.RELEASE)
    assert [reason.rule for reason in threes.reasons] == ["claim refuted"]
    assert threes.reasons[0].detail == "a class of 3 is named whole with 1/3!, (1/3)^3 is allowed"
    assert outcome.best is sevens
    assert raw.attempts[1].effective(Bound.UNION)
    assert raw.attempts[1].baseline == pytest.approx(raw.attempts[1].claimed / 60)


def test_attacks_alone_decide_where_the_recipe_says_so() -> None:
    outcome = travelled(claim=ClaimPolicy.REPORTED)
    _, threes, _ = outcome.candidates
    assert threes.verdict is Verdict.RELEASE
    assert threes.claim.standing is Standing.REFUTED
    assert outcome.best is threes


def test_the_sharing_counts_people_with_the_same_published_rows() -> None:
    raw, threes, _ = travelled().candidates
    assert np.all(threes.sharing >= 3)
    assert len(raw.sharing) == 60
    assert raw.sharing.min() == 1


def test_the_same_seed_gives_the_same_outcome() -> None:
    one, other = travelled(), travelled()
    for first, second in zip(one.candidates, other.candidates, strict=True):
        assert first.score == second.score
        assert [attempt.hits for attempt in first.attempts] == [attempt.hits for attempt in second.attempts]


def test_a_recipe_is_read_with_its_methods_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "similar-length"\nk = 4\n[[methods]]\nname = "pseudonymise"\n'
        '[[adversaries]]\nname = "maximum-knowledge"\nbound = "exact"\np = "1/4"\n'
    )
    recipe, file = read_recipe(path)
    assert isinstance(recipe, HistoryRecipe)
    assert list(recipe.methods) == ["similar-length k=4", "pseudonymise"]
    assert list(recipe.adversaries) == ["maximum-knowledge bound=exact p=1/4"]
    assert file.original == str(tmp_path / "T.csv")
    assert recipe.bound is Bound.EXACT


def test_a_bad_recipe_is_refused_with_every_error(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(
        'rules = "pwscup2018"\noriginal = "T.csv"\n[[methods]]\nname = "similar-lenght"\n[[methods]]\nname = "similar-length"\nk = 0\n'
        '[[methods]]\nname = "groups"\nmax_set = 500\n[[adversaries]]\nname = "chance"\ncolour = "red"\n'
    )
    with pytest.raises(SettingsError) as caught:
        read_recipe(path)
    places = {fault.column for fault in caught.value.faults}
    assert places == {"methods.1.name", "methods.2.k", "methods.3.max_set", "adversaries.1.colour"}
    path.write_text('rules = "pwscup2018"\noriginal = "T.csv"\nmethods = []\nadversaries = []\n')
    with pytest.raises(SettingsError, match="methods must hold at least one"):
        read_recipe(path)


def test_the_least_safe_k_is_found_and_every_smaller_one_was_unsafe() -> None:
    tried = list(search_safe_k(SimilarLength(), HISTORY, RULES, Safety(bound=Bound.EXACT), seed=Seed(2)))
    assert [each.k for each in tried] == list(range(2, tried[-1].k + 1))
    assert [each.safe for each in tried] == [False] * (len(tried) - 1) + [True]
    assert tried[-1].survival >= 0.95


def test_where_no_k_is_safe_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekisho.gate.history.safe_k.LARGEST_K", 2)
    with pytest.raises(InfeasibleError, match="no k up to 2 survives 5000 attackers"):
        list(search_safe_k(SimilarLength(), HISTORY, RULES, Safety(bound=Bound.EXACT, attackers=5000), seed=Seed(2)))
