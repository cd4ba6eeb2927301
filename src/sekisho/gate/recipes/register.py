"""What a recipe says of the register: where it lies, under which key, about whom, and what lasts.

::

    [register]
    folder = "../releases"             # sekisho register start made it
    key = "../keys/releases.key"
    population = "customers"           # releases of the same population are attacked together
    stable = ["birth_year", "sex"]     # of records: a person has one value for ever
    like_last = true                   # try the classes, or the pattern, of the last release, too
    leave_out = 0.001                  # of records: at most so many, whose candidates would be below k
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Self

from sekisho.words import Said


class Relation(StrEnum):
    """How the population of a table is to that of the last one.

    Attributes:
        SAME: the same people, and the same of them.
        GROWS: nobody left.
        OVERLAP: some left, some came, and it is known how many.
        UNKNOWN: nothing is known, and nothing is claimed.
    """

    SAME = "same"
    GROWS = "grows"
    OVERLAP = "overlap"
    UNKNOWN = "unknown"


class Pseudonyms(StrEnum):
    """What becomes of the pseudonyms of a history from one release to the next."""

    STAY = "stay"
    ANEW = "anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterRules:
    """What a recipe says of the register.

    Attributes:
        folder: of the register, beside the recipe.
        key: the file of its key, outside of that folder.
        population: which people the data are about; releases of another population are not attacked with this one.
        stable: of records: columns in which a person has one value for ever; if none is named, every column that both
            releases have, keys and sensitive ones, is taken as such.
        fold_case: whether large and small letters of identifiers are the same.
        like_last: whether the classes, or the pattern, of the last release are tried, too.
        leave_out: of records: the largest share that may be left out so that everybody who is in it keeps k candidates
            together with what left before.
        relation: of tables: how the population is to that of the last one.
        left: of tables that overlap: how many people left since the last one.
        came: of these: how many came.
        pseudonyms: of histories: whether they stay from one release to the next.
    """

    folder: str = ""
    key: str = ""
    population: str = ""
    stable: tuple[str, ...] = ()
    fold_case: bool = False
    like_last: bool = False
    leave_out: float = 0.0
    relation: Relation = Relation.UNKNOWN
    left: int = 0
    came: int = 0
    pseudonyms: Pseudonyms = Pseudonyms.ANEW

    def list_missing(self) -> Iterator[tuple[str, Said]]:
        """Give the keys that must be said and are not, or not so: by key the rule."""
        if not self.folder:
            yield "register.folder", Said("be the folder of a register")
        if not self.key:
            yield "register.key", Said("be the file of the register's key: digests without one protect nobody")
        if not self.population:
            yield "register.population", Said("say which people the data are about")
        if not 0 <= self.leave_out < 1:
            yield "register.leave_out", Said("be a share from 0 to below 1")

    def place_beside(self, folder: Path) -> Self:
        """Return it with its folder and key beside the recipe."""
        return replace(self, folder=str(folder / self.folder), key=str(folder / self.key))
