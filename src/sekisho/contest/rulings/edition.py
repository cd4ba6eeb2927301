"""Editions of the referee's rulings: a ledger is ruled on by the edition that it names, so that old contests replay.

The first edition took a file by the moment at which its request began, and let rounds be published empty or while the
platform had failed on files. The second goes by the moment at which a file is whole, lets nothing enter a phase after
what follows has begun, publishes and reveals nothing while a file is faulted, and registers no team whose name looks
like another's.
"""

from __future__ import annotations

from dataclasses import replace

from sekisho.contest.event import Adopted
from sekisho.contest.rules.contest_rules import PRACTICE_ROUND
from sekisho.contest.rulings.refusal import RefusedError, Ruling
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus
from sekisho.words import Said

FIRST_EDITION, EDITION = 1, 2


def is_strict(state: ContestState) -> bool:
    """Tell whether the next event is ruled on by the second edition."""
    return state.edition >= EDITION


def require_edition(edition: int | None) -> int:
    """Return the edition that a contest names; refuse one that this program does not know."""
    asked = FIRST_EDITION if edition is None else edition
    if not FIRST_EDITION <= asked <= EDITION:
        raise RefusedError(
            "edition",
            Said(
                "the contest is held under edition {asked} of the rulings; this program knows editions up to {edition}",
                asked=asked,
                edition=EDITION,
            ),
        )
    return asked


def adopt_edition(state: ContestState, event: Adopted) -> Ruling:
    """Go on under a later edition; files on which the platform failed and for which nothing waits are set aside."""
    edition = require_edition(event.edition)
    if edition <= state.edition:
        raise RefusedError(
            "edition",
            Said("the contest is held under edition {edition} already", edition=state.edition),
        )
    entries = tuple(
        replace(entry, set_aside=True) if _is_past(state, entry, event.at) else entry for entry in state.entries
    )
    return Ruling(state=replace(state, edition=edition, entries=entries))


def _is_past(state: ContestState, entry: ContestEntry, moment: str) -> bool:
    if entry.status is not EntryStatus.FAULTED or entry.round == PRACTICE_ROUND:
        return False
    return state.is_final(entry.round, moment) or (not entry.is_attack and entry.round in state.published)
