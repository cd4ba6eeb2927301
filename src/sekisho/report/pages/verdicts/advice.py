"""What should be changed: every change that was tried and brings something, with what it leads to, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sekisho.gate.outcome import Verdict
from sekisho.report.kit.blocks import Banner, Block, Fold, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_decimal, format_percent
from sekisho.report.pages.verdicts.ending import WORDS
from sekisho.words import Said

HOW = Said(
    "Each change was tried out: the changed recipe went through the same stage, with the same data and the same seed, "
    "so that following it leads to what stands here. Risk is the largest share of people, or of unsafe cells, that an "
    "attack finds."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedChange:
    """A change and what it leads to, as the page shows it.

    Attributes:
        words: what is changed; of the recipe as it is, that.
        verdict: of the gate; None where nothing could be made.
        loss: of the release.
        risk: of the release.
        why: what speaks against it.
        lines: of the recipe that change.
        people: whom it leaves out.
    """

    words: Words
    verdict: Verdict | None
    loss: float
    risk: float
    why: Words
    lines: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


def advice_blocks(
    before: TriedChange | None, proposals: Sequence[TriedChange], *, tried: int, untried: int
) -> tuple[Block, ...]:
    """Return the page of advice."""
    rows = tuple(_make_row(each) for each in ((before,) if before is not None else ()) + tuple(proposals))
    head = (Said("change"), Said("verdict"), Said("loss"), Said("risk"), Said("what speaks against it"))
    counted = Said(
        "{tried} {tried:change was|changes were} tried, {untried} were not, for lack of time.",
        tried=tried,
        untried=untried,
    )
    return (
        Banner(text=_say_best(proposals), tone=Tone.GOOD if proposals else Tone.WARN),
        Paragraph(text=HOW),
        TableBlock(head=head, rows=rows, numeric=(2, 3)),
        Paragraph(text=counted),
        *_list_lines(proposals),
    )


def _say_best(proposals: Sequence[TriedChange]) -> Said:
    if not proposals:
        return Said("None of the changes that were tried brings anything.")
    return Said("What brings most: {change}.", change=proposals[0].words)


def _make_row(each: TriedChange) -> tuple[Words, ...]:
    if each.verdict is None:
        return each.words, WORDS[Verdict.REFUSE], "–", "–", each.why
    return each.words, WORDS[each.verdict], format_decimal(each.loss, 4), format_percent(each.risk), each.why


def _list_lines(proposals: Sequence[TriedChange]) -> tuple[Block, ...]:
    if not proposals:
        return ()
    folds = tuple(
        Fold(
            summary=Said("({number}) {change}", number=number, change=each.words),
            blocks=(*(Paragraph(text=line) for line in each.lines), *_list_people(each.people)),
        )
        for number, each in enumerate(proposals, 1)
    )
    return (Heading(text=Said("The lines of the recipe: - goes, + comes")), *folds)


def _list_people(people: Sequence[str]) -> tuple[Block, ...]:
    if not people:
        return ()
    return (Paragraph(text=Said("Left out: {people}", people=", ".join(people))),)
