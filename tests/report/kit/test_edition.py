"""Each page says on top who may read it, and what could undo the protection is kept back from the public."""

from __future__ import annotations

import pytest

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Paragraph
from sekisho.report.kit.edition import BADGES, USUAL_BADGES, Badge, Edition, withhold_secrets
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.words import Language, translate

STEP = Provenance(name="gate", parameters={"k": 3}, seed=7, inputs={"T.csv": "00ff"})


@pytest.mark.parametrize("badge", Badge)
def test_the_badge_stands_above_the_title_in_both_languages(badge: Badge) -> None:
    html = render_page("Title", [Paragraph(text="word")], badge=badge)
    assert html.index(f'class="edition {badge}"') < html.index("<h1>")
    assert f".edition.{badge} {{ color:" in html
    assert BADGES[badge] in html
    assert translate(BADGES[badge], Language.JA) in html
    for language in Language:
        text = render_text("Title", [], badge=badge, language=language)
        assert text.startswith(f"[{translate(BADGES[badge], language)}]")


@pytest.mark.parametrize("edition", Edition)
def test_no_edition_says_by_itself_that_it_may_leave(edition: Edition) -> None:
    # that is a verdict's to say: a page without secrets still awaits it
    assert BADGES[Badge.MAY_LEAVE] not in render_page("Title", [], edition=edition)
    assert BADGES[USUAL_BADGES[edition]] in render_page("Title", [], edition=edition)


def test_a_page_of_no_edition_bears_no_badge() -> None:
    assert '<p class="edition' not in render_page("Title", [])
    assert render_text("Title", []).startswith("Title")


def test_seed_and_digests_are_kept_back_and_parameters_where_they_are_secret() -> None:
    (bare,) = withhold_secrets([STEP])
    assert (bare.seed, bare.inputs, bare.parameters) == (None, {}, {"k": 3})
    (barer,) = withhold_secrets([STEP], parameters=True)
    assert (barer.seed, barer.inputs, barer.parameters) == (None, {}, {})
