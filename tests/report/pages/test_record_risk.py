"""The page of risk says what is counted, what is estimated and under which assumption, in both languages."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from sekisho.provenance import Provenance
from sekisho.report.kit.text import render_text
from sekisho.report.pages.risk.record_risk import RISK_TITLE, draw_sizes, render_risk_page, risk_blocks
from sekisho.report.pages.risk.special_uniques import choose_sets, draw_contributions, draw_minimal_sizes, draw_sets
from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.presence import match_population
from sekisho.words import Language

KEYS = {"sex": ["f", "f", "m", "m", "x"], "a<b": ["1", "1", "2", None, "3"]}
RECORDS = KeyedRecords(
    keys={name: ColumnCodes.of(pl.Series(values, dtype=pl.String)) for name, values in KEYS.items()},
    sensitive={"pay": ColumnCodes.of(pl.Series(["1", "2", "1", "1", "1"]))},
    weights=np.full(5, 3.0),
)
RISK = RiskQuestion(special=True).assess(RECORDS)


@pytest.mark.parametrize("language", list(Language))
def test_every_picture_is_well_formed(language: Language) -> None:
    assert RISK.special is not None
    for picture in (
        draw_sizes(RISK),
        draw_sets(RISK, RISK.special),
        draw_contributions(RISK, RISK.special),
        draw_minimal_sizes(RISK.special),
    ):
        ET.fromstring(picture.draw(language))


def test_estimates_stand_beside_their_assumptions() -> None:
    assert RISK.special is not None
    blocks = risk_blocks(RISK, Provenance(name="risk"))
    english = render_text(RISK_TITLE, blocks, language=Language.EN, width=200)
    japanese = render_text(RISK_TITLE, blocks, language=Language.JA, width=200)
    assert "3 of 5 records (60%) stand alone" in english
    assert "5 件のうち 3 件（60%）が一意です" in japanese
    assert "the population's classes have the sizes of the sample's" in english
    assert "母集団の同値類の大きさの分布が標本と同じ" in japanese
    assert "a<b = (missing)" in english
    assert "a<b = （欠測）" in japanese
    assert "none is a bound" in english
    assert "keep it inside" in english


def test_a_population_file_brings_journalist_and_marketer() -> None:
    sample = pl.DataFrame(KEYS)
    people = match_population(sample, pl.concat([sample, sample]))
    found = RiskQuestion().assess(KeyedRecords(keys=RECORDS.keys, population=people))
    words = render_text(RISK_TITLE, risk_blocks(found, Provenance(name="risk")), width=160)
    assert "journalist" in words
    assert "k-map" in words
    assert "journalist" not in render_text(RISK_TITLE, risk_blocks(RISK, Provenance(name="risk")), width=160)


def test_names_of_columns_are_escaped() -> None:
    page = render_risk_page(RISK, Provenance(name="risk"))
    assert "a&lt;b" in page
    assert "a<b" not in page


def test_the_most_telling_sets_of_each_size_are_shown() -> None:
    assert RISK.special is not None
    # sex: x alone, 1; a<b: 2, missing and 3 alone, 3; both: 3
    assert choose_sets(RISK.special) == [((1,), 3), ((0,), 1), ((0, 1), 3)]
