"""What a recipe says must be kept, read and checked; every fault is noted.

::

    keep = [
        "age",                                                # its distribution
        "age × income",                                       # their association; also ["age", "income"]
        { sum = "income", by = "region", within = 0.02 },     # the sums; above 0.02 a person looks
        { pair = ["age", "region"], within = 0.1 },
    ]

Among the releases with the best verdict the one is chosen that keeps this best; what is safe is decided as ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sekisho.data.files.settings import build_settings
from sekisho.data.frame.dataset import Kind, Role, Schema
from sekisho.errors import Fault, ParameterError, SettingsError
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.recipes.keys import make_fault
from sekisho.safety.terms import Terms
from sekisho.utility.kept import Kept, KeptFigure, KeptKind
from sekisho.words import Said

KEEP = "keep"
SIGN = "×"
"""Between the two columns of a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepEntry:
    """One entry of ``keep`` as a table: exactly one of column, pair and sum."""

    column: str = ""
    pair: tuple[str, ...] = ()
    sum: str = ""
    by: str = ""
    within: float | None = None

    @property
    def said(self) -> tuple[str, ...]:
        """Which of column, pair and sum it has."""
        return tuple(name for name in KeptKind if getattr(self, name))

    def make(self) -> Kept:
        """Return what must be kept.

        Raises:
            ParameterError: it names other columns, or a limit, than there can be.
        """
        if self.by and not self.sum:
            raise ParameterError("by", Said("be given beside sum only"), self.by)
        if self.column:
            return Kept(kind=KeptKind.COLUMN, columns=(self.column,), within=self.within)
        if self.pair:
            return Kept(kind=KeptKind.PAIR, columns=self.pair, within=self.within)
        columns = (self.sum, self.by) if self.by else (self.sum,)
        return Kept(kind=KeptKind.SUM, columns=columns, within=self.within)


def read_keep(entries: Sequence[object], *, source: str) -> tuple[tuple[Kept, ...], tuple[Fault, ...]]:
    """Return what the entries of ``keep`` say, and what is wrong with them; what is wrong is left out."""
    keep: dict[tuple[KeptKind, tuple[str, ...]], Kept] = {}
    faults: list[Fault] = []
    for number, entry in enumerate(entries, 1):
        place = f"{KEEP}.{number}"
        table = _spell_out(entry)
        if table is None:
            rule = Said('be a column, a pair "a × b", or a table with column, pair or sum')
            faults.append(make_fault(place, rule, entry))
            continue
        try:
            settings = build_settings(table, KeepEntry, source=source, place=place)
            if len(settings.said) != 1:
                faults.append(make_fault(place, Said("have one of column, pair and sum"), list(settings.said)))
                continue
            kept = settings.make()
        except SettingsError as error:
            faults += error.faults
            continue
        except ParameterError as error:
            faults.append(make_fault(f"{place}.{error.name}", error.rule, error.value))
            continue
        if (kept.kind, kept.columns) in keep:
            faults.append(make_fault(place, Said("be said once"), kept.name))
        keep[kept.kind, kept.columns] = kept
    return tuple(keep.values()), tuple(faults)


def _spell_out(entry: object) -> Mapping[str, object] | None:
    """Return an entry as a table; None where it is nothing of the kind."""
    if isinstance(entry, Mapping):
        return cast("Mapping[str, object]", entry)
    if isinstance(entry, list | tuple):
        return {"pair": list(cast("Sequence[object]", entry))}
    if not isinstance(entry, str) or not entry.strip():
        return None
    parts = [part.strip() for part in entry.split(SIGN)]
    return {"column": entry} if len(parts) == 1 else {"pair": parts}


