"""Proven, promised, not refuted and refuted are four words, and every figure is told in both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from tests.report.both_languages import read_both
from tests.report.pages.history.test_history_outcome import travelled as travelled_history
from tests.report.pages.records.test_keyed_outcome import travelled as travelled_keyed
from tests.report.pages.records.test_records_outcome import travelled as travelled_records
from tests.report.pages.tables.test_outcome import stage_of

from sekisho.gate.names import SUBJECTS, name_guarantee, name_label, name_subject
from sekisho.gate.outcome import Certainty, Outcome, Reason, Statement, Verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.gate.records.statements import RANDOM
from sekisho.gate.statement_words import add_knowledge, tell_hits, tell_knowledge
from sekisho.journey.candidates import run
from sekisho.report.kit.blocks import TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.pages.verdicts.reasons import describe_rule, reason_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.safety.records.presence import EVERYBODY
from sekisho.safety.rejection import Bound
from sekisho.safety.sampling import ASSUMPTION
from sekisho.seeds import Seed
from sekisho.words import Language, Said, translate

BARE = Said("nobody is published")
PROMISE = Statement(
    standing=Certainty.PROMISED, subject="pk-anonymity", detail=BARE, assumes=RANDOM, figures={"k": 4.0, "risk": 0.25}
)
SAMPLE = Statement(
    standing=Certainty.PROMISED,
    subject="sampling",
    detail=BARE,
    assumes=ASSUMPTION,
    figures={"known": 10, "risk": 0.2},
)
PRESENCE = Statement(
    standing=Certainty.PROMISED,
    subject="delta-presence",
    detail=BARE,
    assumes=add_knowledge(EVERYBODY, tell_knowledge(("age", "town"))),
    figures={"worst": 0.4, "wanted": 0.5},
)
ENGLISH = re.compile(r"[A-Za-z]{4,}")
NAMES = {"town", "illness", "learnable", "keys", "rate", "odds", "iloss", "uniqrt", "kept", "presence"}


def all_outcomes() -> list[Outcome[Any]]:
    table = stage_of("safe")
    return [
        travelled_history(2)[1],
        travelled_records(0.01)[1],
        travelled_keyed(5)[1],
        travelled_keyed(50)[1],
        list(run(table, seed=Seed(1)))[-1].outcome,
    ]


def all_statements() -> list[Statement]:
    return [one for outcome in all_outcomes() for each in outcome.candidates for one in each.statements]


def test_where_nothing_is_assumed_no_column_stands_empty() -> None:
    bare = Statement(standing=Certainty.PROVEN, subject="k-anonymity", detail=BARE, figures={"worst": 5, "wanted": 5})
    for statements, columns in (((bare,), 3), ((bare, PROMISE), 4)):
        (table,) = [block for block in standing_blocks(statements) if isinstance(block, TableBlock)]
        assert len(table.head) == columns
    hidden = replace(bare, subject="protection intervals")
    (table,) = [block for block in standing_blocks((hidden,), edition=Edition.PUBLIC) if isinstance(block, TableBlock)]
    assert list(map(read_both, table.head)) == [("statement", "主張"), ("how sure", "確かさ")]


def test_the_four_words_differ_in_both_languages() -> None:
    assert len({each.words for each in Certainty}) == len(Certainty)
    assert len({translate(each.words, Language.JA) for each in Certainty}) == len(Certainty)


@pytest.mark.parametrize("statement", [PROMISE, SAMPLE, PRESENCE])
def test_a_promise_stands_beside_what_it_rests_on(statement: Statement) -> None:
    table = next(block for block in standing_blocks([statement]) if isinstance(block, TableBlock))
    assumes = table.rows[0][3]
    assert isinstance(assumes, Said)
    assert assumes == statement.assumes
    assert not set(ENGLISH.findall(translate(assumes, Language.JA))) - NAMES


def test_keys_that_several_statements_rest_on_are_not_listed_in_each() -> None:
    own = tell_knowledge(("age", "town"))
    counted = Statement(
        standing=Certainty.PROVEN, subject="k-anonymity", detail=BARE, assumes=own, figures={"worst": 5, "wanted": 5}
    )
    other = replace(counted, assumes=tell_knowledge(("age",)))

    def list_assumptions(*statements: Statement) -> list[Said]:
        table = next(block for block in standing_blocks(statements) if isinstance(block, TableBlock))
        return [row[3] for row in table.rows if isinstance(row[3], Said)]

    (alone,) = list_assumptions(counted, PROMISE)[-1:]
    assert read_both(alone) == (own, "攻撃者が個人について age, town のほかは知らないこと")
    first, second = list_assumptions(counted, PRESENCE)[::-1]
    assert read_both(first) == (
        "the adversary knows no more of a person than the keys",
        "攻撃者が個人について キー のほかは知らないこと",
    )
    assert second == f"{EVERYBODY}, and the adversary knows no more of a person than the keys"
    assert list_assumptions(counted, other) == [
        own,
        other.assumes,
    ]  # of different keys all say theirs


def test_every_statement_of_every_shape_is_told_in_japanese() -> None:
    statements = [*all_statements(), PROMISE, SAMPLE, PRESENCE]
    assert {one.standing for one in statements} == set(Certainty)
    for statement in statements:
        words = "".join(
            translate(each, Language.JA)
            for each in (statement.detail, statement.assumes, name_subject(statement.subject))
        )
        assert set(ENGLISH.findall(words)) <= NAMES, statement


def test_a_column_is_named_with_its_guarantee() -> None:
    assert read_both(name_subject("l-diversity of illness")) == ("l-diversity of illness", "illness の l-多様性")
    assert name_subject("k-anonymity") == SUBJECTS["k-anonymity"]
    assert name_subject("a stranger's") == "a stranger's"


def test_the_public_page_of_a_table_does_not_count_its_unsafe_cells() -> None:
    (statement,) = list(run(stage_of("safe"), seed=Seed(1)))[-1].outcome.best.statements
    own, public = (
        next(block for block in standing_blocks([statement], edition=edition) if isinstance(block, TableBlock))
        for edition in (Edition.CONFIDENTIAL, Edition.PUBLIC)
    )
    figures = ("figures", "数値")
    assert figures in map(read_both, own.head)
    assert figures not in map(read_both, public.head)


def test_every_rule_and_reason_of_the_gate_is_told_in_japanese() -> None:
    told = [describe_rule(name) for name in POLICY_RULES]
    told += [reason.detail for outcome in all_outcomes() for each in outcome.candidates for reason in each.reasons]
    for words in told:
        assert set(ENGLISH.findall(translate(words, Language.JA))) <= NAMES, words


def test_attackers_and_guarantees_are_named_in_japanese_within_a_sentence() -> None:
    assert read_both(name_label("containment")) == ("containment", "商品の包含")
    assert read_both(name_label("nearest-cell k=3")) == ("nearest-cell k=3", "最近傍セル（k = 3）")
    assert read_both(name_label("stranger")) == ("stranger", "stranger")
    assert read_both(name_guarantee("l-diversity of illness")) == ("l-diversity of illness", "illness の l-多様性")
    assert read_both(tell_hits(1, Bound.UNION, strongest="unique-rows", hits=3, claimed=9, predicted=[0.1, 0.25])) == (
        (
            "1 attack under the union bound, the strongest unique-rows: 3 of 9 named rightly; the largest chance predicted "
            "to refute it is 0.25"
        ),
        "和の上界のもとで 1 種の攻撃、最も強いのは一意な行：名指しした 9 人のうち 3 人、予告された確率の最大は 0.25 です",
    )


def name_cell(number: int) -> Said:
    return Said("{count} unsafe {count:cell is|cells are} published: {cells}", count=1, cells=f"cell {number}")


def test_the_public_page_gives_reasons_without_figures() -> None:
    reasons = [Reason(rule="unsafe cell shown", verdict=Verdict.REFUSE, detail=name_cell(n)) for n in range(2)]
    (own,), (public,) = (reason_blocks(reasons, edition=each) for each in (Edition.CONFIDENTIAL, Edition.PUBLIC))
    assert isinstance(own, TableBlock)
    assert isinstance(public, TableBlock)
    assert len(own.rows) == 2
    assert len(own.head) == 3
    assert len(public.rows) == 1  # said once
    assert len(public.head) == 2
    assert reason_blocks([]) == ()
