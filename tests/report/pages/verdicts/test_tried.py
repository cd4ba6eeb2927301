"""A page says what was tried, how the one on it was chosen, and what could not be made: of the data only inside the house."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.gate.runs import write_keyed
from tests.report.pages.history import test_history_outcome as test_outcome
from tests.report.pages.records import test_keyed_outcome, test_records_outcome
from tests.report.pages.tables.test_outcome import stage_of

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.errors import InfeasibleError
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.journey.candidates import run
from sekisho.journey.run import pass_gate
from sekisho.protect import Method
from sekisho.protect.history.groups import Groups
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.protect.records.lattice_recoding import Lattice
from sekisho.protect.records.microaggregate import Microaggregate
from sekisho.protect.records.partition import Partition
from sekisho.protect.records.suppress import Suppress
from sekisho.report.kit.blocks import Block
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.outcome import outcome_blocks
from sekisho.report.pages.records.outcome import records_outcome_blocks
from sekisho.report.pages.tables.outcome import table_outcome_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks
from sekisho.seeds import Seed
from sekisho.words import Language, Said

Blocks = Callable[..., tuple[Block, ...]]
LABEL = "partition k=500"
REASON = Said("{rows} records cannot form a class of {k}", rows=120, k=500)


def travel(shape: str) -> tuple[Blocks, Any, Outcome[Any]]:
    """Return the page of a shape, its stage, and an outcome beside which something could not be made."""
    match shape:
        case "history":
            blocks, stage, outcome = outcome_blocks, *test_outcome.travelled(2)
        case "records":
            blocks, stage, outcome = records_outcome_blocks, *test_records_outcome.travelled(1.0)
        case "keyed":
            blocks, stage, outcome = records_outcome_blocks, *test_keyed_outcome.travelled(5)
        case _:
            stage = stage_of("safe")
            blocks, outcome = table_outcome_blocks, list(run(stage, seed=Seed(1)))[-1].outcome
    return blocks, stage, replace(outcome, impossible={LABEL: REASON})


@pytest.mark.parametrize("shape", ["history", "records", "keyed", "table"])
def test_what_could_not_be_made_is_on_the_page_of_every_shape(shape: str) -> None:
    blocks, stage, outcome = travel(shape)
    text = {language: render_text("T", blocks(stage, outcome), language=language, width=300) for language in Language}
    assert "What could not be made" in text[Language.EN]
    assert f"{translate_name(LABEL)}  {REASON}" in text[Language.EN]
    assert "作れなかったもの" in text[Language.JA]
    assert "120 件のレコードでは 500 件の組を作れません" in text[Language.JA]
    public = render_text("T", blocks(stage, outcome, edition=Edition.PUBLIC), width=300)
    assert REASON not in public
    assert (translate_name(LABEL) in public) == (shape != "table")


@pytest.mark.parametrize("shape", ["history", "records", "keyed", "table"])
def test_a_single_candidate_is_told_too(shape: str) -> None:
    blocks, stage, outcome = travel(shape)
    alone = replace(outcome, candidates=(outcome.best,), impossible={})
    text = render_text("T", blocks(stage, alone), width=300)
    assert "What was tried" in text
    assert ("One pattern was tried." if shape == "table" else "One way to protect the data was tried.") in text
    mark = "shown on this page" if outcome.verdict is Verdict.REFUSE else "chosen"
    assert f"{translate_name(outcome.best.label)} – {mark}" in text
    assert "What could not be made" not in text


def test_what_is_refused_is_shown_not_chosen() -> None:
    stage, outcome = test_keyed_outcome.travelled(50)
    text = {
        language: render_text("T", records_outcome_blocks(stage, outcome), language=language, width=300)
        for language in Language
    }
    assert "– chosen" not in text[Language.EN]
    assert "– shown on this page" in text[Language.EN]
    assert "This page shows the least harmful" in text[Language.EN]
    assert "– 採用" not in text[Language.JA]
    assert "害の最も小さいもの" in text[Language.JA]


def people(rows: int) -> Dataset:
    frame = pl.DataFrame({"age": np.arange(rows), "ill": ["flu"] * rows})
    columns = (
        Column(name="age", kind=Kind.INTEGER, role=Role.QUASI),
        Column(name="ill", kind=Kind.CATEGORY, role=Role.SENSITIVE),
    )
    return Dataset(frame, Schema(columns))


@pytest.mark.parametrize(
    "method",
    [
        Partition(keys=("age",), k=9),
        Partition(keys=("age",), k=2, l=2, sensitive="ill"),
        Lattice(keys=("age",), k=9),
        Suppress(keys=("age",), k=9),
        Microaggregate(keys=("age",), k=9),
    ],
    ids=repr,
)
def test_reasons_of_methods_of_records_are_japanese(method: Method) -> None:
    with pytest.raises(InfeasibleError) as caught:
        method.apply(people(8), rng=Seed(1).rng())
    assert isinstance(str(caught.value), Said)


@pytest.mark.parametrize("method", [SimilarLength(k=99), Groups(k=99)], ids=repr)
def test_reasons_of_methods_of_histories_are_japanese(method: Method) -> None:
    stage, _ = test_outcome.travelled(1)
    with pytest.raises(InfeasibleError) as caught:
        method.apply(stage.original, rng=Seed(1).rng())
    assert isinstance(str(caught.value), Said)


def test_a_strangers_reason_stays_as_it_is() -> None:
    blocks = impossible_blocks({"stranger": "the moon is full"})
    assert all("the moon is full" in render_text("T", blocks, language=language) for language in Language)


def test_nothing_that_could_be_made_is_told_by_shape(tmp_path: Path) -> None:
    recipe = write_keyed(tmp_path)
    recipe.write_text(recipe.read_text().replace("k = 4\neffort", "k = 400\neffort"))
    result = pass_gate(recipe, language="ja")
    assert result.verdict == "refuse"
    assert "40 件のレコードでは 400 件の組を作れません" in result.text
    assert "秘匿パターン" not in result.text
    english = pass_gate(recipe)
    assert "There is nothing to release." in english.text
    assert "pattern" not in english.text
    assert english.public == {}
