"""What a running desk has: its folder, the way in, how much memory its jobs may take, how it is closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sekisho.server.desk.cases import DeskFolder
from sekisho.server.desk.counter import Counters
from sekisho.server.desk.entry import Entrance
from sekisho.server.desk.places import HiddenNames
from sekisho.server.desk.runs.jobs import Runs

BringFile = Callable[[Path], str]
"""Opens a case for a file where it stands; returns the address of its page, without the prefix."""


def do_nothing() -> None:
    """Close nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSettings:
    """What a desk is told.

    Attributes:
        folder: where cases, versions and runs lie.
        entrance: the way in.
        memory: bytes that a job may take; None for a share of what is free.
        close: ends the program.
    """

    folder: Path
    entrance: Entrance
    memory: int | None = None
    close: Callable[[], None] = field(default=do_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What every route shares.

    Attributes:
        settings: what the desk was told.
        bring: opens a case for a file where it stands.
        cases: the folder of cases.
        runs: all that are under way or wait.
        counters: the counting processes of cases.
        places: what addresses say instead of names.
    """

    settings: DeskSettings
    bring: BringFile
    cases: DeskFolder
    runs: Runs = field(default_factory=Runs)
    counters: Counters = field(default_factory=Counters)
    places: HiddenNames = field(default_factory=HiddenNames)

    @property
    def entrance(self) -> Entrance:
        """The way in."""
        return self.settings.entrance

    def take_over(self) -> None:
        """Look after the runs that an earlier desk started and that are still under way."""
        for case in self.cases.list_cases():
            self.runs.adopt(case.runs)

    def close(self) -> None:
        """End what works for the desk; what is finished is kept, and the rest can go on later."""
        self.runs.close()
        self.counters.close()
