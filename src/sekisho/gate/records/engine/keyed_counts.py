"""What must hold of records that lie with an engine, counted from the file that was written: findings and claims.

Against whom: one who knows a person's keys and looks for his row. Rows that are written alike in the keys cannot be
told apart by them, and leave in an order that tells nothing: in a class of c rows he is right with a chance of 1/c. So
whoever he looks for, and however he does it, he finds at most as many people on average as there are classes, each
person's chance summed up: the sum over all rows of 1/c is the number of classes. No attack by the keys alone finds
more, which is why none has to be tried where that is little enough.

Source of the bound: El Emam, Dankar, "Protecting privacy using k-anonymity", JAMIA 15(5), 2008 (marketer risk).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import narwhals as nw

from sekisho.data.engines.names import file_column
from sekisho.data.files.schema_files.schema_file import MISSING_VALUE
from sekisho.data.frame.dataset import Column, Kind, Role, Schema
from sekisho.errors import BugError, ParameterError
from sekisho.gate.certificate.claims import ClassesClaim
from sekisho.gate.certificate.recount import PublishedForm, SecretFigures
from sekisho.gate.records.engine.recount_scan import COUNT, ScanClasses
from sekisho.gate.records.guarantees import ClaimedClasses, RecordGuarantees
from sekisho.gate.records.recount import Recount, find_worst
from sekisho.protect.beyond_memory import EngineRelease
from sekisho.safety import Guarantee
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.anonymity import KAnonymity, tell_smallest_class
from sekisho.safety.records.closeness import Distance, TCloseness, tell_farthest_class
from sekisho.safety.records.diversity import Diversity, LDiversity, tell_least_diversity, tell_recursive_ratio
from sekisho.safety.records.published import NOTHING_KNOWN, add_unknown_classes
from sekisho.words import Said


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyedCounts:
    """Counts what is asked of a release whose rows lie with an engine.

    Attributes:
        release: the engine that made it is at work.
        wanted: what must hold.
        keys: what may be known of a person.
        sensitive: what must stay hidden.
    """

    release: EngineRelease
    wanted: RecordGuarantees
    keys: tuple[str, ...]
    sensitive: tuple[str, ...]

    @cached_property
    def classes(self) -> ScanClasses:
        """The classes of equal keys, as they are written."""
        described = self.release.terms.layout.described
        return ScanClasses(scan=self.release.published, fields={one.name: one for one in described.fields()})

    @cached_property
    def least(self) -> int:
        """The size of the smallest class."""
        return self.classes.find_smallest(self.keys)

    @cached_property
    def asked(self) -> dict[str, Guarantee]:
        """What must hold, by name."""
        roles = dict.fromkeys(self.keys, Role.QUASI) | dict.fromkeys(self.sensitive, Role.SENSITIVE)
        kinds: Mapping[str, Kind] = self.release.kinds
        columns = (Column(name=name, kind=kind, role=roles.get(name, Role.OTHER)) for name, kind in kinds.items())
        return self.wanted.make(Schema(tuple(columns)), self.keys, self.sensitive)

    def check(self) -> dict[str, Finding]:
        """Return by guarantee whether it is kept; none of it is where nothing is published."""
        return {name: self._check(guarantee) for name, guarantee in self.asked.items()}

    def _check(self, guarantee: Guarantee) -> Finding:
        if not self.release.kept:
            nothing = Said("nothing is published: there is no class to count")
            return Finding(kept=False, worst=float("nan"), wanted=float("nan"), where=(), words=nothing)
        match guarantee:
            case KAnonymity():
                below = self.classes.count_below(self.keys, guarantee.k)
                words = tell_smallest_class(self.least, guarantee.k, below)
                kept = self.least >= guarantee.k
                return Finding(kept=kept, worst=float(self.least), wanted=float(guarantee.k), where=(), words=words)
            case LDiversity():
                return self._check_diversity(guarantee)
            case TCloseness():
                return self._check_closeness(guarantee)
            case _:
                raise BugError(f"a guarantee that no engine counts: {guarantee!r}")

    def _check_diversity(self, asked: LDiversity) -> Finding:
        (recount,) = self._measure(asked.sensitive, least=asked.l, kind=asked.kind.value, c=asked.c)
        words = (
            tell_recursive_ratio(recount.counted, int(asked.l), asked.c)
            if asked.kind is Diversity.RECURSIVE
            else tell_least_diversity(asked.kind, recount.counted, asked.l)
        )
        return _say_recount(recount, words)

    def _check_closeness(self, asked: TCloseness) -> Finding:
        kind = self.release.kinds[asked.sensitive]
        if asked.distance is Distance.ORDERED and (not kind.numeric or asked.sensitive in self.release.coded):
            rule = Said("be equal for what is no number or date")
            raise ParameterError("distance", rule, f"{asked.sensitive}, ordered")
        # where values are missing the equal distance is taken, which is never below the ordered one
        ordered = asked.distance is Distance.ORDERED and not self._lacks_values(asked.sensitive)
        (recount,) = self._measure(asked.sensitive, t=asked.t, ordered=ordered)
        words = tell_farthest_class(recount.counted, Distance.ORDERED if ordered else Distance.EQUAL, asked.t)
        return _say_recount(recount, words)

    def _lacks_values(self, name: str) -> bool:
        scan = self.release.published
        missing = (file_column(name).cast(nw.String) == MISSING_VALUE) | file_column(name).is_null()
        return bool(scan.collect(scan.frame.filter(missing).select(nw.len().alias(COUNT)))[COUNT][0])

    def _measure(
        self,
        column: str,
        *,
        least: float | None = None,
        kind: str = Diversity.DISTINCT.value,
        c: float = 1.0,
        t: float | None = None,
        ordered: bool = False,
    ) -> list[Recount]:
        """Return the worst figure of all classes: of diversity, of closeness, or of both."""
        asked = {"column": column, "ordered": ordered, "l": least, "kind": kind, "c": c, "t": t}
        return find_worst(self.classes.measure(self.keys, asked))

    def list_claims(self, form: PublishedForm) -> tuple[ClassesClaim, ...]:
        """Return the classes as whoever verifies will count them in the published file."""
        if not self.keys or not self.release.kept:
            return ()
        published = ClaimedClasses(
            form=form,
            columns=self.release.published.names,
            kinds=self.release.kinds,
            keys=self.keys,
            sensitive=self.sensitive,
            least=self.least,
            count=self._count_sensitive,
        )
        return published.list_claims(self.wanted)

    def _count_sensitive(self, name: str, t: float | None) -> SecretFigures:
        figures = self._measure(name, least=1, t=t)
        if isnan(figures[0].counted):
            return SecretFigures(values=None, distance=None, unknown=figures[0].unknown)
        return SecretFigures(
            values=int(figures[0].counted),
            distance=None if t is None else figures[1].counted,
            unknown=figures[0].unknown,
        )


def _say_recount(recount: Recount, words: str) -> Finding:
    """Return what was counted of known values as a finding."""
    words = NOTHING_KNOWN if isnan(recount.counted) else add_unknown_classes(words, recount.unknown)
    return Finding(kept=recount.kept, worst=recount.counted, wanted=recount.wanted, where=(), words=words)
