"""What is proven of a release, promised under a condition, not refuted by attacks, or refuted: each in its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sekisho.gate.names import name_subject
from sekisho.gate.outcome import Certainty, Statement
from sekisho.gate.statement_words import INTERVALS, REBUILT, call_known, find_known
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words
from sekisho.words import Said

MEANING = Said(
    "Four words, from the surest down. Proven: it was counted or computed, and is so. Promised: it is so if a stated "
    "assumption is. Not refuted: the attacks that were tried did not succeed; others may. Refuted: it is not so."
)
UNTOLD = "–"
KEYS = Said("the keys")
"""What an adversary knows, where several statements would name it column by column; the page lists the keys."""


def standing_blocks(statements: Sequence[Statement], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the statements side by side; in the public edition of a table without its figures."""
    if not statements:
        return ()
    rows = tuple(_make_row(each, edition) for each in sorted(_name_keys_once(statements), key=_rank))
    head = (Said("statement"), Said("how sure"), Said("figures"), Said("if"))
    told = [place for place in range(len(head)) if any(row[place] != UNTOLD for row in rows)]
    head, rows = tuple(head[place] for place in told), tuple(tuple(row[place] for place in told) for row in rows)
    return (
        Heading(text=Said("What is proven, and what is not")),
        Paragraph(text=MEANING),
        TableBlock(head=head, rows=rows),
    )


def _name_keys_once(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements; where several rest on the same keys, these are called the keys instead of listed."""
    lists = [keys for each in statements if (keys := find_known(each.assumes))]
    if len(lists) < 2 or len(set(lists)) > 1:
        return list(statements)
    return [replace(each, assumes=call_known(each.assumes, KEYS)) for each in statements]


def _rank(statement: Statement) -> int:
    return -list(Certainty).index(statement.standing)


def _make_row(statement: Statement, edition: Edition) -> tuple[Words, ...]:
    secret = edition is Edition.PUBLIC and statement.subject in {INTERVALS, REBUILT}
    figures = UNTOLD if secret else statement.detail
    return (name_subject(statement.subject), statement.standing.words, figures, statement.assumes or UNTOLD)
