"""What a person must look at before a release leaves: asked once, below every door, whatever made the release.

The adversary here needs no skill: he reads the release. Five things are asked of it:

- *Does a column name people?* Asked of what is released and of the original: what a header or the values of the
  original say is so of the released column too, generalised or not; also that almost every value of a column of texts
  is distinct, for a set of them still lists people, unless labels of a tree are written instead. In a history it is
  asked person by person: of a column that is the same in all rows of nearly everybody; a column that differs in every
  single row, like the number of a receipt, names people as well.
- *Is somebody of a history published as he was?* Nothing protects him, whatever is promised of the others.
- *Can hidden cells be worked out?* and *is anything left to use?* the method says itself, as plain data in its release:
  ``derivable`` (the columns), ``useful``, ``noisy`` (the columns of which hardly anything is kept), ``identifying``
  (columns that its own mathematics finds to name people).

A column that names people may leave all the same if it is allowed by name, with a reason, which is told. Nothing else
can be allowed beforehand. Whoever writes a release without a review is refused here (:meth:`ReleaseReview.refuse`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import SetCells
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.frame.release import Labels, MaskedTable, Release, exact_table
from sekisho.data.identity.identifying import (
    FEWEST_RECORDS,
    IDENTIFYING_SHARE,
    Ground,
    Identifying,
    count_raw_people,
    list_identifying,
)
from sekisho.data.identity.original_identifiers import list_leaking
from sekisho.errors import ParameterError, ReviewNeededError
from sekisho.words import Said, join_words

LEAST_REASON, FEWEST_SIGNS = 20, 5
"""A reason has so many letters at least, of which so many differ: it is a sentence that somebody reads."""
LEAST_RETENTION = Fraction(1, 20)
"""Below this a column is of hardly any use: its records are worth less than one in 400 unchanged ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedCells:
    """How many hidden cells there are, how many of them cannot hold every value, and how many are known."""

    cells: int
    narrowed: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReview:
    """What a person must look at before a release leaves; nothing where all is empty.

    Attributes:
        identifying: columns that name people and that nobody allowed.
        allowed: by column the reason why it may leave though it names people.
        needless: columns that are allowed though they name nobody.
        raw: how many people of a history are published as they were, each alone with his rows.
        derivable: columns with hidden cells that whoever reads the release alone can often work out.
        derived: how many of them; None where nobody counted.
        noisy: columns of whose values hardly anything is kept.
        useful: False where hardly anything of the whole is left.
        lost: how much of what the keys told is lost, of at most 1; None where that is not known.
        remarks: what the method has to say besides, which asks for nothing.
    """

    identifying: tuple[Identifying, ...] = ()
    allowed: Mapping[str, str] = field(default_factory=dict[str, str])
    needless: tuple[str, ...] = ()
    raw: int = 0
    derivable: tuple[str, ...] = ()
    derived: DerivedCells | None = None
    noisy: tuple[str, ...] = ()
    useful: bool = True
    lost: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that name people and that nobody allowed."""
        return tuple(each.column for each in self.identifying)

    @property
    def harms(self) -> bool:
        """Whether people may come to harm: not only that the release is of hardly any use."""
        return bool(self.identifying or self.derivable)

    @property
    def needed(self) -> bool:
        """Whether a person must look at it."""
        return self.harms or bool(self.raw or self.noisy) or not self.useful

    def list_warnings(self) -> list[str]:
        """Return what to look at, and the method's remarks, in words."""
        warnings = [_say_identifying(each) for each in self.identifying]
        if self.raw:
            warnings.append(
                Said(
                    "NOT PROTECTED: {raw:,} {raw:person is|people are} published as they were; whoever "
                    "knows one row of theirs finds them",
                    raw=self.raw,
                )
            )
        if self.derivable:
            warnings.append(self._say_derivable(", ".join(self.derivable)))
        if self.noisy:
            warnings.append(
                Said(
                    "of hardly any use: less than {least:g} is kept of {noisy}; the records are worth less "
                    "than one in {times} unchanged ones",
                    least=float(LEAST_RETENTION),
                    noisy=", ".join(self.noisy),
                    times=1 / LEAST_RETENTION**2,
                )
            )
        elif not self.useful:
            warnings.append(
                Said("the release is of hardly any use")
                if self.lost is None
                else Said("the release is of hardly any use: NCP {lost:.3f}, of at most 1", lost=self.lost)
            )
        return [*warnings, *self.remarks]

    def _say_derivable(self, names: str) -> str:
        if self.derived is not None and not self.derived.narrowed:
            return Said("hidden cells of {names}: {derived}", names=names, derived=self.tell_derived())
        often = Said("{names}: whoever reads the release alone can often work out hidden cells", names=names)
        return often if self.derived is None else join_words((often, self.tell_derived()), "; ")

    def tell_derived(self) -> Said:
        """Return how many hidden cells can be worked out, in words."""
        if self.derived is None:
            return Said("nobody counted how many hidden cells can be worked out")
        return Said(
            "{narrowed:,} of {cells:,} hidden {cells:cell|cells} {narrowed:is|are} narrowed, {known:,} {known:is|are} "
            "known",
            narrowed=self.derived.narrowed,
            cells=self.derived.cells,
            known=self.derived.known,
        )

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "useful": self.useful and not self.noisy,
            "identifying": list(self.names),
            "allowed_columns": dict(self.allowed),
            "raw": self.raw,
            "derivable": list(self.derivable),
            "warnings": self.list_warnings(),
        }

    def refuse(self) -> None:
        """Refuse a release that may harm people.

        Raises:
            ReviewNeededError: a column names people and is not allowed, or hidden cells can be worked out.
        """
        if self.harms:
            raise ReviewNeededError([*self.names, *self.derivable], self.list_warnings())


