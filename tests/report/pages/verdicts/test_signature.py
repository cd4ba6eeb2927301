"""The sheet to sign says how the run ended, the release's digest and the open questions, on one page, in both languages."""

from __future__ import annotations

from sekisho.gate.ending import Ending
from sekisho.gate.outcome import Certainty, Reason, Statement, Verdict
from sekisho.report.kit.blocks import Banner, Tone
from sekisho.report.kit.html import render_page
from sekisho.report.pages.verdicts.signature import QUESTIONS, SHOWN, TITLE, SignedRun, signature_blocks
from sekisho.words import Language, Said, quote_words, translate

DIGEST = "0123456789abcdef" * 4
BARE = Said("nobody is published")


def run_to_sign(verdict: Verdict, rules: int = 1, statements: int = 1, cautions: tuple[Said, ...] = ()) -> SignedRun:
    return SignedRun(
        made="2026-01-02T03:04:05Z",
        recipe="recipe.toml",
        inputs=("people.csv",),
        releases={"release.csv": DIGEST},
        ending=Ending(verdict=verdict, why=BARE, file="public/release.csv", cautions=cautions),
        reasons=[Reason(rule=f"rule {number}", verdict=verdict, detail=BARE) for number in range(rules)],
        statements=[
            Statement(standing=Certainty.PROVEN, subject=f"k{number}", detail=BARE) for number in range(statements)
        ],
    )


def test_it_says_the_verdict_the_digest_and_every_question_in_both_languages() -> None:
    verdicts = set[str]()
    for verdict in Verdict:
        page = render_page(TITLE, signature_blocks(run_to_sign(verdict)))
        assert DIGEST[:16] in page
        assert "recipe.toml" in page
        ending = run_to_sign(verdict).ending
        assert all(translate(line, language) in page for line in ending.list_lines() for language in Language)
        assert all(translate(question, language) in page for question in QUESTIONS for language in Language)
        verdicts.add(page)
    assert len(verdicts) == len(Verdict)


def test_what_finds_no_room_is_counted() -> None:
    page = render_page(TITLE, signature_blocks(run_to_sign(Verdict.REVIEW, rules=SHOWN + 3, statements=SHOWN)))
    assert "and 3 more on the page of the run" in page
    assert f"rule {SHOWN - 1} " in page
    assert f"rule {SHOWN} " not in page
    assert all(f"k{number}:" in page for number in range(SHOWN))


def test_the_same_rule_is_said_once() -> None:
    run = run_to_sign(Verdict.REVIEW)
    twice = SignedRun(
        made=run.made,
        recipe=run.recipe,
        inputs=run.inputs,
        releases={},
        ending=run.ending,
        reasons=[*run.reasons, *run.reasons],
        statements=(),
    )
    assert render_page(TITLE, signature_blocks(twice), language=Language.JA).count("<li>") == 1 + len(QUESTIONS)


def test_what_was_not_considered_is_said_and_the_box_is_not_green() -> None:
    tones = list[Tone]()
    for cautions in ((), (quote_words("Contributors of cells were not considered."),)):
        top = signature_blocks(run_to_sign(Verdict.RELEASE, cautions=cautions))[0]
        assert isinstance(top, Banner)
        tones.append(top.tone)
        assert all(caution in str(top.text) for caution in cautions)
    assert tones == [Tone.GOOD, Tone.WARN]


def test_it_is_printed_as_one_sheet_of_a4() -> None:
    blocks = signature_blocks(run_to_sign(Verdict.REVIEW))
    sheet, page = render_page(TITLE, blocks, one_sheet=True), render_page(TITLE, blocks)
    assert '<html lang="en" class="sheet">' in sheet
    assert sheet.replace(' class="sheet"', "") == page
    assert "@page { size: A4;" in page
    assert ".sheet body { font-size: 8.6pt" in page[page.index("@media print") :]
