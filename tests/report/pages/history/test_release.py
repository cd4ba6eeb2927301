"""The report must say plainly whether a history may leave, and say it in both languages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from sekisho.attack.guess import Guess
from sekisho.attack.history.explain import ClaimExplanation, TellingRow
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account
from sekisho.gate.history.stage import HistoryAttempt, HistoryCandidate, list_claim_reasons, list_reasons
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import ClaimPolicy
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Figure, Heading, Paragraph, Tone
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.before_after import column_card, count_fates
from sekisho.report.pages.history.release import (
    HistoryCase,
    explanation_blocks,
    history_blocks,
    history_title,
    telling_blocks,
)
from sekisho.safety.claim import ClaimFinding, SafetyClaim
from sekisho.safety.rejection import Bound
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Language, Said, translate

RULES = read_history_rules("pwscup2018")
NOBODY = Guess(published=np.zeros(0, np.int64), person=(), chance=np.zeros(0))
EXPLAINED = ClaimExplanation(
    pseudonym=7,
    customer="12350",
    chance=1.0,
    candidates=1,
    without={"date": 1, "item": 31},
    alone={"date": 4, "item": 2},
    rows=(
        TellingRow(
            row=4,
            cells={"date": "2010/12/1", "item": "{" + "22423;" * 20 + "}"},
            customers=1,
            alone={"date": 9, "item": 2},
        ),
    ),
)


@cache
def history() -> Dataset:
    return SyntheticHistory(customers=100, items=200, median_rows=10).draw(rng=Seed(1).rng())


def unchanged() -> Release:
    data = history()
    table = exact_table(data, pseudonym=data.codes("customer").astype(np.int64) + 1)
    return Release(table=table, deleted=np.zeros(len(data), np.bool_), provenance=Provenance(name="pseudonymise"))


def attacked(
    name: str, claimed: int, hits: int, *, bound: Bound = Bound.UNION, predicted: float | None = None
) -> HistoryAttempt:
    """Return what the gate makes of an attack with these counts."""
    threshold = {each: RULES.threshold(claimed, each) for each in Bound}
    return HistoryAttempt(
        adversary=name,
        claimed=claimed,
        hits=hits,
        baseline=claimed / 100,
        strength=hits / threshold[bound],
        predicted=predicted,
        guess=NOBODY,
        threshold=threshold,
    )


def claim_of(size: int, *, closed: bool = True) -> ClaimFinding:
    """Return what is known of a release of a hundred people in classes of one size."""
    classes = 100 // size
    return SafetyClaim().check_classes(np.full(classes, size), np.full(classes, closed))


PROVEN = claim_of(10)


def case(
    *attempts: HistoryAttempt, label: str = "pseudonymise", bound: Bound = Bound.UNION, claim: ClaimFinding = PROVEN
) -> HistoryCase:
    candidate = HistoryCandidate(
        label=label,
        release=unchanged(),
        score=Score(value=0.25, detail={"date": 0.1, "item": 0.4, "price": 0.3, "quantity": 0.2}),
        attempts=attempts,
        reasons=(*list_reasons(attempts, bound), *list_claim_reasons(claim, ClaimPolicy.REQUIRED)),
        account=Account.of_round(),  # these are a contest's rules
        claim=claim,
        sharing=np.array([1] * 3 + [2] * 97),
        explanations=(EXPLAINED,),
        right={7: True},
    )
    origin = (Provenance(name="pseudonymise", version="0"),)
    return HistoryCase(rules=RULES, original=history(), candidate=candidate, bound=bound, origin=origin)


# For 100 guesses r = 65 and r* = 53 (both checked in tests/safety).
@pytest.mark.parametrize(
    ("hits", "verdict", "tone"),
    [
        (0, Verdict.RELEASE, Tone.GOOD),
        (52, Verdict.RELEASE, Tone.GOOD),
        (53, Verdict.REVIEW, Tone.WARN),
        (64, Verdict.REVIEW, Tone.WARN),
        (65, Verdict.REFUSE, Tone.BAD),
        (100, Verdict.REFUSE, Tone.BAD),
    ],
)
def test_the_verdict_follows_the_hits(hits: int, verdict: Verdict, tone: Tone) -> None:
    made = case(attacked("chance", 100, 1), attacked("unique-rows", 100, hits))
    assert made.candidate.verdict is verdict
    banner = history_blocks(made)[0]
    assert isinstance(banner, Banner)
    assert banner.tone is tone
    assert isinstance(banner.text, Said)
    for words in (banner.text, translate(banner.text, Language.JA)):
        assert str(max(hits, 1)) in words


def test_the_exact_bound_refuses_where_it_decides() -> None:
    exact = case(attacked("x", 100, 53, bound=Bound.EXACT), bound=Bound.EXACT)
    assert exact.candidate.verdict is Verdict.REFUSE


def test_the_gate_has_the_last_word_and_the_sentence_gives_its_reason() -> None:
    # 45 of 100 refute nothing (r* = 53), but the adversary predicted that he might.
    made = case(attacked("x", 100, 45, predicted=0.25), label="groups k=3")
    banner = history_blocks(made)[0]
    assert isinstance(banner, Banner)
    assert isinstance(banner.text, Said)
    assert banner.tone is Tone.WARN
    assert "a chance of 25%" in banner.text
    assert "25% の確率" in translate(banner.text, Language.JA)
    assert "最適なグループ化（k = 3）" in render_text("t", history_blocks(made), language=Language.JA)


def test_the_sentence_tells_of_the_attack_that_the_exact_bound_minds_though_another_came_nearer_to_the_contests() -> (
    None
):
    # Of 24 both bounds take 18, of 999 they take 612 and 392: 17 / 18 is more than 392 / 612, and refutes nothing.
    assert [RULES.threshold(24, bound) for bound in (Bound.UNION, Bound.EXACT)] == [18, 18]
    made = case(attacked("near", 24, 17), attacked("many", 999, 392))
    strongest = made.candidate.strongest
    assert strongest is not None
    assert strongest.adversary == "near"
    banner = history_blocks(made)[0]
    assert isinstance(banner, Banner)
    assert isinstance(banner.text, Said)
    assert "392 of the 999 customers" in banner.text
    assert "fewer than 612" in banner.text
    assert "999 人のうち 392 人" in translate(banner.text, Language.JA)


def statements(made: HistoryCase, language: Language) -> str:
    return render_text("t", history_blocks(made)[:5], language=language, width=400)


def test_a_release_of_threes_is_not_called_safe_because_attacks_failed() -> None:
    # A class of three is named whole with 1/6, and 1/27 is allowed: H0 does not hold, whoever failed to show it.
    made = case(attacked("x", 100, 20, predicted=0.01), claim=claim_of(3))
    assert made.candidate.verdict is Verdict.REVIEW
    banner = history_blocks(made)[0]
    assert isinstance(banner, Banner)
    assert isinstance(banner.text, Said)
    assert "may be released" not in banner.text
    assert "公開できます" not in translate(banner.text, Language.JA)
    words = statements(made, Language.EN)
    assert "does not hold" in words
    assert "a class of 3 alike is named whole with a chance of 1/6; 1/27 is allowed" in " ".join(words.split())
    assert words.count("not refuted by these attacks") == 3  # in the banner and under both bounds
    assert "成立しません" in statements(made, Language.JA)


def test_what_hides_among_further_candidates_is_neither_proven_nor_refuted() -> None:
    made = case(attacked("x", 100, 20), claim=claim_of(3, closed=False))
    assert made.candidate.verdict is Verdict.REVIEW
    assert "not proven" in statements(made, Language.EN)
    assert "1/6 at most" in " ".join(statements(made, Language.EN).split())
    assert "証明されていません" in statements(made, Language.JA)


def test_three_statements_stand_apart() -> None:
    # 53 of 100 refute under the exact bound only (r* = 53, r = 65), and sevens are proven all the same.
    made = case(attacked("x", 100, 53), claim=claim_of(7))
    words = " ".join(statements(made, Language.EN).split())
    assert "holds: proven for everybody, if the pseudonyms were drawn at random" in words
    assert "not refuted by these attacks" in words
    assert "65 refute" in words
    assert "53 refute" in words


def test_unattacked_is_not_safe() -> None:
    assert case().candidate.verdict is Verdict.REVIEW
    banner = history_blocks(case())[0]
    assert isinstance(banner, Banner)
    assert banner.tone is Tone.WARN
    assert case(attacked("x", 0, 0)).candidate.verdict is Verdict.RELEASE


@pytest.mark.parametrize("language", Language)
def test_the_whole_report_is_made_in_both_media(language: Language) -> None:
    made = case(
        attacked("chance", 100, 1),
        attacked("unique-rows", 0, 0),
        attacked("stranger", 80, 60),
    )
    text = render_text(history_title(made.rules.title), history_blocks(made), language=language)
    html = render_page(history_title(made.rules.title), history_blocks(made), language=language)
    assert html == render_page(history_title(made.rules.title), history_blocks(made), language=language)
    for words in ("stranger", "0.2500", "12350"):
        assert words in text
        assert words in html
    assert ("一意な行" in text) == (language is Language.JA)
    assert text.count("[") >= 9  # verdict and every figure is told in words


def test_an_explanation_names_the_column_that_told_and_whether_the_claim_was_right() -> None:
    text = render_text("t", explanation_blocks((EXPLAINED,), {7: True}))
    assert "1 as published; most, 31, without item" in text
    assert "Pseudonym 7 is customer 12350: right" in text
    assert "not judged" in render_text("t", explanation_blocks((EXPLAINED,), {}))
    assert "…" in text  # a long set is cut
    assert explanation_blocks((), {}) == ()


def test_the_title_names_the_contest_in_both_languages() -> None:
    title = history_title(case().rules.title)
    assert title != translate(title, Language.JA)


def test_an_unchanged_release_looks_unchanged() -> None:
    for name in ("date", "item", "price", "quantity"):
        card = column_card(history(), unchanged(), name)
        before, after = card.histogram.counts
        assert before.values == pytest.approx(after.values)
        assert sum(before.values) == pytest.approx(len(history()))
        assert card.fates.exact == card.fates.whole == len(history())


def test_a_range_counts_evenly_and_gone_cells_are_missing() -> None:
    # One customer, quantities 1, 2, 4; published as [1;2], *, deleted: half a row at 1 and at 2, nothing at 4.
    data = Dataset(history().frame.head(3).with_columns(quantity=np.array([1, 2, 4])), history().schema)
    cells = dict(exact_table(data).columns)
    cells["quantity"] = RangeCells(
        lower=np.array([1, 0, 0]), upper=np.array([2, 0, 0]), suppressed=np.array([False, True, True])
    )
    deleted = np.array([False, False, True])
    release = Release(
        table=MaskedTable(schema=data.schema, columns=cells, pseudonym=np.array([1, 1, 0])),
        deleted=deleted,
        provenance=Provenance(name="by hand"),
    )
    card = column_card(data, release, "quantity")
    assert card.histogram.edges == (1, 2, 3, 4, 5)
    assert [each.values for each in card.histogram.counts] == [(1, 1, 0, 1), (0.5, 0.5, 0, 0)]
    assert (card.fates.range, card.fates.suppressed, card.fates.deleted) == (1, 1, 1)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        pytest.param([0, 1, 1], ["0", "1"], id="two numbers are no scale with halves between them"),
        pytest.param([7, 7, 7], ["7"], id="a constant"),
        pytest.param([1, 2, 12], [str(value) for value in range(1, 13)], id="twelve"),
        pytest.param([1, 2, 13], [], id="thirteen are a scale"),
    ],
)
def test_few_numbers_stand_below_the_middle_of_their_bins(values: list[int], names: list[str]) -> None:
    data = Dataset(history().frame.head(3).with_columns(quantity=np.array(values)), history().schema)
    release = Release(table=exact_table(data), deleted=np.zeros(3, np.bool_), provenance=Provenance(name="as it is"))
    histogram = column_card(data, release, "quantity").histogram
    assert [name for _, name in histogram.x.ticks] == names
    low = histogram.edges[0]
    assert [place for place, _ in histogram.x.ticks] == [low + rank + 0.5 for rank in range(len(names))]


def test_a_column_is_called_telling_only_where_one_is() -> None:
    alike = replace(EXPLAINED, candidates=7, without={"date": 7, "item": 7})
    (heading, words) = telling_blocks((alike, alike))
    assert isinstance(heading, Heading)
    assert isinstance(words, Paragraph)
    assert "on average 7 customers fit each of the 2 surest guesses" in translate(words.text, Language.EN)
    assert "候補となる顧客は平均 7 人" in translate(words.text, Language.JA)
    assert any(isinstance(block, Figure) for block in telling_blocks((alike, EXPLAINED)))


def test_a_set_counts_evenly() -> None:
    data = history()
    rows, domain = len(data), data.domain("item")
    own, other = data.codes("item"), (data.codes("item") + 1) % len(domain)
    sets = gather_sets(np.tile(np.arange(rows), 2), np.concatenate([own, other]).astype(np.int32), rows, domain)
    table = unchanged().table
    release = replace(unchanged(), table=replace(table, columns={**table.columns, "item": sets}))
    card = column_card(data, release, "item")
    assert sum(card.histogram.counts[1].values) == pytest.approx(rows)
    assert card.fates.set == rows


def test_fates_add_up() -> None:
    cells = SetCells.exact(np.array([0, 0, 0], np.int32), ("a",)).suppress(np.array([True, False, True]))
    found = count_fates(cells, np.array([True, False, False]))
    assert (found.exact, found.suppressed, found.deleted, found.whole) == (1, 1, 1, 3)


def test_impossible_findings_are_refused() -> None:
    with pytest.raises(ParameterError, match="hits of x"):
        attacked("x", 1, 2)
    with pytest.raises(ParameterError, match="release"):
        replace(case(), original=SyntheticHistory(customers=1).draw(rng=Seed(1).rng()))
