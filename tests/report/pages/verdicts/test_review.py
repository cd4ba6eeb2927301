"""What is said of hidden cells follows what was found: nothing counted, nothing worked out, or so many."""

from __future__ import annotations

import pytest

from sekisho.data.review import DerivedCells, ReleaseReview
from sekisho.gate.records.recount import Promise, Recount
from sekisho.report.kit.text import render_text
from sekisho.report.pages.risk.promises import promise_blocks
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.words import Language

OFTEN = {Language.EN: "can often work out", Language.JA: "しばしば"}
MATCHED = Recount(promise=Promise.MATCHED, keys=("town",), wanted=3, counted=3, kept=True)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    ("derived", "figures"),
    [
        (None, ()),
        (DerivedCells(cells=17, narrowed=0, known=0), ("17",)),
        (DerivedCells(cells=17, narrowed=5, known=2), ("17", "5")),
    ],
)
def test_hidden_cells_are_told_as_they_were_found(
    derived: DerivedCells | None, figures: tuple[str, ...], language: Language
) -> None:
    review = ReleaseReview(derivable=("town",), derived=derived)
    for blocks in (review_blocks(review), promise_blocks([MATCHED], 3, review.derived)):
        text = render_text("T", blocks, language=language, width=1000)
        assert (OFTEN[language] in text) == (derived is None)
        assert all(figure in text for figure in figures)


def test_where_nothing_can_be_worked_out_that_is_no_promise() -> None:
    review = ReleaseReview(derivable=("town",), derived=DerivedCells(cells=1, narrowed=0, known=0))
    text = render_text("T", review_blocks(review), width=1000)
    assert "of 1 hidden cell none can be narrowed" in text
    assert "The method does not promise it" in text
