"""A study's page must show every release and every column, and claim no more than was found."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.gate.history.study import FIGURES, USE_CASES, Findings, ReleaseErrors
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.study import TITLE, name_measure, study_blocks, study_tables, use_case_scatter
from sekisho.words import Language, translate

MADE = Provenance(name="test", version="0")


def findings(*, critical: float | None) -> Findings:
    # Errors 2 U for every name but rows, which never change.
    names = (*USE_CASES, *FIGURES)
    sampled = tuple(
        ReleaseErrors(
            name=f"folder/{letter}.csv",
            utility=utility,
            columns={},
            bounds={},
            errors={name: np.full(2, 5.0 if name == "rows" else 2 * utility) for name in names},
            provenance=MADE,
        )
        for letter, utility in (("a", 0.1), ("b", 0.3), ("c", 0.2))
    )
    correlations = {name: None if name == "rows" else 1.0 if name == "rfm" else 0.4 for name in names}
    return Findings(releases=sampled, correlations=correlations, critical=critical, level=0.05, provenance=MADE)


def test_the_tables_have_the_shape_of_the_reports() -> None:
    tables = study_tables(findings(critical=0.9))
    # a name and U, then eight use cases, two figures, and eight statistics of each column
    assert [len(table.head) for table in tables] == [10, 4, 10, 10, 10]
    assert [[row[0] for row in table.rows[:-1]] for table in tables] == [["a.csv", "b.csv", "c.csv"]] * 5
    assert tables[0].rows[0] == ("a.csv", "0.100", *["0.200"] * 8)
    assert tables[0].rows[-1][1:] == ("–", "0.400", "1.000*", *["0.400"] * 6)
    assert tables[1].rows[-1][1:] == ("–", "–", "0.400")


def test_only_what_is_significant_is_said_to_correlate() -> None:
    text = render_text(TITLE, study_blocks(findings(critical=0.9)))
    assert "1 of 8 use cases correlate with the error U at level 0.05: RFM table." in text
    # 3 x 8 statistics and the top items; of the rows there is no correlation
    assert "0 of 25 statistics correlate" in text
    none = render_text(TITLE, study_blocks(findings(critical=None)), language=Language.JA)
    assert "ユースケース 8 件のうち 0 件" in none


def test_the_line_of_least_squares_goes_through_the_points() -> None:
    picture = use_case_scatter(findings(critical=0.9), "rfm")
    assert picture.fit == pytest.approx((2.0, 0.0))
    assert use_case_scatter(findings(critical=0.9), "rows").fit is None


def test_every_column_has_a_name_in_both_languages() -> None:
    for name in (*USE_CASES, *FIGURES):
        assert name_measure(name)
        assert translate(name_measure(name), Language.JA)
    assert name_measure("price_sum") == "sum of price (last decimal)"


def test_the_page_is_one_file_in_two_languages() -> None:
    html = render_page(TITLE, study_blocks(findings(critical=0.9)))
    assert html.count("<svg") == 2 * 9
    assert "a.csv" in html
