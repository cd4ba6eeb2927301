"""The report of records at the gate tells the verdict, why, and every adversary, in both languages.

Also where rules of one's own have no limits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from sekisho.attack.records.row_scores import NearestRows
from sekisho.contest.rulebook import read_record_rules
from sekisho.data.synthetic.health import health_records
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.test_sets import RiskCandidate
from sekisho.journey.candidates import run
from sekisho.protect.records.delete import DeleteRandom
from sekisho.report.kit.blocks import Banner, Tone
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.seeds import Seed
from sekisho.words import Language


def travelled(target: float) -> tuple[RecordsStage, Outcome[RiskCandidate]]:
    recipe = RecordsRecipe(
        rules=read_record_rules("pwscup2021"),
        methods={"raw": DeleteRandom(share=0.4), "rawer": DeleteRandom(share=0.3)},
        adversaries={"nearest": NearestRows(cut=False)},
        target=target,
        tests=1,
    )
    stage = RecordsStage(recipe=recipe, original=health_records(400, rng=Seed(1).rng()))
    return stage, cast("Outcome[RiskCandidate]", list(run(stage, seed=Seed(2)))[-1].outcome)


@pytest.mark.parametrize(
    ("language", "said"), [(Language.EN, "risk above the limit: nearest"), (Language.JA, "リスクが上限以上：最近傍")]
)
def test_a_refusal_says_why_in_both_languages(language: Language, said: str) -> None:
    stage, outcome = travelled(0.01)
    assert outcome.verdict is Verdict.REFUSE
    blocks = records_outcome_blocks(stage, outcome)
    text = render_text(records_outcome_title(stage), blocks, language=language)
    assert said in text
    assert ("Do not release this" if language is Language.EN else "公開してはいけません") in text
    html = render_page(records_outcome_title(stage), blocks, language=language)
    assert html.count('<span lang="en">') == html.count('<span lang="ja">')


def test_what_no_limit_is_set_for_is_told_without_a_verdict() -> None:
    stage, outcome = travelled(1.0)
    free = tuple(replace(one, limit=None) for one in outcome.best.conditions)
    best = replace(outcome.best, conditions=free, reasons=())
    blocks = records_outcome_blocks(stage, replace(outcome, candidates=(best,)))
    banner = blocks[0]
    assert isinstance(banner, Banner)
    assert banner.tone is Tone.GOOD
    text = render_text(records_outcome_title(stage), blocks)
    assert "Not refuted by these attacks" in text
    assert text.count("no limit") == len(free)
