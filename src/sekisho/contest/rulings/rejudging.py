"""Rejudging: every file is scored again, differences are looked at, then all are applied or dropped at once."""

from __future__ import annotations

from dataclasses import replace

from sekisho.contest.event import RejudgeClosed, RejudgeOpened, RejudgeScored
from sekisho.contest.rules.contest_rules import PRACTICE_ROUND
from sekisho.contest.rulings.entries import find_entry, judge_entry, replace_entries
from sekisho.contest.rulings.refusal import RefusedError, Ruling, require_nothing_pending
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus, Rejudging
from sekisho.words import Said


def open_rejudging(state: ContestState, event: RejudgeOpened) -> Ruling:
    """Have every file that was scored scored again; practice is left alone."""
    if event.name in state.rejudgings or not event.name:
        raise RefusedError("rejudge", Said("there is a rejudging {name!r} already", name=event.name))
    require_nothing_pending(state)
    wanted = frozenset(
        each.number
        for each in state.entries
        if each.status in (EntryStatus.VALID, EntryStatus.INVALID) and each.round != PRACTICE_ROUND
    )
    opened = Rejudging(scorer=event.scorer, wanted=wanted)
    return Ruling(state=replace(state, rejudgings={**state.rejudgings, event.name: opened}))


def score_again(state: ContestState, event: RejudgeScored) -> Ruling:
    """Note what a file is worth in a rejudging."""
    rejudging = _find_rejudging(state, event.name)
    entry = find_entry(state, event.entry)
    if entry.number not in rejudging.wanted or entry.number in rejudging.entries:
        raise RefusedError(
            "rejudge",
            Said(
                "entry {number} is not to be scored in the rejudging {name!r}, or was",
                number=entry.number,
                name=event.name,
            ),
        )
    judged = replace(rejudging, entries={**rejudging.entries, entry.number: judge_entry(entry, event)})
    return Ruling(state=replace(state, rejudgings={**state.rejudgings, event.name: judged}), entry=entry.number)


def close_rejudging(state: ContestState, event: RejudgeClosed) -> Ruling:
    """Apply a rejudging as a whole, or drop it."""
    rejudging = _find_rejudging(state, event.name)
    left = len(rejudging.wanted) - len(rejudging.entries)
    if event.applied and left:
        raise RefusedError(
            "rejudge",
            Said("{left} files of the rejudging are not scored yet", left=left),
        )
    closed = replace(rejudging, applied=event.applied)
    state = replace(state, rejudgings={**state.rejudgings, event.name: closed})
    return Ruling(state=replace_entries(state, rejudging.entries.values()) if event.applied else state)


def _find_rejudging(state: ContestState, name: str) -> Rejudging:
    rejudging = state.rejudgings.get(name)
    if rejudging is None or rejudging.applied is not None:
        raise RefusedError("rejudge", Said("there is no open rejudging {name!r}", name=name))
    return rejudging


def find_differences(state: ContestState, name: str) -> tuple[tuple[ContestEntry, ContestEntry], ...]:
    """Return the entries that a rejudging would change, as they are and as they would be.

    Which scorer judged an entry is no difference.
    """
    rejudging = state.rejudgings.get(name, Rejudging(scorer="", wanted=frozenset()))
    pairs = [(state.entries[number - 1], after) for number, after in sorted(rejudging.entries.items())]
    return tuple((now, after) for now, after in pairs if _value(now) != _value(after))


def _value(entry: ContestEntry) -> tuple[object, ...]:
    return entry.status, entry.worth, entry.faults
