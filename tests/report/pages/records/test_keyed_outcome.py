"""The report of keyed records tells the verdict, what is proven, who is found and what was lost, and names nobody."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
import pytest
from tests.report.both_languages import read_both
from tests.report.pages.test_editions import list_shown_rows, read_words

from sekisho.data.files.schema_files.schema_options import schema_from_options
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.gate.records.keys_judge import KeyedCandidate
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.candidates import run
from sekisho.protect.records.partition import Partition
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.utility.schema_terms import own_rules
from sekisho.words import Language

SECRET_SEED = 987_654_321
INPUT = Provenance(name="original", inputs={"people.csv": "d1ce" * 16})
ROWS = 120


def people() -> Dataset:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "id": [f"person{row:04}" for row in range(ROWS)],
            "age": rng.integers(20, 80, ROWS),
            "town": rng.choice(["aston", "bexley", "corby"], ROWS),
            "illness": rng.choice(["flu", "gout", "none"], ROWS),
        }
    )
    columns = (
        Column(name="id", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="age", kind=Kind.INTEGER, role=Role.QUASI),
        Column(name="town", kind=Kind.CATEGORY, role=Role.QUASI),
        Column(name="illness", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
    return Dataset(frame, Schema(columns))


@cache
def travelled(wanted: int) -> tuple[RecordsStage, Outcome[KeyedCandidate]]:
    rules = own_rules(schema_from_options(Shape.RECORDS, identifier="id"), "people")
    assert isinstance(rules, RecordTerms)
    recipe = RecordsRecipe(
        rules=rules,
        methods={
            "partition k=5": Partition(keys=("age", "town"), k=5),
            "partition k=2": Partition(keys=("age", "town"), k=2),
        },
        guarantees=RecordGuarantees(wanted={"k-anonymity": {"k": wanted}}),
        learnable={"illness": "everybody in these towns knows who is ill"},
        title=Title(en="Patients of May", ja="五月の患者"),
    )
    stage = RecordsStage.open(recipe, people())
    return stage, cast("Outcome[KeyedCandidate]", list(run(stage, seed=Seed(SECRET_SEED)))[-1].outcome)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            Language.EN,
            ("Patients of May", "This may be released", "proven", "not refuted by these attacks", "– chosen"),
        ),
        (Language.JA, ("五月の患者", "公開できます", "証明されています", "棄却されていません", "– 採用", "検察官")),
    ],
)
def test_a_release_that_keeps_its_guarantee_says_so_in_both_languages(
    language: Language, said: tuple[str, ...]
) -> None:
    stage, outcome = travelled(5)
    assert outcome.verdict is Verdict.RELEASE
    text = render_text(
        records_outcome_title(stage), records_outcome_blocks(stage, outcome), language=language, width=300
    )
    assert [word for word in said if word not in text] == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (Language.EN, ("Do not release this", "a wanted guarantee does not hold", "refuted")),
        (
            Language.JA,
            (
                "公開してはいけません",
                "求められた安全性が満たされていません",
                "棄却されました",
                "最小のクラスは 5 行です（求められているのは 50 行",
            ),
        ),
    ],
)
def test_a_broken_guarantee_is_refused_with_its_figure(language: Language, said: tuple[str, ...]) -> None:
    stage, outcome = travelled(50)
    assert outcome.verdict is Verdict.REFUSE
    text = render_text(
        records_outcome_title(stage), records_outcome_blocks(stage, outcome), language=language, width=300
    )
    assert [word for word in said if word not in text] == []


@pytest.mark.parametrize("wanted", [5, 50])
def test_the_public_page_names_nobody(wanted: int, tmp_path: Path) -> None:
    stage, outcome = travelled(wanted)
    pages = {
        edition: render_page(
            "T", records_outcome_blocks(stage, outcome, origin=(INPUT,), edition=edition), edition=edition
        )
        for edition in Edition
    }
    people().frame.write_csv(tmp_path / "people.csv")
    _, *rows = (tmp_path / "people.csv").read_text().splitlines()
    words = read_words(pages[Edition.PUBLIC])
    assert len(rows) == ROWS
    assert list_shown_rows(words, rows) == []
    assert list_shown_rows(words, [row.partition(",")[2] for row in rows]) == []
    assert {row.partition(",")[0] for row in rows}.isdisjoint(words)
    for secret in (str(SECRET_SEED), INPUT.inputs["people.csv"]):
        assert secret not in pages[Edition.PUBLIC]
        assert secret in pages[Edition.CONFIDENTIAL]
    assert "加工の前後" in pages[Edition.CONFIDENTIAL]
    assert "加工の前後" not in pages[Edition.PUBLIC]


def test_who_knows_all_keys_is_told_so_and_who_knows_some_by_their_names() -> None:
    stage, outcome = travelled(5)
    (table,) = [
        block
        for block in records_outcome_blocks(stage, outcome)
        if isinstance(block, TableBlock) and read_both(block.head[0]) == ("attack", "攻撃")
    ]
    assert [read_both(row[1]) for row in table.rows][:2] == [("all keys", "全キー"), ("age", "age")]
