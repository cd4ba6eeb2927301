"""What was tried: how the candidate on the page was chosen, and which ways to protect gave nothing, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sekisho.data.shape import Shape
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Candidate, Outcome, Verdict
from sekisho.report.kit.blocks import Block, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words
from sekisho.words import Said, join_words

CHOSEN = Said(" (chosen)")
SHOWN = Said(" (shown on this page)")
ALONE = Said("One way to protect the data was tried.")
ALONE_TABLE = Said("One pattern was tried.")
BEST = Said(
    "Every way to protect the data that was tried. The one with the best verdict, and among those the least loss, was "
    "chosen."
)
ALL_REFUSED = Said(
    "Every way to protect the data that was tried, and all of them are refused. This page shows the least harmful: the "
    "fewest reasons to refuse it, then the weakest strongest attack, and only then the least loss."
)


def name_candidate(outcome: Outcome[Any], each: Candidate[Any]) -> Words:
    """Return a candidate's name, with a mark on the one that the page tells of; what is refused is not chosen."""
    mark = "" if each is not outcome.best else SHOWN if outcome.verdict is Verdict.REFUSE else CHOSEN
    return join_words((translate_name(each.label), mark))


def tell_choice(outcome: Outcome[Any]) -> Said:
    """Return how the candidate that the page tells of was chosen."""
    if len(outcome.candidates) == 1:
        return ALONE_TABLE if outcome.shape is Shape.TABLE else ALONE
    return ALL_REFUSED if outcome.verdict is Verdict.REFUSE else BEST


def impossible_blocks(impossible: Mapping[str, str], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the ways to protect that gave nothing; the public edition without the reasons, which tell of the data."""
    if not impossible:
        return ()
    own = edition is Edition.CONFIDENTIAL
    rows = tuple((translate_name(label), *((reason,) if own else ())) for label, reason in impossible.items())
    head = (Said("method"), *((Said("why"),) if own else ()))
    return (TableBlock(head=head, rows=rows, caption=Said("What could not be made")),)