def spell_entry(kept: Kept) -> object:
    """Return what must be kept as an entry of a recipe, in the shortest way that reads back."""
    limit: dict[str, object] = {} if kept.within is None else {"within": kept.within}
    plain = not limit and not any(SIGN in name for name in kept.columns)
    if kept.kind is KeptKind.SUM:
        return dict(zip(("sum", "by"), kept.columns, strict=False)) | limit
    if plain:
        return kept.name
    if kept.kind is KeptKind.COLUMN:
        return {"column": kept.columns[0]} | limit
    return {"pair": list(kept.columns)} | limit if limit else list(kept.columns)


def drop_column(entries: object, name: str) -> list[object] | None:
    """Return the entries of ``keep`` without those that name a column; None where none does."""
    listed = cast("Sequence[object]", entries) if isinstance(entries, list) else ()
    naming = [any(name in one.columns for one in read_keep([entry], source=KEEP)[0]) for entry in listed]
    return [entry for entry, names in zip(listed, naming, strict=True) if not names] if any(naming) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepableColumn:
    """A column as far as it is known before the data are read.

    Attributes:
        name: of it.
        kind: what it holds; None where the data will say.
        identifier: whether it says who somebody is, and never leaves.
    """

    name: str
    kind: Kind | None
    identifier: bool


def list_described(terms: Terms | None) -> tuple[KeepableColumn, ...] | None:
    """Return the columns that rules or a schema describe; None where there may be others."""
    if terms is None or terms.layout.open_columns:
        return None
    if terms.layout.strict:
        columns = ((one.name, one.kind, one.role) for one in terms.layout.columns)
    else:
        columns = ((one.output_name, one.kind, one.role) for one in terms.layout.described.columns)
    return tuple(
        KeepableColumn(name=name, kind=kind, identifier=role is Role.IDENTIFIER) for name, kind, role in columns
    )


def list_columns(schema: Schema) -> tuple[KeepableColumn, ...]:
    """Return the columns of data that were read."""
    return tuple(KeepableColumn(name=one.name, kind=one.kind, identifier=one.role is Role.IDENTIFIER) for one in schema)


def check_keep(
    keep: Sequence[Kept], columns: Sequence[KeepableColumn], *, left_out: Iterable[str] = ()
) -> Iterator[Fault]:
    """Give what cannot be kept: a column that is not there, that says who somebody is, or that is left out.

    Args:
        keep: what must be kept.
        columns: those of the data.
        left_out: those that the recipe itself leaves out.
    """
    known, gone = {one.name: one for one in columns}, set(left_out)
    choices = ", ".join(one.name for one in columns if not one.identifier)
    for kept in keep:
        place = f"{KEEP} ({kept.name})"
        for name in kept.columns:
            column = known.get(name)
            if column is None:
                yield make_fault(place, Said("name columns of the data ({choices})", choices=choices), name)
            elif column.identifier:
                yield make_fault(place, Said("not name a column that says who somebody is: it never leaves"), name)
            elif name in gone:
                yield make_fault(place, Said('not name a column that coarser leaves out ("out")'), name)
        added = known.get(kept.columns[0]) if kept.kind is KeptKind.SUM else None
        if added is not None and added.kind in (Kind.CATEGORY, Kind.DATE):
            rule = Said("add up a column of numbers, not of kind {kind}", kind=added.kind)
            yield make_fault(place, rule, added.name)


def require_keepable(keep: Sequence[Kept], schema: Schema, *, left_out: Iterable[str] = ()) -> None:
    """Refuse what cannot be kept of data that were read.

    Raises:
        SettingsError: everything that is wrong.
    """
    faults = tuple(check_keep(keep, list_columns(schema), left_out=left_out))
    if faults:
        raise SettingsError(Said("the recipe"), faults)


def list_kept_reasons(figures: Sequence[KeptFigure]) -> Iterator[Reason]:
    """Give what is kept less closely than was asked."""
    for one in figures:
        if not one.holds:
            yield make_reason(
                "limit exceeded",
                Said(
                    "{kept} is off by {value:.4g}, at most {limit:g} leaves unseen",
                    kept=one.kept.words,
                    value=one.loss,
                    limit=one.kept.within or 0.0,
                ),
            )
