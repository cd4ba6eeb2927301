"""The report of a journey tells of the chosen candidate in full and of the others beside it."""

from __future__ import annotations

from functools import cache

import pytest
from tests.report.both_languages import read_both

from sekisho.attack.history.chance import Chance
from sekisho.attack.history.containment import Containment
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.journey.candidates import run
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.report.kit.blocks import Banner, Figure, TableBlock, Tone
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.outcome import make_case, outcome_blocks, outcome_title
from sekisho.seeds import Seed
from sekisho.words import Language


@cache
def travelled(candidates: int) -> tuple[HistoryStage, Outcome[HistoryCandidate]]:
    history = SyntheticHistory(customers=40, items=200, median_rows=8).draw(rng=Seed(5).rng())
    methods = {"pseudonymise": Pseudonymise(), "similar-length k=7": SimilarLength(k=7)}
    recipe = HistoryRecipe(
        rules=read_history_rules("pwscup2018"),
        methods=dict(list(methods.items())[:candidates]),
        adversaries={"chance": Chance(), "containment": Containment()},
    )
    stage = HistoryStage(recipe=recipe, original=history)
    return stage, list(run(stage, seed=Seed(1)))[-1].outcome


def test_the_chosen_candidate_gives_the_verdict() -> None:
    stage, outcome = travelled(2)
    assert outcome.best.verdict is outcome.verdict is Verdict.RELEASE
    banner = outcome_blocks(stage, outcome)[0]
    assert isinstance(banner, Banner)
    assert banner.tone is Tone.GOOD
    bad = outcome_blocks(*travelled(1))[0]
    assert isinstance(bad, Banner)
    assert bad.tone is Tone.BAD


def test_candidates_stand_beside_one_another_where_there_are_several() -> None:
    heads = [block.head[0] for block in outcome_blocks(*travelled(2)) if isinstance(block, TableBlock)]
    alone = [block.head[0] for block in outcome_blocks(*travelled(1)) if isinstance(block, TableBlock)]
    assert ("method", "加工手法") in map(read_both, heads)
    assert ("method", "加工手法") in map(
        read_both, alone
    )  # a single one is told, too, without a picture to compare it in
    pictures = [
        [block.picture.title for block in outcome_blocks(*travelled(count)) if isinstance(block, Figure)]
        for count in (1, 2)
    ]
    title = ("Utility and safety of what was tried", "試した加工の有用性と安全性")
    assert [title in map(read_both, some) for some in pictures] == [False, True]
    assert ("reason", "理由") in map(read_both, alone)  # it is refused, and says why


@pytest.mark.parametrize("language", Language)
def test_the_report_is_whole_in_both_languages(language: Language) -> None:
    stage, outcome = travelled(2)
    text = render_text(outcome_title(stage), outcome_blocks(stage, outcome), language=language)
    assert ("– 採用" if language is Language.JA else "– chosen") in text
    html = render_page(outcome_title(stage), outcome_blocks(stage, outcome), language=language)
    assert html.count('<span lang="en">') == html.count('<span lang="ja">')


def test_the_case_carries_the_gates_verdict_and_what_made_it() -> None:
    stage, outcome = travelled(2)
    case = make_case(stage, outcome, outcome.candidates[0])
    assert case.candidate.verdict == Verdict.REFUSE
    assert [step.name for step in case.origin][-2:] == ["chance (attack)", "containment (attack)"]
