"""Where a contest stands: what follows from its events so far, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sekisho.contest.event import Announced, Created
from sekisho.contest.rules import PRACTICE_ROUND, ContestRules, FinalEntry, PhaseKind
from sekisho.contest.scoring import AttackScore, ReleaseScore, Worth

PhaseKey = tuple[PhaseKind, str]


class EntryStatus(StrEnum):
    """What became of a file."""

    PENDING = "pending"
    VALID = "valid"
    INVALID = "invalid"
    FAULTED = "faulted"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseWindow:
    """When a phase is open: from a moment on, until one before another; without an end if that is empty.

    Attributes:
        ended: whether the referee ended it, by closing it or by opening what comes next: whatever arrives then, and
            whatever a clock says, nothing enters it any more.
    """

    opens: str
    closes: str = ""
    ended: bool = False

    def holds(self, moment: str) -> bool:
        """Tell whether the phase is open at a moment."""
        return self.opens <= moment and (not self.closes or moment < self.closes)

    def end(self, moment: str) -> PhaseWindow:
        """Return the phase as the referee ends it at a moment; one that was over by then was over when it was."""
        closes = self.closes if self.closes and self.closes <= moment else moment
        return replace(self, closes=closes, ended=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestEntry:
    """A file, or the files of one release, that a team handed in.

    Attributes:
        number: from 1, in the order of the ledger.
        target: of an attack, whose release it attacks; else empty.
        against: of an attack, the number of that release.
        worth: of a valid file.
        faults: how many errors an invalid file has.
        judged: by which scorer, against which truth.
        rejudged: in which rejudging that was; empty for the first judgement.
        set_aside: whether the referee gave the file up on which the platform failed.
    """

    number: int
    at: str
    team: str
    round: str
    files: Mapping[str, str]
    key: str = ""
    target: str = ""
    against: int = 0
    status: EntryStatus = EntryStatus.PENDING
    worth: Worth | None = None
    faults: int = 0
    judged: tuple[str, str] = ("", "")
    rejudged: str = ""
    set_aside: bool = False

    @property
    def is_attack(self) -> bool:
        """Whether it attacks a release."""
        return bool(self.target)

    @property
    def release(self) -> ReleaseScore | None:
        """What a valid release keeps."""
        return self.worth if isinstance(self.worth, ReleaseScore) else None

    @property
    def attack(self) -> AttackScore | None:
        """What a valid attack came to."""
        return self.worth if isinstance(self.worth, AttackScore) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudging:
    """Files scored again, beside what they were worth.

    Attributes:
        scorer: the version that scores.
        entries: the files' entries as they would be, by number; missing ones are still to be scored.
        wanted: all that are to be scored.
        applied: None while it is open.
    """

    scorer: str
    wanted: frozenset[int]
    entries: Mapping[int, ContestEntry] = field(default_factory=dict[int, ContestEntry])
    applied: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestState:
    """Where a contest stands.

    Attributes:
        created: its first event; None before.
        edition: of the referee's rulings, that the next event is ruled on by.
        begun: the moment before which nothing happens.
        moved: the moment of the referee's last event; his events do not go back in time, unless he sets the clock.
        teams: when each registered.
        windows: of the phases that have one.
        entries: all of them; entry n is at place n - 1.
        published: by round, by team, the number of the release that was published.
        withdrawn: by round, how many publications were taken back.
        chosen: by round and team, the release that the team wants to count.
    """

    created: Created | None = None
    edition: int = 1
    begun: str = ""
    moved: str = ""
    teams: Mapping[str, str] = field(default_factory=dict[str, str])
    windows: Mapping[PhaseKey, PhaseWindow] = field(default_factory=dict[PhaseKey, PhaseWindow])
    entries: tuple[ContestEntry, ...] = ()
    published: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    withdrawn: Mapping[str, int] = field(default_factory=dict[str, int])
    chosen: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    rejudgings: Mapping[str, Rejudging] = field(default_factory=dict[str, Rejudging])
    announcements: tuple[Announced, ...] = ()

    @property
    def contest(self) -> ContestRules:
        """The contest's own rules; before it begins, those that limit nothing."""
        return ContestRules() if self.created is None else self.created.contest

    def is_open(self, kind: PhaseKind, round_name: str, moment: str) -> bool:
        """Tell whether a phase is open at a moment."""
        window = self.windows.get((kind, round_name))
        return window is not None and window.holds(moment)

    def has_begun(self, kind: PhaseKind, moment: str, round_name: str = "") -> bool:
        """Tell whether a phase has opened, be it closed again or not."""
        window = self.windows.get((kind, round_name))
        return window is not None and window.opens <= moment

    def is_final(self, round_name: str, moment: str) -> bool:
        """Tell whether the reveal of a round has begun, its own or the whole contest's: nothing is added to it then."""
        return self.has_begun(PhaseKind.REVEAL, moment) or self.has_begun(PhaseKind.REVEAL, moment, round_name)

    def find_entries(self, round_name: str, team: str = "", target: str | None = None) -> Iterator[ContestEntry]:
        """Yield the entries of a round.

        Args:
            round_name: or ``practice``.
            team: of this one only, if it is named.
            target: attacks on this one only; empty for releases; None for all.
        """
        for entry in self.entries:
            if entry.round == round_name and team in ("", entry.team) and target in (None, entry.target):
                yield entry

    def find_final(self, round_name: str, team: str, target: str = "") -> ContestEntry | None:
        """Return a team's entry that counts: what was published, else by the contest's rule; None if none is valid."""
        if not target and team in self.published.get(round_name, {}):
            return self.entries[self.published[round_name][team] - 1]
        valid = [each for each in self.find_entries(round_name, team, target) if each.status is EntryStatus.VALID]
        picked = [each for each in valid if not target and each.number == self.chosen.get((round_name, team))]
        if picked and self.contest.final_entry is FinalEntry.CHOSEN:
            return picked[0]
        if self.contest.final_entry is not FinalEntry.BEST_VALID or target:
            return valid[-1] if valid else None
        return min(valid, key=_prefer_useful, default=None)

    def find_target(self, round_name: str, team: str) -> ContestEntry | None:
        """Return the release of a team that others may attack: what was published, or what it practised with."""
        if round_name == PRACTICE_ROUND:
            return self.find_final(round_name, team)
        number = self.published.get(round_name, {}).get(team)
        return None if number is None else self.entries[number - 1]

    @property
    def pending(self) -> tuple[ContestEntry, ...]:
        """The entries that are still to be scored."""
        return tuple(entry for entry in self.entries if entry.status is EntryStatus.PENDING)

    @property
    def faulted(self) -> tuple[ContestEntry, ...]:
        """The entries on which the platform failed, and of which the referee has not said yet what becomes of them."""
        return tuple(entry for entry in self.entries if entry.status is EntryStatus.FAULTED and not entry.set_aside)


def _prefer_useful(entry: ContestEntry) -> tuple[bool, float, int]:
    """Put qualified releases first, of these the most useful, of these the last."""
    release = entry.release
    if release is None or release.utility is None:
        return True, 0.0, -entry.number
    return not release.qualified, release.utility, -entry.number
