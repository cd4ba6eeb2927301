"""Two releases taken apart: the rows that stand in one public file and not in the other are classes of their own.

Whoever keeps both files strikes out, row by row, what stands in both. What is left of the earlier file holds the rows
of those who are no longer there, what is left of the later one the rows of those who came, unless a row of somebody
else took their place; those who are in both and were written anew stand on both sides. Who attacks knows the keys of a
person at each time and which releases the person is in, and takes everybody who may be written alike in both files to
be written alike. Where that is not so his conclusion may be wrong, and the release is judged all the same.

Three things are counted, over the columns that both files have:

- *rows*: a side that is not empty and has fewer than the wanted rows, or shows one known value of a secret column;
- *values*: where fewer than the wanted people left (or came), the values of a secret column by themselves, whatever was
  done to the keys: they differ by no more than these people;
- *people*: of everybody who is in one of the releases only, or cannot be written alike in both, the rows of that side
  that fit their keys; fewer than wanted but not none, or one known value in them.

Source: difference attacks on releases that follow one another: Byun, Sohn, Bertino, Li, "Secure anonymization for
incremental datasets", SDM 2006; Xiao, Tao, "m-invariance", SIGMOD 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.safety.records.joint.differences import DifferenceSide, ReleaseDifference
from sekisho.safety.records.joint.known import FittingClasses

UNKNOWN_TEXTS = ("", "*", "NA")
"""Cells that tell no value."""
SEVERAL_VALUES = r"^(\[.*;.*\]|\{.*;.*\}|(>=|<=|<).+)$"
"""How a cell of several values is written."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittingPeople:
    """Who is in a release, and which of its classes admit their keys.

    Attributes:
        names: of the people, each once: digests, or numbers.
        fits: the classes that admit the keys of each.
    """

    names: NDArray[np.generic]
    fits: FittingClasses


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedTexts:
    """A release as its public file has it.

    Attributes:
        texts: the cells of its rows, as they are written.
        keys: the columns that others may know.
        classes: the class of each row, as the people's fitting classes number them.
        people: who is in it; None where nobody says so.
    """

    texts: pl.DataFrame
    keys: tuple[str, ...]
    classes: NDArray[np.int64]
    people: FittingPeople | None = None


