"""Proven, promised, not refuted and refuted are four words, and every figure is told in both languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.report.both_languages import read_both
from tests.report.pages.history.test_history_outcome import travelled as travelled_history
from tests.report.pages.records.test_keyed_outcome import travelled as travelled_keyed
from tests.report.pages.records.test_records_outcome import travelled as travelled_records
from tests.report.pages.tables.test_outcome import stage_of

from sekisho.gate.outcome import Certainty, Reason, Statement, Verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.journey.candidates import run
from sekisho.report.kit.blocks import TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.pages.verdicts.reasons import JAPANESE, reason_blocks, translate_detail
from sekisho.report.pages.verdicts.standings import STANDINGS, SUBJECTS, describe_figures, name_subject, standing_blocks
from sekisho.seeds import Seed
from sekisho.words import Language, Said, translate

PROMISE = Statement(
    standing=Certainty.PROMISED,
    subject="pk-anonymity",
    detail="nobody names …",
    assumes="the values and the sample were drawn at random, and nobody knows the seed",
    figures={"k": 4.0, "risk": 0.25},
)
SAMPLE = Statement(
    standing=Certainty.PROMISED, subject="sampling", detail="d", assumes="a", figures={"known": 10, "risk": 0.2}
)
PRESENCE = Statement(
    standing=Certainty.PROMISED,
    subject="delta-presence",
    detail="d",
    assumes="the population file holds everybody, and the adversary knows no more of a person than age, town",
    figures={"worst": 0.4, "wanted": 0.5},
)
ENGLISH = re.compile(r"[A-Za-z]{4,}")
NAMES = {"town", "rate", "odds", "iloss", "uniqrt", "kept", "presence"}


def all_statements() -> list[Statement]:
    table = stage_of("safe")
    outcomes = [
        travelled_history(2)[1],
        travelled_records(0.01)[1],
        travelled_keyed(5)[1],
        travelled_keyed(50)[1],
        list(run(table, seed=Seed(1)))[-1].outcome,
    ]
    return [one for outcome in outcomes for each in outcome.candidates for one in each.statements]


def test_where_nothing_is_assumed_no_column_stands_empty() -> None:
    bare = Statement(standing=Certainty.PROVEN, subject="k-anonymity", detail="d", figures={"worst": 5, "wanted": 5})
    for statements, columns in (((bare,), 3), ((bare, PROMISE), 4)):
        (table,) = [block for block in standing_blocks(statements) if isinstance(block, TableBlock)]
        assert len(table.head) == columns
    hidden = replace(bare, subject="protection intervals")
    (table,) = [block for block in standing_blocks((hidden,), edition=Edition.PUBLIC) if isinstance(block, TableBlock)]
    assert list(map(read_both, table.head)) == [("statement", "主張"), ("how sure", "確かさ")]


def test_the_four_words_differ_in_both_languages() -> None:
    assert len(set(STANDINGS.values())) == len(Certainty)
    assert len({translate(words, Language.JA) for words in STANDINGS.values()}) == len(Certainty)


@pytest.mark.parametrize("statement", [PROMISE, SAMPLE, PRESENCE])
def test_a_promise_stands_beside_what_it_rests_on(statement: Statement) -> None:
    table = next(block for block in standing_blocks([statement]) if isinstance(block, TableBlock))
    assumes = table.rows[0][3]
    assert isinstance(assumes, Said)
    assert assumes == statement.assumes
    assert not set(ENGLISH.findall(translate(assumes, Language.JA))) - NAMES


def test_keys_that_several_statements_rest_on_are_not_listed_in_each() -> None:
    own = "the adversary knows no more of a person than age, town"
    counted = Statement(
        standing=Certainty.PROVEN, subject="k-anonymity", detail="d", assumes=own, figures={"worst": 5, "wanted": 5}
    )
    other = replace(counted, assumes=own.replace("age, town", "age"))

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
    assert second == "the population file holds everybody, and the adversary knows no more of a person than the keys"
    assert list_assumptions(counted, other) == [
        own,
        other.assumes,
    ]  # of different keys all say theirs


def test_every_statement_of_every_shape_is_told_in_japanese() -> None:
    statements = [*all_statements(), PROMISE, SAMPLE, PRESENCE]
    assert {one.standing for one in statements} == set(Certainty)
    for statement in statements:
        words = describe_figures(statement) + translate(name_subject(statement.subject), Language.JA)
        assert set(ENGLISH.findall(words)) <= NAMES, statement


def test_a_column_is_named_with_its_guarantee() -> None:
    assert read_both(name_subject("l-diversity of illness")) == ("l-diversity of illness", "illness のl-多様性")
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


def test_every_rule_of_the_gate_is_told_in_japanese() -> None:
    assert POLICY_RULES.keys() == JAPANESE.keys()


@pytest.mark.parametrize(
    ("detail", "japanese"),
    [
        (
            "containment: 3 of 9 named rightly, 8 refute (union bound)",
            "商品の包含：名指しした 9 人のうち 3 人が的中、8 人で棄却（和の上界）",
        ),
        (
            "x: 3 of 9 named rightly (2.5 to be expected), 20 looked for; at most 20.0% of the people may be found",
            "x：対象者 20 人、名指しした 9 人のうち 3 人が的中、許容は 20.0% まで",
        ),
        (
            "x hopes for 2.5 hits among 20 people; at most 5.0% of the people may be found",
            "x：対象者 20 人のうち 2.5 人の的中を見込み、許容は 5.0% まで",
        ),
        ("x predicted a chance of 7.0% to refute it", "x：予告された確率 7.0%"),
        ("nearest: mean risk 0.2 over 3 test sets, the target is 0.1", "最近傍：3 回の平均リスク 0.2、上限 0.1"),
        ("ncp is 0.4, at most 0.3 leaves unseen", "ncp：0.4、上限 0.3"),
        ("1,000 of 2,000 records left, NCP 0.1 of at most 1", "2,000 件のうち 1,000 件"),
        ("hidden cells of a, b can often be worked out", "a, b"),
        ("k-anonymity: the smallest class has 2 rows, 50 are asked for", "k-匿名性（数値は下の表にあります）"),
        ("l-diversity of illness: a class has 1 value", "illness のl-多様性（数値は下の表にあります）"),
        ("words without a figure", "–"),
    ],
)
def test_a_figure_of_a_reason_is_told_in_japanese(detail: str, japanese: str) -> None:
    assert read_both(translate_detail(detail)) == (detail, japanese)


def test_the_public_page_gives_reasons_without_figures() -> None:
    reasons = [Reason(rule="unsafe cell shown", verdict=Verdict.REFUSE, detail=f"cell {n}") for n in range(2)]
    (own,), (public,) = (reason_blocks(reasons, edition=each) for each in (Edition.CONFIDENTIAL, Edition.PUBLIC))
    assert isinstance(own, TableBlock)
    assert isinstance(public, TableBlock)
    assert len(own.rows) == 2
    assert len(own.head) == 3
    assert len(public.rows) == 1  # said once
    assert len(public.head) == 2
    assert reason_blocks([]) == ()
