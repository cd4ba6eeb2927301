"""The page says what is promised, which randomness made it, and what each plan costs, in both languages."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sekisho.data.review import ReleaseReview
from sekisho.gate.frontier import Population
from sekisho.provenance import Provenance
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.records.frontier import PLAN_TITLE, RELEASE_TITLE, plan_blocks, release_blocks
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.planner import Attribute, PramPlanner
from sekisho.safety.sampling import GuaranteeGap, Stratum
from sekisho.safety.transition import Matrix, Replacement
from sekisho.safety.usefulness import judge_mechanism

MADE = Provenance(name="pram")
POPULATION = Population(planner=PramPlanner(attributes={"sex": Attribute(values=2)}), records=1000)


def judge(made: Mechanism) -> ReleaseReview:
    return judge_mechanism(made.records, made.transitions)


def mechanism(retention: Fraction, strata: tuple[Stratum, ...] = (), *, visible: bool = True) -> Mechanism:
    return Mechanism(
        records=1000,
        sample=200,
        domains={"sex": ("f", "m")},
        transitions={"sex": Replacement(values=2, retention=retention)},
        stratum="town" if strata else "",
        strata=strata,
        visible=visible,
    )


def test_a_plans_page_shows_the_frontier() -> None:
    frontier = POPULATION.frontier(Fraction(5))
    html = render_page(PLAN_TITLE, plan_blocks(frontier, frontier.best, MADE))
    assert html.count("<svg") == 4  # two pictures, each in two languages
    assert "求める k の代償" in html
    assert f"{frontier.best.sample:,}" in html
    assert "standard error" in render_text(PLAN_TITLE, plan_blocks(frontier, frontier.best, MADE))


@pytest.mark.parametrize(
    ("randomness", "words"), [("secret", "secret, from the operating system"), ("seeded", "seeded: whoever knows")]
)
def test_a_releases_page_says_which_randomness_made_it(randomness: str, words: str) -> None:
    made = mechanism(Fraction(1, 2))
    frontier = POPULATION.frontier(Fraction(5))
    blocks = release_blocks(
        made,
        made.finding(),
        MADE,
        review=ReleaseReview(),
        randomness=randomness,
        frontier=frontier,
        errors={"sex": 0.04},
    )
    html = render_page(RELEASE_TITLE, blocks)
    assert words in html
    assert "ties a released record to a person with a chance above" in html
    assert html.count("<svg") == 4


def test_no_guarantee_is_said_with_its_reason() -> None:
    made = mechanism(Fraction(1))
    text = render_text(
        RELEASE_TITLE, release_blocks(made, made.finding(), MADE, review=judge(made), randomness="secret")
    )
    assert "No guarantee" in text
    assert "(sex)" in text


def test_strata_and_own_matrices_are_told() -> None:
    strata = (Stratum(name="a", records=600, sample=120), Stratum(name="b", records=400, sample=80))
    hidden = mechanism(Fraction(1, 2), strata, visible=False)
    text = render_text(
        RELEASE_TITLE, release_blocks(hidden, hidden.finding(), MADE, review=judge(hidden), randomness="secret")
    )
    assert "at least" in text
    assert "hidden: k is a lower bound" in text
    own = Mechanism(
        records=9, sample=9, domains={"x": ("u", "v")}, transitions={"x": Matrix(rows=[[0.6, 0.4], [0.3, 0.7]])}
    )
    assert "own matrix" in render_text(
        RELEASE_TITLE, release_blocks(own, own.finding(), MADE, review=judge(own), randomness="secret")
    )


def test_every_gap_has_its_words() -> None:
    assert all(gap.words == gap.value for gap in GuaranteeGap)


def test_a_release_of_noise_is_amber_and_says_why() -> None:
    made = mechanism(Fraction(1, 25))
    html = render_page(
        RELEASE_TITLE, release_blocks(made, made.finding(), MADE, review=judge(made), randomness="secret")
    )
    assert "Of hardly any use: less than 0.05 is kept of sex" in html
    assert "ほとんど役に立ちません" in html
    good = mechanism(Fraction(1, 2))
    fine = render_page(
        RELEASE_TITLE, release_blocks(good, good.finding(), MADE, review=judge(good), randomness="secret")
    )
    assert "Of hardly any use" not in fine