def take_apart(
    earlier: PublishedTexts, later: PublishedTexts, *, sensitive: Sequence[str], wanted: int
) -> ReleaseDifference:
    """Return what two releases give away by the rows that they do not share.

    Args:
        earlier: the first release.
        later: the second one.
        sensitive: the columns whose values must stay hidden.
        wanted: so many rows a side must have.
    """
    names = [name for name in earlier.texts.columns if name in later.texts.columns]
    if not names:
        return ReleaseDifference(wanted=wanted)
    texts = tuple(_write_alike(release.texts, names) for release in (earlier, later))
    secrets = [name for name in sensitive if name in names]
    keys = [name for name in names if name in earlier.keys and name in later.keys]
    sides = _split_sides(texts, names, keys, secrets)
    left, came = _count_people(earlier.people, later.people)
    described = [
        DifferenceSide(
            rows=int(side.count.sum()),
            settled=side.list_settled(secrets),
            people=people,
            told_by_values=_list_told(texts if place == 0 else texts[::-1], secrets, people, wanted),
        )
        for place, (side, people) in enumerate(zip(sides, (left, came), strict=True))
    ]
    if earlier.people is None or later.people is None:
        figures = _count_classes(sides, wanted)
    else:
        figures = _count_pinned((earlier, later), sides, wanted)
    return ReleaseDifference(
        gone=described[0],
        come=described[1],
        wanted=wanted,
        few=figures[0],
        settled=figures[1],
        least=figures[2],
        by_people=earlier.people is not None and later.people is not None,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Side:
    """The rows of one file only, by their distinct texts.

    Attributes:
        count: how many rows of each distinct text stand here beyond those of the other file; none is 0.
        label: of each distinct text the number of its keys' texts, which both files share.
        labels: of each row of the file the same.
        values: of each secret column and distinct text the number of its value; -1 of an unknown one.
        exact: of each secret column and distinct text, whether its cell holds one value.
    """

    count: NDArray[np.int64]
    label: NDArray[np.int64]
    labels: NDArray[np.int64]
    values: tuple[NDArray[np.int64], ...]
    exact: tuple[NDArray[np.bool_], ...]

    def list_settled(self, secrets: Sequence[str]) -> tuple[str, ...]:
        """Return the secret columns of which these rows show one known value."""
        here = np.zeros(len(self.count), dtype=np.int64)
        present = self.count > 0
        flags = self.find_settled(here[present], np.flatnonzero(present), 1)
        return tuple(name for name, flag in zip(secrets, flags, strict=True) if bool(flag[0]))

    def find_settled(self, owner: NDArray[np.int64], kind: NDArray[np.intp], owners: int) -> list[NDArray[np.bool_]]:
        """Return by secret column which owners of distinct texts see one known value among theirs.

        Args:
            owner: of each pair, from 0.
            kind: the distinct text of each pair.
            owners: how many owners there are.
        """
        flags: list[NDArray[np.bool_]] = []
        for values, exact in zip(self.values, self.exact, strict=True):
            known = values[kind] >= 0
            width = int(values.max(initial=0)) + 1
            pairs = np.unique(owner[known] * width + values[kind][known])
            distinct = np.bincount(pairs // width, minlength=owners)
            vague = np.bincount(owner[known], weights=~exact[kind][known], minlength=owners)
            flags.append((distinct == 1) & (vague == 0))
        return flags


def _write_alike(texts: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return columns with equal cells written alike: missing ones empty, a range of one value as the value."""
    low, high = r"^\[(.*);.*\]$", r"^\[.*;(.*)\]$"
    columns: list[pl.Series] = []
    for name in names:
        cells = texts[name].cast(pl.String).fill_null("").str.strip_chars()
        point = (cells.str.extract(low) == cells.str.extract(high)).fill_null(value=False)
        columns.append(cells.zip_with(~point, cells.str.extract(low)))
    return pl.DataFrame(columns)


def _number_rows(texts: Sequence[pl.DataFrame], names: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return for each row of each file a number from 0 on, the same where the texts of the columns are."""
    heights = [frame.height for frame in texts]
    number = np.zeros(sum(heights), dtype=np.int64)
    for name in names:
        codes = pl.concat([frame[name] for frame in texts]).rank("dense").to_numpy().astype(np.int64)
        joined = number * (int(codes.max(initial=0)) + 1) + codes
        number = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.split(number, np.cumsum(heights)[:-1])


def _split_sides(
    texts: Sequence[pl.DataFrame], names: Sequence[str], keys: Sequence[str], secrets: Sequence[str]
) -> tuple[_Side, _Side]:
    kinds = _number_rows(texts, names)
    labels = _number_rows(texts, keys)
    every = np.concatenate(kinds)
    size = int(every.max(initial=-1)) + 1
    label = np.zeros(size, dtype=np.int64)
    label[every] = np.concatenate(labels)
    values: list[NDArray[np.int64]] = []
    exact: list[NDArray[np.bool_]] = []
    for name in secrets:
        cells = pl.concat([frame[name] for frame in texts])
        value, plain = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.bool_)
        unknown = cells.is_in(list(UNKNOWN_TEXTS)).to_numpy()
        value[every] = np.where(unknown, -1, cells.rank("dense").to_numpy().astype(np.int64))
        plain[every] = ~cells.str.contains(SEVERAL_VALUES).to_numpy()
        values.append(value)
        exact.append(plain)
    surplus = np.bincount(kinds[0], minlength=size) - np.bincount(kinds[1], minlength=size)
    first, second = (
        _Side(
            count=np.maximum(beyond, 0).astype(np.int64),
            label=label,
            labels=rows,
            values=tuple(values),
            exact=tuple(exact),
        )
        for beyond, rows in zip((surplus, -surplus), labels, strict=True)
    )
    return first, second


def _count_people(earlier: FittingPeople | None, later: FittingPeople | None) -> tuple[int | None, int | None]:
    """Return how many people are in the earlier release only, and in the later one only."""
    if earlier is None or later is None:
        return None, None
    left = np.setdiff1d(earlier.names, later.names)
    return len(left), len(np.setdiff1d(later.names, earlier.names))


def _list_told(
    texts: Sequence[pl.DataFrame], secrets: Sequence[str], people: int | None, wanted: int
) -> tuple[str, ...]:
    """Return the secret columns of which the first file has values beyond the second, of no more rows than few people.

    The values of those who are in both are struck out, whatever was done to their keys; where more rows differ than
    people left, values of others changed as well, and nothing is concluded.
    """
    if people is None or not 0 < people < wanted:
        return ()
    told: list[str] = []
    for name in secrets:
        first, second = _number_rows(texts, [name])
        size = int(max(first.max(initial=-1), second.max(initial=-1))) + 1
        surplus = np.bincount(first, minlength=size) - np.bincount(second, minlength=size)
        known = np.ones(size, dtype=np.bool_)
        cells = pl.concat([frame[name] for frame in texts])
        known[np.concatenate([first, second])] = ~cells.is_in(list(UNKNOWN_TEXTS)).to_numpy()
        beyond = np.maximum(surplus, 0)
        if bool(beyond[known].any()) and int(beyond.sum()) <= people:
            told.append(name)
    return tuple(told)


def _count_classes(sides: tuple[_Side, _Side], wanted: int) -> tuple[int, int, int | None]:
    """Return how many classes of the sides are smaller than wanted, how many show one value, and the least one."""
    few = settled = 0
    least: list[int] = []
    for side in sides:
        kinds = np.flatnonzero(side.count > 0)
        if not len(kinds):
            continue
        classes, owner = np.unique(side.label[kinds], return_inverse=True)
        owner = owner.reshape(-1).astype(np.int64)
        sizes = np.bincount(owner, weights=side.count[kinds], minlength=len(classes)).astype(np.int64)
        single = _join_flags(side.find_settled(owner, kinds, len(classes)), len(classes))
        few += int((sizes < wanted).sum())
        settled += int((single & (sizes >= wanted)).sum())
        least.append(int(sizes.min()))
    return few, settled, min(least, default=None)


def _join_flags(flags: Sequence[NDArray[np.bool_]], size: int) -> NDArray[np.bool_]:
    return np.logical_or.reduce([np.zeros(size, dtype=np.bool_), *flags])


def _count_pinned(
    releases: tuple[PublishedTexts, PublishedTexts], sides: tuple[_Side, _Side], wanted: int
) -> tuple[int, int, int | None]:
    """Return how many people have few fitting rows on a side, how many rows of one value, and the fewest rows."""
    pairs = [_list_labels(release, side) for release, side in zip(releases, sides, strict=True)]
    people = [release.people for release in releases]
    names = [np.zeros(0, dtype=np.int64) if who is None else who.names for who in people]
    asked = _find_asked(names, pairs)
    few, settled, least = list[NDArray[np.generic]](), list[NDArray[np.generic]](), list[int]()
    for known, side, (person, label), mask in zip(names, sides, pairs, asked, strict=True):
        size = int(max(side.label.max(initial=-1), label.max(initial=-1))) + 1
        by_label = np.bincount(side.label, weights=side.count, minlength=size).astype(np.int64)
        rows = np.bincount(person, weights=by_label[label], minlength=len(known)).astype(np.int64)
        seen = mask & (rows > 0)
        small = seen & (rows < wanted)
        single = seen & ~small & _find_settled_people(side, person, label, len(known))
        few.append(known[small])
        settled.append(known[single])
        least += [int(rows[seen].min())] if bool(seen.any()) else []
    pinned = np.unique(np.concatenate(few))
    return len(pinned), len(np.setdiff1d(np.concatenate(settled), pinned)), min(least, default=None)


def _list_labels(release: PublishedTexts, side: _Side) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of a person and a fitting class, classes being numbered by what both files write of the keys."""
    if release.people is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    fits = release.people.fits
    number = np.zeros(int(max(release.classes.max(initial=-1), fits.classes.max(initial=-1))) + 1, dtype=np.int64)
    number[release.classes] = side.labels
    person = np.repeat(np.arange(len(fits)), np.diff(fits.first))
    width = int(number.max(initial=0)) + 1
    distinct = np.unique(person * width + number[fits.classes])
    return distinct // width, distinct % width


def _find_asked(
    names: Sequence[NDArray[np.generic]], pairs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell for each release whose rows must stand on its side: who is in it only, or cannot be written alike."""
    both, first, second = np.intersect1d(names[0], names[1], assume_unique=True, return_indices=True)
    place = [np.full(len(who), -1, dtype=np.int64) for who in names]
    place[0][first], place[1][second] = np.arange(len(both)), np.arange(len(both))
    width = 1 + max(int(label.max(initial=0)) for _, label in pairs)
    shared: list[NDArray[np.int64]] = []
    for at, (person, label) in zip(place, pairs, strict=True):
        here = at[person] >= 0
        shared.append(at[person][here] * width + label[here])
    alike = np.zeros(len(both), dtype=np.bool_)
    alike[np.intersect1d(shared[0], shared[1]) // width] = True
    asked = [np.where(at >= 0, ~alike[np.maximum(at, 0)] if len(both) else False, True) for at in place]
    return asked[0], asked[1]


def _find_settled_people(
    side: _Side, person: NDArray[np.int64], label: NDArray[np.int64], people: int
) -> NDArray[np.bool_]:
    """Tell who sees one known value of a secret column among the rows of a side that fit their keys."""
    kinds = np.flatnonzero(side.count > 0)
    kinds = kinds[np.argsort(side.label[kinds], kind="stable")]
    start = np.searchsorted(side.label[kinds], label)
    sizes = np.searchsorted(side.label[kinds], label, side="right") - start
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    owner = np.repeat(person, sizes)
    return _join_flags(side.find_settled(owner, kinds[np.repeat(start, sizes) + within], people), people)
