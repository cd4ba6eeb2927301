"""Events of the referee: a contest begins, phases open and close, releases are published, something is announced.

Names that people take for one another: two teams must not have such names, for one could pass for the other.

A name's skeleton is what is left of it to the eye: compatibility forms (full width, ligatures), case, accents, letters
of other alphabets and digits that look like Latin letters, katakana and kanji that look alike are made the same. Names
whose skeletons are equal look alike. Voicing marks of kana are letters to those who read them, and stay.

Source: the idea and most pairs are those of Unicode Technical Standard 39, section 4 (confusable detection); letters of
alphabets that are not listed here are told apart.

What the referee takes back or sets right; each is an event of its own, so that what was stays written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from unicodedata import category, normalize

from sekisho.contest.event import Announced, ClockSet, Closed, Created, Opened, Published, Registered, Withdrawn
from sekisho.contest.rules import PhaseKind, PhaseRules, begin_day
from sekisho.contest.rulings.deadline import is_still_arriving, is_strict, require_edition
from sekisho.contest.rulings.refusal import (
    Refusal,
    RefusedError,
    Ruling,
    require_nothing_faulted,
    require_nothing_pending,
    require_open,
    require_phase,
)
from sekisho.contest.state import ContestState, EntryStatus, PhaseKey, PhaseWindow
from sekisho.words import Said

VOICING = "\u3099\u309a"
PAIRS = (
    ("0οоօ", "o"),
    ("1іıιӏ|Ӏι", "l"),
    ("i", "l"),
    ("аα", "a"),
    ("вβ", "b"),
    ("сϲ", "c"),
    ("ԁ", "d"),
    ("еєε", "e"),
    ("һнη", "h"),
    ("јϳ", "j"),
    ("кκ", "k"),
    ("мμ", "m"),
    ("пν", "n"),
    ("рρ", "p"),
    ("ԛ", "q"),
    ("гѓ", "r"),
    ("ѕ", "s"),
    ("тτ", "t"),
    ("υս", "u"),
    ("ѵ", "v"),
    ("ѡω", "w"),
    ("хχ", "x"),
    ("уγ", "y"),
    ("ζ", "z"),
    ("ー一―‐‑–—−ｰ", "-"),
    ("力", "カ"),
    ("二", "ニ"),
    ("口", "ロ"),
    ("夕", "タ"),
    ("工", "エ"),
    ("卜", "ト"),
    ("八", "ハ"),
    ("へ", "ヘ"),
    ("り", "リ"),
    ("干", "チ"),
)
"""Characters in lower case, and the one that stands for them."""
TABLE = str.maketrans({alike: plain for alikes, plain in PAIRS for alike in alikes})
JOINED = (("rn", "m"), ("vv", "w"))
"""Letters that together look like one."""


def find_skeleton(name: str) -> str:
    """Return what is left of a name to the eye."""
    folded = normalize("NFKD", normalize("NFKC", name).casefold())
    bare = "".join(sign for sign in folded if category(sign) not in {"Mn", "Cf"} or sign in VOICING)
    skeleton = normalize("NFC", bare).translate(TABLE)
    for several, one in JOINED:
        skeleton = skeleton.replace(several, one)
    return skeleton


TEAM = re.compile(r"\w(?:[\w.]|-(?!on-|deleted\b))*")
LONGEST_NAME = 60


def create_contest(state: ContestState, event: Created) -> Ruling:
    """Begin a contest; the windows of a planned one follow from its first day."""
    edition, windows = require_edition(event.edition), plan_windows(event)
    missing = [name for name in event.contest.round_names if name not in event.originals]
    if missing:
        names = ", ".join(missing)
        raise RefusedError("originals", Said("these rounds have no original: {names}", names=names))
    return Ruling(state=replace(state, created=event, edition=edition, begun=event.at, windows=windows))


def plan_windows(event: Created) -> dict[PhaseKey, PhaseWindow]:
    """Return the windows of the phases of a planned contest; none where all are opened by hand."""
    if not event.first_day:
        return {}
    try:
        first = date.fromisoformat(event.first_day)
    except ValueError as error:
        raise RefusedError("first-day", Said("{first_day} is no day", first_day=event.first_day)) from error
    return {
        (phase.kind, phase.round): _plan_window(phase, first, event.contest.zone)
        for phase in event.contest.phases
        if phase.after is not None
    }


def _plan_window(phase: PhaseRules, first: date, zone: str) -> PhaseWindow:
    after = phase.after or 0
    closes = "" if phase.days is None else begin_day(first, after + phase.days, zone)
    return PhaseWindow(opens=begin_day(first, after, zone), closes=closes)


def register_team(state: ContestState, event: Registered) -> Ruling:
    """Let a team take part."""
    require_open(state, PhaseKind.REGISTER, "", event.at)
    if TEAM.fullmatch(event.team) is None or len(event.team) > LONGEST_NAME:
        raise RefusedError(
            "team-name",
            Said(
                "{team!r} cannot be a team's name: letters, digits, _ . and - (not -on- or -deleted), at most 60",
                team=event.team,
            ),
        )
    if event.team in state.teams:
        raise RefusedError("team-exists", Said("team {team} has registered already", team=event.team))
    skeleton = find_skeleton(event.team)
    alike = next((team for team in state.teams if find_skeleton(team) == skeleton), None)
    if alike is not None and is_strict(state):
        raise RefusedError(
            "team-alike",
            Said("{team} looks like team {alike}, which has registered already", team=event.team, alike=alike),
        )
    return Ruling(state=replace(state, teams={**state.teams, event.team: event.at}))


def open_phase(state: ContestState, event: Opened) -> Ruling:
    """Open a phase by hand; what else is open ends. Practice neither ends nor is ended.

    The reveal of one round ends only what is open of that round: the next round may have begun.
    """
    key = (event.phase, event.round)
    require_phase(state, key)
    if event.closes and event.closes <= event.at:
        raise RefusedError(
            "closes",
            Said("{closes} does not lie after {at}", closes=event.closes, at=event.at),
        )
    if state.has_begun(PhaseKind.REVEAL, event.at) or (event.round and state.is_final(event.round, event.at)):
        raise RefusedError("revealed", Said("the results are revealed: nothing opens"))
    if event.phase is PhaseKind.ANONYMISE and event.round in state.published:
        raise RefusedError(
            "published",
            Said("the releases of round {round} are published", round=event.round),
        )
    if event.phase is PhaseKind.ATTACK and event.round not in state.published:
        raise RefusedError(
            "published",
            Said("the releases of round {round} are not published yet", round=event.round),
        )
    if is_strict(state):
        _require_settled(state, event)
    elif event.phase in (PhaseKind.EVALUATE, PhaseKind.REVEAL):
        require_nothing_pending(state)
    windows = {
        each: window.end(event.at) if window.opens <= event.at and _ends(event, each) else window
        for each, window in state.windows.items()
    }
    windows[key] = PhaseWindow(opens=event.at, closes=event.closes)
    return Ruling(state=replace(state, windows=windows))


def _ends(event: Opened, other: PhaseKey) -> bool:
    """Tell whether opening a phase ends another one that has begun, its grace included."""
    if PhaseKind.PRACTICE in (other[0], event.phase):
        return False
    return event.phase is not PhaseKind.REVEAL or event.round in ("", other[1])


def _require_settled(state: ContestState, event: Opened) -> None:
    """Refuse to go on while what a phase stands on is not there: files that are scored, releases to publish."""
    if event.phase is PhaseKind.PUBLISH:
        _require_releases(state, event.round, to_be_published=False)
    if event.phase is PhaseKind.REVEAL and event.round and event.round not in state.published:
        raise RefusedError(
            "published",
            Said("the releases of round {round} are not published yet", round=event.round),
        )
    if event.phase in (PhaseKind.EVALUATE, PhaseKind.REVEAL):
        require_nothing_pending(state, event.round)
        require_nothing_faulted(state, event.round)


def _require_releases(state: ContestState, round_name: str, *, to_be_published: bool) -> None:
    """Refuse a round in which there is nothing to publish; before, nor anything that may still turn out valid."""
    hopeful = (EntryStatus.VALID,) if to_be_published else (EntryStatus.VALID, EntryStatus.PENDING, EntryStatus.FAULTED)
    releases = state.find_entries(round_name, target="")
    if not any(each.status in hopeful and not each.set_aside for each in releases):
        raise RefusedError(
            "empty",
            Said("round {round_name} has no valid release: there is nothing to publish", round_name=round_name),
        )


def close_phase(state: ContestState, event: Closed) -> Ruling:
    """End a phase."""
    require_open(state, event.phase, event.round, event.at)
    key = (event.phase, event.round)
    return Ruling(state=replace(state, windows={**state.windows, key: state.windows[key].end(event.at)}))


def publish_round(state: ContestState, event: Published) -> Ruling:
    """Publish the final entry of every team that has one."""
    require_open(state, PhaseKind.PUBLISH, event.round, event.at)
    if event.round in state.published:
        raise RefusedError(
            "published",
            Said("the releases of round {round} are published", round=event.round),
        )
    _require_everything_in(state, event.round, event.at)
    if is_strict(state):
        _require_releases(state, event.round, to_be_published=True)
    final = {team: state.find_final(event.round, team) for team in state.teams}
    numbers = {team: entry.number for team, entry in final.items() if entry is not None}
    if numbers.keys() != event.files.keys():
        strange = ", ".join(sorted(numbers.keys() ^ event.files.keys()))
        raise RefusedError(
            "entries",
            Said(
                "what is published must be the final entry of each team that has one, not otherwise for {strange}",
                strange=strange,
            ),
        )
    return Ruling(state=replace(state, published={**state.published, event.round: numbers}))


def find_publication_obstacle(state: ContestState, round_name: str, moment: str) -> Refusal | None:
    """Return what a publication must wait for; None where waiting would change nothing."""
    try:
        _require_everything_in(state, round_name, moment)
    except RefusedError as error:
        return error.refusal
    return None


def _require_everything_in(state: ContestState, round_name: str, moment: str) -> None:
    """Refuse to publish while files of a round are to be scored, are faulted, or may still arrive."""
    require_nothing_pending(state, round_name)
    if not is_strict(state):
        return
    require_nothing_faulted(state, round_name)
    if is_still_arriving(state, PhaseKind.ANONYMISE, round_name, moment):
        raise RefusedError(
            "grace",
            Said("files of round {round_name} that were begun in time may still arrive", round_name=round_name),
        )


def announce(state: ContestState, event: Announced) -> Ruling:
    """Tell everybody something."""
    if not event.en.strip():
        raise RefusedError("text", Said("an announcement says something"))
    return Ruling(state=replace(state, announcements=(*state.announcements, event)))


def withdraw(state: ContestState, event: Withdrawn) -> Ruling:
    """Take a publication back while nobody has attacked it, or a reveal."""
    require_phase(state, (event.phase, event.round))
    if not event.reason.strip():
        raise RefusedError("reason", Said("a withdrawal says why"))
    if event.phase is PhaseKind.PUBLISH:
        return _withdraw_publication(state, event)
    if event.phase is PhaseKind.REVEAL and state.has_begun(PhaseKind.REVEAL, event.at, event.round):
        windows = {key: window for key, window in state.windows.items() if key != (event.phase, event.round)}
        return Ruling(state=replace(state, windows=windows))
    raise _refuse_nothing(event)


def _withdraw_publication(state: ContestState, event: Withdrawn) -> Ruling:
    if event.round not in state.published:
        raise _refuse_nothing(event)
    if any(entry.is_attack for entry in state.find_entries(event.round)) or state.is_final(event.round, event.at):
        raise RefusedError(
            "attacked",
            Said(
                "round {round} has been attacked: its publication stands, a rejudging can set results right",
                round=event.round,
            ),
        )
    published = {name: numbers for name, numbers in state.published.items() if name != event.round}
    counts = {**state.withdrawn, event.round: state.withdrawn.get(event.round, 0) + 1}
    windows = {
        key: window.end(event.at)
        if key in ((PhaseKind.PUBLISH, event.round), (PhaseKind.ATTACK, event.round)) and window.opens <= event.at
        else window
        for key, window in state.windows.items()
    }
    return Ruling(state=replace(state, published=published, withdrawn=counts, windows=windows))


def _refuse_nothing(event: Withdrawn) -> RefusedError:
    name = f"{event.phase} {event.round}".strip()
    return RefusedError("nothing", Said("there is nothing of {name!r} to take back", name=name))


def set_clock(state: ContestState, event: ClockSet) -> Ruling:
    """Move what the referee did under a clock that was ahead to the moment that it really is; plans stay plans."""
    if event.at >= state.moved:
        raise RefusedError("clock", Said("the clock is not behind {moved}: there is nothing to set", moved=state.moved))
    planned = {} if state.created is None else plan_windows(state.created)
    windows = {key: _shift(state, planned, key, window, event.at) for key, window in state.windows.items()}
    return Ruling(state=replace(state, windows=windows, begun=min(state.begun, event.at), moved=event.at))


def _shift(
    state: ContestState, planned: Mapping[PhaseKey, PhaseWindow], key: PhaseKey, window: PhaseWindow, now: str
) -> PhaseWindow:
    plan = planned.get(key)
    kept = () if plan is None else (plan.opens, plan.closes)

    def shift(moment: str) -> str:
        return now if now < moment <= state.moved and moment not in kept else moment

    return replace(window, opens=shift(window.opens), closes=shift(window.closes))
