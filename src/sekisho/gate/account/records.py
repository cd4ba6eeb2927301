"""The account of records: one entry for each column of the file that would leave.

What covers a column, in this order: nothing of it is shown; a person says that it is harmless and why; the mechanism
drew the records so that a limited adversary is held off; a guarantee of what is learnt is kept for it (or a person says
why it may be learnt); one joint guarantee over **all** keyed columns together is kept; the mechanism's own promise for
the columns that it changes by chance. Covers do not add up: where keyed and noised columns leave together and no one
promise covers both, the noised ones are open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sekisho.gate.account.account import UNSAID, Account, AccountEntry, HarmlessCount, Unit
from sekisho.gate.account.columns import WrittenColumns
from sekisho.safety.cover import Coverage
from sekisho.words import Said, join_words

UNGUARDED = Said("others may know it, and no guarantee over all such columns together is asked for and kept")
UNLEARNT = Said("sensitive, and no guarantee that is asked for and kept speaks of what is learnt of it")
OVERLOOKED = Said("others may know it, as its role says, and it is no key here")
APART = Said("the promise for the keys and the one for what chance changes do not add up")
NEVER_LEAVES = Said("it does not leave")
ALL_HIDDEN = Said("nothing of it is shown")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverPromise:
    """Something that is asked for or promised of some columns together, as it is counted in the file.

    Attributes:
        cover: of which kind it is.
        columns: the columns that it speaks of together; of what is learnt, the one that must stay hidden.
        words: it with its figure.
        figure: as a number.
        kept: whether the file keeps it, and it is at least as strong as what is demanded.
    """

    cover: Coverage
    columns: tuple[str, ...]
    words: Said
    figure: float | None = None
    kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsQuestion:
    """What is said of the columns of records.

    Attributes:
        unit: whose rows they are.
        columns: all columns of the original.
        keys: what may be known of a person; weights and strata among them.
        sensitive: what must stay hidden.
        overlooked: columns that others may know by their role and that are no keys.
        harmless: by column the reason why nothing need be promised of it.
        learnable: by sensitive column the reason why it may be learnt.
        promises: what is asked for or promised.
    """

    unit: Unit
    columns: tuple[str, ...]
    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    overlooked: tuple[str, ...] = ()
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])
    promises: tuple[CoverPromise, ...] = ()

    def account(self, written: WrittenColumns) -> Account:
        """Return the account of a file."""
        shown = tuple(name for name in written.names if not written.is_hidden(name))
        covered = self._cover(shown)
        entries = [self._make_entry(name, shown, covered, written) for name in written.names]
        gone = [
            AccountEntry(subject=name, cover=Coverage.GONE, by=NEVER_LEAVES)
            for name in self.columns
            if name not in written.names
        ]
        return Account(unit=self.unit, entries=(*entries, *gone), harmless=self._count_harmless(shown, written))

    def _cover(self, shown: Sequence[str]) -> Mapping[str, tuple[Coverage, CoverPromise | None]]:
        """Return by column what covers it, with the promise that does."""
        keys = {name for name in self.keys if name in shown and name not in self.harmless}
        sampled = self._find_promise(Coverage.SAMPLED, shown)
        joint = self._find_promise(Coverage.KEYED, keys) if keys else None
        noised = next((promise for promise in self.promises if promise.cover is Coverage.NOISED and promise.kept), None)
        covered = dict[str, tuple[Coverage, CoverPromise | None]]()
        for name in shown:
            learnt = self._find_promise(Coverage.SECRET, (name,)) if name in self.sensitive else None
            if name in self.harmless:
                covered[name] = Coverage.HARMLESS, None
            elif sampled is not None:
                covered[name] = Coverage.SAMPLED, sampled
            elif name in self.sensitive and (learnt is not None or name in self.learnable):
                covered[name] = Coverage.SECRET, learnt
            elif joint is not None and name in keys:
                covered[name] = Coverage.KEYED, joint
            elif noised is not None and name in noised.columns:
                covered[name] = Coverage.NOISED, noised
        return covered

    def _find_promise(self, cover: Coverage, columns: Iterable[str]) -> CoverPromise | None:
        """Return a promise that is kept and speaks of all of some columns together."""
        asked = set(columns)
        kept = (promise for promise in self.promises if promise.cover is cover and promise.kept)
        return next((promise for promise in kept if asked <= set(promise.columns)), None)

    def _make_entry(
        self,
        name: str,
        shown: Sequence[str],
        covered: Mapping[str, tuple[Coverage, CoverPromise | None]],
        written: WrittenColumns,
    ) -> AccountEntry:
        if name not in shown:
            return AccountEntry(subject=name, cover=Coverage.GONE, by=ALL_HIDDEN)
        alone = written.count_alone([name]) if name not in self.keys else None
        cover, promise = covered.get(name, (Coverage.OPEN, None))
        if cover is Coverage.NOISED and any(other is Coverage.KEYED for other, _ in covered.values()):
            return AccountEntry(subject=name, cover=Coverage.OPEN, by=APART, alone=alone)
        if promise is not None:
            return AccountEntry(subject=name, cover=cover, by=promise.words, figure=promise.figure, alone=alone)
        return AccountEntry(subject=name, cover=cover, by=self._say_who(name, cover), alone=alone)

    def _say_who(self, name: str, cover: Coverage) -> Said:
        """Return whose word it is, or why nothing covers a column."""
        if cover is Coverage.HARMLESS:
            return join_words((self.harmless[name],))
        if cover is Coverage.SECRET:
            return Said("may be learnt, because: {reason}", reason=self.learnable[name])
        if name in self.sensitive:
            return UNLEARNT
        if name in self.keys:
            return UNGUARDED
        return OVERLOOKED if name in self.overlooked else UNSAID

    def _count_harmless(self, shown: Sequence[str], written: WrittenColumns) -> HarmlessCount | None:
        harmless = [name for name in shown if name in self.harmless]
        if not harmless:
            return None
        keys = [name for name in shown if name in self.keys and name not in self.harmless]
        least = written.find_smallest([*keys, *harmless]) if keys else None
        return HarmlessCount(alone=written.count_alone(harmless), least=least)
