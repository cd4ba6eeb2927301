"""A history is protected, attacked and judged in one go; the best candidate that may leave is chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.cli.gate_run import CandidateClock
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import InfeasibleError, SettingsError
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.safe_k import Safety, search_safe_k
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import JourneyStep, Outcome, Verdict
from sekisho.gate.policy import ClaimPolicy
from sekisho.gate.recipe import read_recipe
from sekisho.journey.candidates import estimate_left, run
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


SPENT = {"lattice k=3": 20.0, "partition k=3": 2.0, "partition k=5": 4.0}


@pytest.mark.parametrize(
    ("rest", "since", "left"),
    [
        (("lattice k=5",), 0.0, 20.0),
        (("partition k=7", "lattice k=5"), 0.0, 3.0 + 20.0),
        # none of this method is finished: the mean of all, 26 s / 3
        (("microaggregate k=3", "partition k=7"), 0.0, 26.0 / 3 + 3.0),
        (("lattice k=5", "partition k=7"), 5.0, 15.0 + 3.0),
        # the one that is being made is late, which the next one is not
        (("lattice k=5", "partition k=7"), 50.0, 3.0),
        (("lattice k=5",), 50.0, 0.0),
        ((), 1.0, 0.0),
    ],
)
def test_what_is_left_is_the_mean_of_the_finished_ones_of_each_method(
    rest: tuple[str, ...], since: float, left: float
) -> None:
    assert estimate_left(SPENT, rest, since=since) == pytest.approx(left)
    assert estimate_left({}, rest, since=since) is None


@given(
    st.dictionaries(st.sampled_from([f"{name} {k}" for name in "ab" for k in range(4)]), st.floats(0, 1e3), min_size=1),
    st.lists(st.sampled_from(["a 9", "b 9", "c 9"]), max_size=5),
    st.floats(0, 1e3),
)
def test_what_is_left_lies_between_the_quickest_and_the_slowest(
    spent: dict[str, float], rest: list[str], since: float
) -> None:
    left = estimate_left(spent, rest, since=since)
    assert left is not None
    others = max(0, len(rest) - 1)
    assert min(spent.values()) * others <= left * (1 + 1e-9)
    assert left <= max(spent.values()) * len(rest) * (1 + 1e-9)


def test_the_time_that_is_told_goes_down_while_a_candidate_is_made() -> None:
    now = 100.0
    clock = CandidateClock(clock=lambda: now)
    assert clock.describe() == ""
    step = JourneyStep(labels=("a 1", "b 1", "a 2", "b 2"), spent={"a 1": 30.0, "b 1": 6.0}, outcome=travelled())
    assert clock.note(step) == "2 of 4 candidates"
    assert clock.describe() == "about 36 s more, by the finished ones of each method"
    now = 110.0
    assert clock.describe() == "about 26 s more, by the finished ones of each method"
    now = 150.0  # 20 s late: the last one takes its 6 s all the same
    assert clock.describe() == "about 6 s more, by the finished ones of each method"
    clock.note(JourneyStep(labels=("a 1", "b 1", "c 1"), spent={"a 1": 3.0}, outcome=step.outcome))
    assert clock.describe() == "about 6 s more, with b, c as quick as the finished ones"
    clock.note(JourneyStep(labels=("a 1", "a 2"), spent={"a 1": 3.0}, outcome=step.outcome))
    now = 160.0
    assert clock.describe() == "the last takes longer than the finished ones did"


def test_every_step_says_how_long_its_candidates_took() -> None:
    recipe = HistoryRecipe(
        rules=RULES,
        methods={"similar-length k=3": SimilarLength(k=3), "similar-length k=100": SimilarLength(k=100)},
        adversaries={"chance": Chance()},
    )
    steps = list(run(HistoryStage(recipe=recipe, original=HISTORY), seed=Seed(1)))
    assert [list(step.spent) for step in steps] == [list(recipe.methods)[: step.done] for step in steps]
    assert steps[-1].done == steps[-1].total == 2  # the one that gives nothing took its time, too
    assert list(steps[-1].outcome.impossible) == ["similar-length k=100"]
    assert all(seconds > 0 for seconds in steps[-1].spent.values())