def review_release(
    release: Release | MaskedTable, original: Dataset | None = None, *, allowed: Mapping[str, str] | None = None
) -> ReleaseReview:
    """Return what a person must look at before a release leaves.

    Args:
        release: what a method made, or what was published of it.
        original: what it was made of; None where it is not at hand, so that only the release itself is asked.
        allowed: by column that names people why it may leave all the same.

    Raises:
        ParameterError: an allowed column is not there, or has no reason.
    """
    kept = release if isinstance(release, MaskedTable) else release.take(~release.deleted)
    table, detail = (kept, {}) if isinstance(kept, MaskedTable) else (kept.table, kept.detail)
    labelled = frozenset() if isinstance(kept, MaskedTable) else _list_labelled(kept)
    texts = {} if isinstance(kept, MaskedTable) else kept.labels
    lasting: list[Identifying] = []
    if original is not None:
        named = list_naming_columns(_show_original(original))
        lasting += _list_lasting(named, table, labelled)
        lasting += list_leaking(table, texts, original, named)
    identifying = [
        *list_naming_columns(table, labels=texts, original=original),
        *_list_listed(table, labelled),
        *lasting,
    ]
    review = make_review(detail, identifying, columns=tuple(table.columns), allowed=allowed)
    return review if isinstance(kept, MaskedTable) else replace(review, raw=count_raw_people(kept))


def make_review(
    detail: Mapping[str, object],
    identifying: Iterable[Identifying],
    *,
    columns: Sequence[str],
    allowed: Mapping[str, str] | None = None,
) -> ReleaseReview:
    """Return the review of a release of which it is known which columns name people.

    Args:
        detail: what its method says of it.
        identifying: the columns that name people; of one named twice the first counts.
        columns: all that are released.
        allowed: by column why it may leave all the same.
    """
    permitted = check_allowed(allowed or {}, columns)
    declared = (Identifying(column=name, ground=Ground.DISTINCT) for name in _read_names(detail, "identifying"))
    by_name = {each.column: each for each in (*declared, *reversed(tuple(identifying)))}
    return ReleaseReview(
        identifying=tuple(by_name[name] for name in columns if name in by_name and name not in permitted),
        allowed={name: reason for name, reason in permitted.items() if name in by_name},
        needless=tuple(name for name in permitted if name not in by_name),
        derivable=_read_names(detail, "derivable"),
        derived=_read_derived(detail),
        noisy=_read_names(detail, "noisy"),
        useful=detail.get("useful") is not False,
        lost=cast("float | None", detail.get("ncp")),
        remarks=_read_names(detail, "warnings"),
    )


def _read_derived(detail: Mapping[str, object]) -> DerivedCells | None:
    figures = detail.get("downcode")
    if not isinstance(figures, Mapping):
        return None
    counts = cast("Mapping[str, int]", figures)
    return DerivedCells(cells=counts["cells"], narrowed=counts["narrowed"], known=counts["known"])


