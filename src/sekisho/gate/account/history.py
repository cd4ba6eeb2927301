"""The account of a history: one entry for each column of the file that would leave.

The claim H0 says that nobody is named, whatever is known of everybody's rows; so where it is asked for and proven of
the file, it covers every column together, and where it is not, it covers none. Attacks cover nothing. The claim covers
who somebody is and never what is learnt: a sensitive column needs a guarantee of its own that is asked for and kept, or
a person's word why it may be learnt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekisho.gate.account.account import Account, AccountEntry, Unit
from sekisho.gate.account.records import ALL_HIDDEN, NEVER_LEAVES
from sekisho.safety.cover import Coverage
from sekisho.words import Said, name_setting

REPLACED = Said("pseudonyms stand in its place")
TELLING_NAMES = Said("the pseudonyms in its place tell the names, or follow from them")
NOT_PROVEN = Said("the claim H0 is not proven of this release, and attacks that fail cover nothing")
NOT_ASKED = Said("the claim H0 is only reported, so nobody asks that people cannot be named by it")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCover:
    """What the claim H0 covers.

    Attributes:
        asked: whether it must be proven, and is not only reported.
        proven: whether it is, of the file that would leave.
        telling_names: whether the pseudonyms tell whose they are.
        least: how many people publish the same rows at least.
    """

    asked: bool
    proven: bool
    telling_names: bool
    least: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntValues:
    """What may be learnt of a sensitive column, as it was counted in the file.

    Attributes:
        least: how many of its values remain possible of everybody at least; None where nobody counted.
        single: of how many people one value is left.
        people: how many people have a known value.
        kept: whether a guarantee of what is learnt is asked for and kept.
    """

    least: int | None
    single: int
    people: int
    kept: bool

    def tell_open(self) -> Said:
        """Return why it is open."""
        if self.least is None:
            return Said(
                "the claim H0 covers who somebody is, not what is learnt of them, which was not counted (ask for {l}, "
                "or say {learnable} and why)",
                l=name_setting("l"),
                learnable=name_setting("learnable"),
            )
        if self.single:
            return Said(
                "one single value is left possible of {single:,} of {people:,} {people:person|people}: the claim H0 "
                "covers who somebody is, not what is learnt of them (ask for {l}, or say {learnable} and why)",
                single=self.single,
                people=self.people,
                l=name_setting("l"),
                learnable=name_setting("learnable"),
            )
        return Said(
            "at least {least} {least:value remains|values remain} possible of everybody, and nobody asks for it: the "
            "claim H0 covers who somebody is, not what is learnt of them (ask for {l}, or say {learnable} and why)",
            least=self.least,
            l=name_setting("l"),
            learnable=name_setting("learnable"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuestion:
    """What is said of the columns of a history.

    Attributes:
        unit: whose rows they are, counted in the file.
        columns: all columns of the original.
        leaving: those that the file has beside its pseudonyms.
        hidden: those of them of which nothing is shown.
        claim: what the claim H0 covers.
        learnt: of each sensitive column that is shown what may be learnt.
        learnable: by sensitive column the reason why it may be learnt.
    """

    unit: Unit
    columns: tuple[str, ...]
    leaving: tuple[str, ...]
    hidden: frozenset[str]
    claim: ClaimCover
    learnt: Mapping[str, LearntValues]
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])

    def account(self) -> Account:
        """Return the account of the file."""
        return Account(unit=self.unit, entries=tuple(map(self._make_entry, self.columns)))

    def _make_entry(self, name: str) -> AccountEntry:
        if name == self.unit.who:
            telling = self.claim.telling_names
            return AccountEntry(
                subject=name,
                cover=Coverage.OPEN if telling else Coverage.GONE,
                by=TELLING_NAMES if telling else REPLACED,
            )
        if name not in self.leaving or name in self.hidden:
            return AccountEntry(
                subject=name, cover=Coverage.GONE, by=ALL_HIDDEN if name in self.leaving else NEVER_LEAVES
            )
        return self._cover_learnt(name, self.learnt[name]) if name in self.learnt else self._cover_known(name)

    def _cover_learnt(self, name: str, learnt: LearntValues) -> AccountEntry:
        if learnt.kept and learnt.least is not None:
            words = Said("l = {l:g}, counted", l=learnt.least)
            return AccountEntry(subject=name, cover=Coverage.SECRET, by=words, figure=learnt.least)
        if name in self.learnable:
            reason = Said("may be learnt, because: {reason}", reason=self.learnable[name])
            return AccountEntry(subject=name, cover=Coverage.SECRET, by=reason, figure=learnt.least)
        return AccountEntry(subject=name, cover=Coverage.OPEN, by=learnt.tell_open(), figure=learnt.least)

    def _cover_known(self, name: str) -> AccountEntry:
        claim = self.claim
        if claim.asked and claim.proven:
            words = Said(
                "the claim H0, at least {least} {least:person|people} with the same rows, counted", least=claim.least
            )
            return AccountEntry(subject=name, cover=Coverage.KEYED, by=words, figure=claim.least)
        return AccountEntry(subject=name, cover=Coverage.OPEN, by=NOT_ASKED if claim.proven else NOT_PROVEN)
