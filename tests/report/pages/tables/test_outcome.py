"""The report of a table at the gate states the verdict and its reasons in both languages, and no hidden value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sekisho.gate.outcome import Outcome
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.search import SealedCertificate, TableSearch
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.candidates import run
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.tables.outcome import TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.seeds import Seed
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.rules.table_rules import TableRules
from sekisho.words import Language

A, B = Dimension.flat("a", ["x", "y", "z"]), Dimension.flat("b", ["p", "q", "r"])
KEYS = [(a, b) for a in A.leaves for b in B.leaves]
VALUES = {
    "safe": [2, 2801, 30, 20, 16, 14, 15, 13, 12],
    # (x, p) and (x, q) add up to 2: the one person of either knows the other
    "leaking": [1, 1, 30, 20, 16, 14, 15, 13, 12],
}


def stage_of(kind: str) -> TableStage:
    table = from_inner((A, B), KEYS, np.array(VALUES[kind], dtype=np.float64))
    searches = {"highs": TableSearch(), "short": TableSearch(seconds=20.0)}
    rules = TableRules(min_count=2, width=2.0) if kind == "leaking" else TableRules()
    return TableStage(table=table, rules=rules, searches=searches, insiders=1)


def said(stage: TableStage, outcome: Outcome[TableCandidate], language: Language) -> str:
    blocks = table_outcome_blocks(stage, outcome)
    assert render_page(TABLE_OUTCOME_TITLE, blocks).startswith("<!DOCTYPE html>")
    return render_text(TABLE_OUTCOME_TITLE, blocks, language=language, width=200)


@pytest.mark.parametrize(
    ("language", "words"),
    [(Language.EN, ("This may be released", "What was tried")), (Language.JA, ("公開できます", "試した探索"))],
)
def test_a_proven_pattern_may_leave_and_no_hidden_value_is_on_its_page(
    language: Language, words: tuple[str, ...]
) -> None:
    stage = stage_of("safe")
    outcome = list(run(stage, seed=Seed(1)))[-1].outcome
    text = said(stage, outcome, language)
    assert all(word in text for word in words)
    hidden = outcome.best.release.table.value[outcome.best.release.table.suppressed]
    assert 2 in hidden.tolist()
    assert "P [" in text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (Language.EN, ("Have this reviewed", "no valid certificate proves the pattern", "One pattern was tried")),
        (Language.JA, ("審査してください", "有効な証明書がありません", "試した秘匿パターンは一つです")),
    ],
)
def test_a_pattern_without_a_certificate_is_for_review(language: Language, words: tuple[str, ...]) -> None:
    stage = stage_of("safe")
    (first, *_) = list(run(stage, seed=Seed(1)))[-1].outcome.candidates
    bare = replace(first.release, certificate=SealedCertificate())
    candidate = stage.try_release("bare", bare, seed=Seed(1))
    text = said(stage, Outcome(shape=stage.shape, seed=Seed(1), candidates=(candidate,)), language)
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (Language.EN, ("Do not release this pattern", "too closely by 1 contributor of another cell")),
        (Language.JA, ("公開してはいけません", "提供者 1 者に狭すぎる範囲で推定されます")),
    ],
)
def test_what_insiders_can_derive_is_refused_with_its_reason(language: Language, words: tuple[str, ...]) -> None:
    stage = stage_of("leaking")
    outsiders_only = replace(stage, insiders=0)
    (first, *_) = list(run(outsiders_only, seed=Seed(1)))[-1].outcome.candidates
    candidate = stage.try_release("without insiders", first.release, seed=Seed(1))
    text = said(stage, Outcome(shape=stage.shape, seed=Seed(1), candidates=(candidate,)), language)
    assert all(word in text for word in words)
