"""Files that teams hand in: which are accepted, how many, and what becomes of them.

Rejudging: every file is scored again, differences are looked at, then all are applied or dropped at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sekisho.contest.event import (
    Attacked,
    Chosen,
    Faulted,
    RejudgeClosed,
    RejudgeOpened,
    RejudgeScored,
    Requeued,
    Scored,
    SetAside,
    Submitted,
)
from sekisho.contest.rules import PRACTICE_ROUND, FinalEntry, PhaseKind
from sekisho.contest.rulings.deadline import require_in_time
from sekisho.contest.rulings.refusal import (
    RefusedError,
    Ruling,
    require_nothing_pending,
    require_open,
    require_team,
)
from sekisho.contest.state import ContestEntry, ContestState, EntryStatus, Rejudging
from sekisho.words import Said


def submit_release(state: ContestState, event: Submitted) -> Ruling:
    """Take a release in."""
    require_team(state, event.team)
    repeated = _find_repeated(state, event, "")
    if repeated is not None:
        return repeated
    kind = PhaseKind.PRACTICE if event.round == PRACTICE_ROUND else PhaseKind.ANONYMISE
    require_in_time(state, kind, event)
    if event.round in state.published:
        raise RefusedError(
            "published",
            Said("the releases of round {round} are published", round=event.round),
        )
    check_quota(state, kind, event.round, event.team, "")
    return _add_entry(state, event, "", 0)


def submit_attack(state: ContestState, event: Attacked) -> Ruling:
    """Take an attack in, against the release that is published now."""
    require_team(state, event.team)
    require_team(state, event.target)
    repeated = _find_repeated(state, event, event.target)
    if repeated is not None:
        return repeated
    kind = PhaseKind.PRACTICE if event.round == PRACTICE_ROUND else PhaseKind.ATTACK
    require_in_time(state, kind, event)
    if event.team == event.target:
        raise RefusedError("own-release", Said("a team does not attack its own release"))
    target = state.find_target(event.round, event.target)
    if target is None:
        raise RefusedError(
            "target",
            Said("team {target} has no release to attack in round {round}", target=event.target, round=event.round),
        )
    check_quota(state, kind, event.round, event.team, event.target)
    return _add_entry(state, event, event.target, target.number)


def choose_entry(state: ContestState, event: Chosen) -> Ruling:
    """Let a team say which of its valid releases counts, while the round takes releases in."""
    require_team(state, event.team)
    if state.contest.final_entry is not FinalEntry.CHOSEN:
        raise RefusedError("choice", Said("under these rules no team chooses its entry"))
    require_open(state, PhaseKind.ANONYMISE, event.round, event.at)
    entry = find_entry(state, event.entry)
    own = (entry.team, entry.round, entry.is_attack) == (event.team, event.round, False)
    if not own or entry.status is not EntryStatus.VALID:
        raise RefusedError(
            "choice",
            Said(
                "entry {number} is no valid release of team {team} in round {round}",
                number=entry.number,
                team=event.team,
                round=event.round,
            ),
        )
    chosen = {**state.chosen, (event.round, event.team): entry.number}
    return Ruling(state=replace(state, chosen=chosen), entry=entry.number)


def check_quota(state: ContestState, kind: PhaseKind, round_name: str, team: str, target: str) -> None:
    """Refuse a file that would exceed what a team may hand in; what is still to be scored may turn out valid."""
    left = count_left(state, kind, round_name, team, target)
    if left["attempted"] == 0:
        raise RefusedError("attempted-quota", Said("team {team} has handed in as many files as it may", team=team))
    if left["scored"] == 0:
        raise RefusedError("scored-quota", Said("team {team} has handed in as many valid files as it may", team=team))


def count_left(state: ContestState, kind: PhaseKind, round_name: str, team: str, target: str) -> dict[str, int | None]:
    """Return how many files a team may still hand in, ``scored`` and ``attempted``; None without a limit.

    A file on which the platform failed costs nothing.
    """
    phase = state.contest.find_phase(kind, "" if round_name == PRACTICE_ROUND else round_name)
    if phase is None:
        return {"scored": 0, "attempted": 0}
    held = [
        each.status for each in state.find_entries(round_name, team, target) if each.status is not EntryStatus.FAULTED
    ]
    valid = sum(status is not EntryStatus.INVALID for status in held)
    return {
        "scored": None if phase.scored is None else max(0, phase.scored - valid),
        "attempted": None if phase.attempted is None else max(0, phase.attempted - len(held)),
    }


def _find_repeated(state: ContestState, event: Submitted | Attacked, target: str) -> Ruling | None:
    if not event.key:
        return None
    for entry in reversed(state.entries):
        if (entry.team, entry.key) != (event.team, event.key) or entry.status is EntryStatus.FAULTED:
            continue
        if (entry.round, entry.target, dict(entry.files)) == (event.round, target, dict(event.files)):
            return Ruling(state=state, entry=entry.number, repeated=True)
        raise RefusedError(
            "key",
            Said("the key {key!r} was used for another file, received at {at}", key=event.key, at=entry.at),
        )
    return None


def _add_entry(state: ContestState, event: Submitted | Attacked, target: str, against: int) -> Ruling:
    entry = ContestEntry(
        number=len(state.entries) + 1,
        at=event.at,
        team=event.team,
        round=event.round,
        files=event.files,
        key=event.key,
        target=target,
        against=against,
    )
    return Ruling(state=replace(state, entries=(*state.entries, entry)), entry=entry.number)


def score_entry(state: ContestState, event: Scored) -> Ruling:
    """Note what a file was worth."""
    entry = find_entry(state, event.entry)
    if entry.status is not EntryStatus.PENDING:
        raise RefusedError("scored", Said("entry {number} has its result already", number=entry.number))
    return Ruling(state=replace_entries(state, [judge_entry(entry, event)]), entry=entry.number)


def judge_entry(entry: ContestEntry, event: Scored) -> ContestEntry:
    """Return an entry with its result."""
    fits = event.faults or (event.attack is not None) == entry.is_attack
    if not fits:
        raise RefusedError(
            "worth",
            Said("entry {number} is an attack; the result is of a release", number=entry.number)
            if entry.is_attack
            else Said("entry {number} is a release; the result is of an attack", number=entry.number),
        )
    status = EntryStatus.INVALID if event.faults else EntryStatus.VALID
    judged = (event.scorer, event.truth)
    rejudged = event.name if isinstance(event, RejudgeScored) else ""
    return replace(
        entry, status=status, worth=event.worth, faults=event.faults, judged=judged, rejudged=rejudged, set_aside=False
    )


def excuse_entry(state: ContestState, event: Faulted) -> Ruling:
    """Note that the platform failed on a file, which then costs nothing."""
    entry = find_entry(state, event.entry)
    if entry.status is not EntryStatus.PENDING:
        raise RefusedError("scored", Said("entry {number} has its result already", number=entry.number))
    return Ruling(state=replace_entries(state, [replace(entry, status=EntryStatus.FAULTED)]), entry=entry.number)


def requeue_entry(state: ContestState, event: Requeued) -> Ruling:
    """Have a file scored after all on which the platform failed, while its result can still count."""
    entry = _find_faulted(state, event.entry)
    practice = entry.round == PRACTICE_ROUND
    if not practice and (
        state.is_final(entry.round, event.at) or (not entry.is_attack and entry.round in state.published)
    ):
        raise RefusedError(
            "published",
            Said(
                "what entry {number} was handed in for is published or revealed: it comes too late", number=entry.number
            ),
        )
    pending = replace(entry, status=EntryStatus.PENDING, set_aside=False)
    return Ruling(state=replace_entries(state, [pending]), entry=entry.number)


def set_entry_aside(state: ContestState, event: SetAside) -> Ruling:
    """Give a file up on which the platform failed; it costs its team nothing, and nothing waits for it."""
    entry = _find_faulted(state, event.entry)
    if entry.set_aside or not event.reason.strip():
        raise RefusedError(
            "set-aside",
            Said("entry {number} is set aside once, and with a reason", number=entry.number),
        )
    return Ruling(state=replace_entries(state, [replace(entry, set_aside=True)]), entry=entry.number)


def _find_faulted(state: ContestState, number: int) -> ContestEntry:
    entry = find_entry(state, number)
    if entry.status is not EntryStatus.FAULTED:
        raise RefusedError(
            "faulted",
            Said("the platform did not fail on entry {number}", number=entry.number),
        )
    return entry


def replace_entries(state: ContestState, entries: Iterable[ContestEntry]) -> ContestState:
    """Return the state with some entries as they are now."""
    kept = list(state.entries)
    for entry in entries:
        kept[entry.number - 1] = entry
    return replace(state, entries=tuple(kept))


def find_entry(state: ContestState, number: int) -> ContestEntry:
    """Return an entry by its number."""
    if not 1 <= number <= len(state.entries):
        raise RefusedError("entry", Said("there is no entry {number}", number=number))
    return state.entries[number - 1]


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