def check_allowed(allowed: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """Return allowed columns, having refused those that are not there and those without a reason."""
    names = tuple(columns)
    unknown = [name for name in allowed if name not in names]
    if unknown:
        raise ParameterError("allowed_columns", Said("be among {names}", names=", ".join(names)), ", ".join(unknown))
    for name, reason in allowed.items():
        check_allowance(name, reason)
    return dict(allowed)


def check_allowance(name: str, reason: str) -> None:
    """Refuse what is no reason why a column that names people may leave.

    Raises:
        ParameterError: it is no sentence.
    """
    if not is_reason(reason):
        rule = Said("be the reason why it may leave, in words of at least {least} letters", least=LEAST_REASON)
        raise ParameterError(f"allowed_columns.{name}", rule, reason)


def is_reason(text: str) -> bool:
    """Tell whether a text can be a sentence that gives a reason, not a single sign many times."""
    return len(text.strip()) >= LEAST_REASON and len(set(text)) >= FEWEST_SIGNS


def list_naming_columns(
    table: MaskedTable, *, labels: Mapping[str, Labels] | None = None, original: Dataset | None = None
) -> tuple[Identifying, ...]:
    """Return the columns of a table that name people; of a history, whether values are distinct person by person."""
    if table.pseudonym is None:
        return list_identifying(table, labels=labels)
    rows = [
        each
        for each in list_identifying(table, labels=labels, original=original)
        if each.ground is not Ground.DISTINCT or _all_differ(table, each.column)
    ]
    steady = _list_steady(table, table.pseudonym)
    people = table.take(np.unique(table.pseudonym, return_index=True)[1])
    own = [each for each in list_identifying(people) if each.ground is Ground.DISTINCT and each.column in steady]
    return tuple({each.column: each for each in (*own, *rows)}.values())


def _list_labelled(release: Release) -> frozenset[str]:
    """Return the columns of texts in which no cell shows its own values, but labels."""
    return frozenset(
        name
        for name, labels in release.labels.items()
        if isinstance(labels, pl.Series) and not labels.null_count() and not release.table.schema[name].kind.numeric
    )


def _list_listed(table: MaskedTable, labelled: frozenset[str]) -> Iterator[Identifying]:
    """Give the columns of records whose sets together list almost as many texts as there are people."""
    if table.pseudonym is not None or len(table) < FEWEST_RECORDS:  # rows of a history list what people did
        return
    for name in table.columns:
        cells = table.hold_once([name])[0][name]
        if not isinstance(cells, SetCells) or name in labelled or bool(cells.is_exact().all()):
            continue
        if np.count_nonzero(np.bincount(cells.codes)) >= IDENTIFYING_SHARE * len(table):
            yield Identifying(column=name, ground=Ground.DISTINCT)


def _list_lasting(
    named: Sequence[Identifying], released: MaskedTable, labelled: frozenset[str]
) -> tuple[Identifying, ...]:
    """Return the columns of an original that name people and still do as they are released."""
    return tuple(
        each
        for each in named
        if each.column in released.columns
        and not bool(released.hold_once([each.column])[0][each.column].suppressed.all())
        and (each.ground is not Ground.DISTINCT or _shows_texts(released, each.column, labelled))
    )


def _show_original(original: Dataset) -> MaskedTable:
    holder = original.schema.identifier
    if holder is None:
        return exact_table(original)
    return exact_table(original, pseudonym=original.frame[holder.name].rank("dense").cast(pl.Int64).to_numpy())


def _shows_texts(table: MaskedTable, name: str, labelled: frozenset[str]) -> bool:
    return table.schema[name].kind is Kind.CATEGORY and name not in labelled


def _all_differ(table: MaskedTable, name: str) -> bool:
    return len(np.unique(_read_values(table, name))) == len(table)


def _list_steady(table: MaskedTable, person: NDArray[np.int64]) -> set[str]:
    """Return the columns that are the same in all rows of nearly everybody who has several."""
    people, owner, rows = np.unique(person, return_inverse=True, return_counts=True)
    several = rows > 1
    if not several.any():
        return set(table.columns)
    first = np.zeros(len(people), dtype=np.intp)
    first[owner[::-1]] = np.arange(len(person))[::-1]
    steady: set[str] = set()
    for name, cells in table.columns.items():
        if not bool(cells.is_exact().all()):
            continue
        values = _read_values(table, name)
        same = np.ones(len(people), dtype=np.bool_)
        same[owner[values != values[first[owner]]]] = False
        if same[several].mean() >= IDENTIFYING_SHARE:
            steady.add(name)
    return steady


def _read_values(table: MaskedTable, name: str) -> NDArray[np.integer]:
    return table.numbers(name).lower if table.schema[name].kind.numeric else table.sets(name).codes


def _read_names(detail: Mapping[str, object], key: str) -> tuple[str, ...]:
    return tuple(cast("Sequence[str]", detail.get(key, ())))


def _say_identifying(each: Identifying) -> str:
    grounds = {
        Ground.HEADER: Said("its header says so ({sign})", sign=each.sign),
        Ground.CONTENT: Said("its values say so ({sign})", sign=each.sign),
        Ground.DISTINCT: Said("almost every value is distinct"),
    }
    return Said(
        "{column} names people: {ground}; leave it out, name it as the identifier, or allow it by name with a reason",
        column=each.column,
        ground=grounds[each.ground],
    )
