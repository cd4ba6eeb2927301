"""Histories at the gate: releases of one's own are tried like others, limits and policies decide, words are earned."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.files.layout import open_original
from sekisho.data.history.files import write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import FaultsError
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Certainty, Outcome, Verdict
from sekisho.gate.recipe import read_recipe
from sekisho.journey.candidates import run
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.report.pages.history.attacks import verdict_banner
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.words import Language, translate

RULES = read_history_rules("pwscup2018")
HISTORY = SyntheticHistory(customers=30, items=100, median_rows=5).draw(rng=Seed(5).rng())
HEAD = 'rules = "pwscup2018"\noriginal = "T.csv"\n[[adversaries]]\nname = "maximum-knowledge"\n'


def opened(folder: Path, text: str) -> HistoryStage:
    (folder / "T.csv").write_bytes(write_original(HISTORY, RULES))
    (folder / "recipe.toml").write_text(text)
    recipe, file = read_recipe(folder / "recipe.toml")
    assert isinstance(recipe, HistoryRecipe)
    original, rules = open_original(Path(file.original), recipe.rules)
    return HistoryStage.open(replace(recipe, rules=rules), original.data)


TOLD = '[policy]\n"column of hardly any use" = "release"\n'  # of so few customers hardly anything is left of an item


def travelled(folder: Path, text: str) -> Outcome[HistoryCandidate]:
    *_, last = run(opened(folder, text), seed=Seed(1))
    return last.outcome


def test_a_release_of_one_s_own_is_tried_like_those_of_methods(tmp_path: Path) -> None:
    raw = Pseudonymise().apply(HISTORY, rng=Seed(2).rng())
    (tmp_path / "A.csv").write_bytes(write_release(raw, RULES))
    (own,) = travelled(tmp_path, 'release = "A.csv"\n' + HEAD).candidates
    assert (own.label, own.verdict) == ("A.csv", Verdict.REFUSE)
    assert "effective attack" in [reason.rule for reason in own.reasons]
    attacks = [one for one in own.statements if one.subject.startswith("attacks")]
    assert [one.standing for one in attacks] == [Certainty.REFUTED] * 2
    assert attacks[0].figures["predicted"] == pytest.approx(own.predicted)


def test_bad_releases_of_one_s_own_are_reported_at_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("nonsense\n")
    with pytest.raises(FaultsError) as caught:
        opened(tmp_path, HEAD + '[[releases]]\nfile = "one.csv"\n[[releases]]\nfile = "two.csv"\n')
    assert all(name in str(caught.value) for name in ("one.csv", "two.csv"))


def test_the_least_k_that_may_leave_is_chosen(tmp_path: Path) -> None:
    outcome = travelled(tmp_path, HEAD + '[find]\nmethod = "similar-length"\nk = [2, 7]\n' + TOLD)
    admissible = [each for each in outcome.candidates if each.verdict is Verdict.RELEASE]
    assert outcome.best.verdict is Verdict.RELEASE
    assert outcome.best.score.value == min(each.score.value for each in admissible)
    assert [one.standing for one in outcome.best.statements if one.subject == "claim H0"] == [Certainty.PROVEN]
    # the frontier goes from the most useful to the safest, and nothing on it is bettered in both
    frontier = outcome.frontier
    for one, other in pairwise(frontier):
        assert one.score.value <= other.score.value
        assert one.exposure > other.exposure


def test_limits_and_policy_decide(tmp_path: Path) -> None:
    sevens = '[[methods]]\nname = "similar-length"\nk = 7\n[limits]\ncell-error = 0.1\n'
    (reviewed,) = travelled(tmp_path, HEAD + sevens).candidates
    assert [each.rule for each in reviewed.reasons] == ["limit exceeded"]
    assert reviewed.verdict is Verdict.REVIEW
    (refused,) = travelled(tmp_path, HEAD + sevens + '[policy]\n"limit exceeded" = "refuse"\n').candidates
    assert refused.verdict is Verdict.REFUSE
    words = {each.verdict: verdict_banner(each, Bound.EXACT).text for each in (reviewed, refused)}
    assert "a measure is above its limit" in translate(words[Verdict.REVIEW], Language.EN)
    assert "no attack refuted it" in translate(words[Verdict.REFUSE], Language.EN)


def test_what_is_neither_proven_nor_refuted_is_not_stated() -> None:
    stage = HistoryStage(
        recipe=HistoryRecipe(rules=RULES, methods={"threes": SimilarLength(k=3)}, adversaries={}), original=HISTORY
    )
    *_, last = run(stage, seed=Seed(1))
    assert all(one.standing is not Certainty.NOT_REFUTED for one in last.outcome.best.statements)  # nobody attacked


@pytest.mark.parametrize("claim", ["required", "reported"])
def test_pseudonyms_that_are_names_never_leave_unseen(tmp_path: Path, claim: str) -> None:
    """Sevens whose pseudonyms are the customers' own numbers: whatever the recipe says of the claim, a person looks."""
    release = SimilarLength(k=7).apply(HISTORY, rng=Seed(2).rng())
    numbers = HISTORY.text("customer").cast(int).to_numpy()
    table = replace(release.table, pseudonym=numbers)
    (tmp_path / "A.csv").write_bytes(write_release(replace(release, table=table), RULES))
    (own,) = travelled(tmp_path, f'release = "A.csv"\nclaim = "{claim}"\n' + HEAD).candidates
    assert own.verdict is Verdict.REVIEW
    assert [reason.rule for reason in own.reasons] == ["pseudonyms tell names"]
    assert "30 of 30 pseudonyms are the people's own names" in own.reasons[0].detail
