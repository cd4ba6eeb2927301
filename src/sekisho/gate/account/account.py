"""The account of a release: a verdict is good only where everything that leaves is accounted for.

An account is a value that every door prints. It has one entry for each column of the file that would leave, of a table
one for each attacker whom the data make possible. An entry says what covers it, who says so, and a figure that was
counted in that file. What nobody accounts for is *open*; an account with an open entry does not close, and a release
whose account does not close is a person's decision at best. Reasons can make a verdict worse; nothing but a closed
account makes it good.

The first entry of every account is the unit: whose rows they are. People are counted, never rows.

Under a contest's rules the question is another one, whether the conditions of the round hold; that is what such an
account says, and nobody reads from it that anything may leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.words import Said, join_words, name_setting

UNSAID = Said("nobody said what it is")
"""Why a column is open that no key, role, reason or mechanism speaks of."""
MOST_ALONE_NAMED = 8
"""Of so many open columns it is said how many people stand alone by each."""
COUNTED = (
    Coverage.KEYED,
    Coverage.SECRET,
    Coverage.NOISED,
    Coverage.SAMPLED,
    Coverage.PROVEN,
    Coverage.PROMISED,
)
"""Covers whose figure stands in the sentence of the account."""


class UnitOrigin(StrEnum):
    """Who says whose rows they are."""

    KNOWN = "known"
    """A column says so, and it was counted."""
    SAID = "said"
    """No column says so; whoever holds the data says that a row is a person."""
    OPEN = "open"
    """A column says that it is otherwise, or that nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Unit:
    """Whose rows they are, and how many people there are.

    Attributes:
        who: the column that says whose a row is; empty if none does.
        origin: who says so.
        people: how many people (patients, firms, households) the rows belong to.
        rows: how many rows there are.
        words: it in words, where these are no rows of people, as in tables that came as cells.
    """

    who: str = ""
    origin: UnitOrigin
    people: int
    rows: int
    words: Said | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is not settled whom the rows belong to."""
        return self.origin is UnitOrigin.OPEN

    def describe(self) -> Said:
        """Return it in words, as the beginning of a sentence."""
        if self.words is not None:
            return self.words
        if self.origin is UnitOrigin.SAID:
            return Said("{people:,} {people:person|people}, one row each as you say", people=self.people)
        if self.origin is UnitOrigin.OPEN:
            return Said(
                "{rows:,} {rows:row|rows} of {people:,} {people:person|people} by {who}, and nobody settled whose rows "
                "they are",
                rows=self.rows,
                people=self.people,
                who=self.who,
            )
        if self.rows == self.people:
            return Said(
                "{people:,} {people:person|people}, one row each ({who} says so)", people=self.people, who=self.who
            )
        return Said(
            "{people:,} {people:person|people} with {rows:,} {rows:row|rows} ({who} says whose)",
            people=self.people,
            rows=self.rows,
            who=self.who,
        )

    def describe_open(self) -> Said:
        """Return why it is not settled, and what settles it."""
        return Said(
            "{rows:,} {rows:row|rows} belong to {people:,} {people:person|people} by {who}, so a row is no person: "
            "what is counted of rows is not said of people. Bring one row a person, or a history of people, or say "
            "{unit} and why a row is a person",
            rows=self.rows,
            people=self.people,
            who=self.who,
            unit=name_setting("unit"),
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"who": self.who, "by": self.origin.value, "people": self.people, "rows": self.rows}


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class AccountEntry:
    """One column of the file that leaves, or one attacker of a table, and what covers it.

    Attributes:
        subject: the column, or the attacker.
        cover: what covers it.
        by: who says so, or why it is open, in words.
        figure: what was counted of it, such as k; None where nothing is.
        alone: how many people stand alone by this column; None where nobody counted.
    """

    subject: str
    cover: Coverage
    by: Said
    figure: float | None = None
    alone: int | None = None

    def as_dict(self) -> dict[str, object]:
        """Return whose word it is and what was counted, as plain data."""
        return {"by": self.by, "figure": self.figure, "alone": self.alone}


class AccountQuestion(StrEnum):
    """What an account answers."""

    LEAVES = "leaves"
    """May the release leave?"""
    ROUND = "round"
    """Do the conditions of a contest's round hold?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmlessCount:
    """What harmless columns tell all the same, together.

    Attributes:
        alone: how many people stand alone by all of them together.
        least: the size of the smallest class by them and the keys together; None where there are no keys.
    """

    alone: int
    least: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What covers everything that leaves; an empty one covers nothing.

    Attributes:
        question: what it answers.
        unit: whose rows they are; None where nobody asked.
        entries: one for each column, or attacker.
        harmless: what harmless columns tell together; None where there are none.
        attackers: whether the entries are attackers of a table, not columns.
        earlier: what left before, where a register is named; it keeps nobody from being singled out by itself.
    """

    question: AccountQuestion = AccountQuestion.LEAVES
    unit: Unit | None = None
    entries: tuple[AccountEntry, ...] = ()
    harmless: HarmlessCount | None = None
    attackers: bool = False
    earlier: AccountEntry | None = None

    @classmethod
    def of_round(cls) -> Account:
        """Return the account of a release under a contest's rules, where the conditions of the round decide."""
        return cls(question=AccountQuestion.ROUND)

    def publish(self) -> Account:
        """Return the account as the public edition tells it: of columns that leave, and not who stands alone."""
        shown = (entry for entry in self.entries if entry.cover is not Coverage.GONE)
        return replace(self, entries=tuple(replace(entry, alone=None) for entry in shown))

    @property
    def asks_round(self) -> bool:
        """Whether the conditions of a contest's round are the question."""
        return self.question is AccountQuestion.ROUND

    @property
    def open_entries(self) -> tuple[AccountEntry, ...]:
        """What nothing covers."""
        entries = self.entries if self.earlier is None else (*self.entries, self.earlier)
        return tuple(entry for entry in entries if entry.cover.is_open)

    @property
    def is_closed(self) -> bool:
        """Whether everything that leaves is accounted for."""
        if self.asks_round:
            return True
        settled = self.unit is not None and not self.unit.is_open
        return settled and bool(self.entries) and not self.open_entries and self._singles_nobody_out

    @property
    def _singles_nobody_out(self) -> bool:
        """Whether some promise keeps people from being singled out, or nothing is left that could do so."""
        if any(entry.cover.is_promise for entry in self.entries):
            return True
        bare = all(entry.cover in {Coverage.GONE, Coverage.HARMLESS} for entry in self.entries)
        return bare and (self.harmless is None or self.harmless.alone == 0)

    def describe(self) -> Said:
        """Return it as a sentence without its full stop, or in parts for each way in which it does not close."""
        if self.asks_round:
            return Said("the conditions of the round decide; whether anything may leave is not asked here")
        return self._describe_closed() if self.is_closed else join_words(self.list_gaps(), "; ")

    def list_gaps(self) -> Iterator[Said]:
        """Give why the account does not close, each with what would close it."""
        if not self.entries or self.unit is None:
            yield Said("nobody accounted for what leaves")
            return
        if self.unit.is_open:
            yield self.unit.describe_open()
        unsaid = [entry for entry in self.open_entries if entry.by == UNSAID]
        if unsaid:
            yield self._tell_unsaid(unsaid)
        for by in dict.fromkeys(entry.by for entry in self.open_entries if entry.by != UNSAID):
            subjects = join_words([entry.subject for entry in self.open_entries if entry.by == by], ", ")
            yield Said("{subjects}: {by}", subjects=subjects, by=by)
        if not self.open_entries and not self._singles_nobody_out:
            yield Said("nothing that is asked for keeps people from being singled out by what leaves")

    def _tell_unsaid(self, entries: Sequence[AccountEntry]) -> Said:
        people = 0 if self.unit is None else self.unit.people
        columns = [
            entry.subject
            if not entry.alone or place >= MOST_ALONE_NAMED
            else Said(
                "{column} ({alone:,} of {people:,} {people:person stands|people stand} alone by it)",
                column=entry.subject,
                alone=entry.alone,
                people=people,
            )
            for place, entry in enumerate(entries)
        ]
        return Said(
            "{count} {count:column leaves and nobody said what it is|columns leave and nobody said what they are}: "
            "{columns} (say {keys}, {sensitive}, {harmless} or {drop})",
            count=len(entries),
            columns=join_words(columns, ", "),
            keys=name_setting("keys"),
            sensitive=name_setting("sensitive"),
            harmless=name_setting("harmless"),
            drop=name_setting("drop"),
        )

    def _describe_closed(self) -> Said:
        unit = join_words(()) if self.unit is None else self.unit.describe()
        told = self._describe_entries(unit)
        if self.earlier is None:
            return told
        return Said(
            "{account}; {subject}: {cover} ({by})",
            account=told,
            subject=self.earlier.subject,
            cover=COVER_WORDS[self.earlier.cover],
            by=self.earlier.by,
        )

    def _describe_entries(self, unit: Said) -> Said:
        if self.attackers:
            return Said(
                "{unit}; all {count} attackers are accounted for: {groups}",
                unit=unit,
                count=len(self.entries),
                groups=join_words(self._list_groups(), "; "),
            )
        return Said(
            "{unit}; all {count} {count:column|columns} are accounted for: {groups}",
            unit=unit,
            count=len(self.entries),
            groups=join_words(self._list_groups(), ", "),
        )

    def _list_groups(self) -> Iterator[Said]:
        """Give how many entries each cover has, and its figure."""
        for cover in dict.fromkeys(entry.cover for entry in self.entries):
            covered = [entry for entry in self.entries if entry.cover is cover]
            count, words = len(covered), tuple(dict.fromkeys(entry.by for entry in covered))
            if cover is Coverage.HARMLESS:
                yield self._tell_harmless(count)
            elif self.attackers:
                names = join_words([entry.subject for entry in covered], ", ")
                yield Said("{cover}: {names}", cover=COVER_WORDS[cover], names=names)
            elif cover in COUNTED:
                by = join_words(words, ", ")
                yield Said("{count} {cover} ({by})", count=count, cover=COVER_WORDS[cover], by=by)
            else:
                yield Said("{count} {cover}", count=count, cover=COVER_WORDS[cover])

    def _tell_harmless(self, count: int) -> Said:
        alone = 0 if self.harmless is None else self.harmless.alone
        if not alone:
            return Said("{count} harmless by your word (nobody stands alone by them)", count=count)
        return Said(
            "{count} harmless by your word ({alone:,} {alone:person stands|people stand} alone by them together)",
            count=count,
            alone=alone,
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data: one row for each entry, the unit, and the sentence; nothing of a round."""
        if self.asks_round:
            return {}
        name = "attacker" if self.attackers else "column"
        rows: list[dict[str, object]] = [
            {
                name: entry.subject,
                "cover": entry.cover.value,
                "by": entry.by,
                "figure": entry.figure,
                "alone": entry.alone,
            }
            for entry in self.entries
        ]
        if self.earlier is not None:
            rows.append({"attacker": self.earlier.subject, "cover": self.earlier.cover.value, **self.earlier.as_dict()})
        told: dict[str, object] = {"account": rows, "account_closed": self.is_closed, "account_words": self.describe()}
        if self.unit is not None:
            told["unit"] = self.unit.as_dict()
        if self.harmless is not None:
            told["harmless"] = {"alone": self.harmless.alone, "least_class_with_keys": self.harmless.least}
        return told


COVER_WORDS = {
    Coverage.GONE: Said("cover|left out"),
    Coverage.KEYED: Said("cover|keyed"),
    Coverage.SECRET: Said("cover|secret"),
    Coverage.NOISED: Said("cover|noised"),
    Coverage.SAMPLED: Said("cover|sampled"),
    Coverage.HARMLESS: Said("cover|harmless"),
    Coverage.PROVEN: Said("cover|proven"),
    Coverage.PROMISED: Said("cover|promised"),
    Coverage.NOT_CONSIDERED: Said("cover|not considered"),
    Coverage.OPEN: Said("cover|open"),
}
"""Each cover in words."""
