"""Published tables of the same people, read as rows of their joint histogram.

Each file has some of the dimensions, a count, and maybe a column of blocks (areas, say) that are asked one by one. A
code is a leaf of its dimension, a node of its tree (all leaves below) or the total. A dimension that a file lacks is
summed over. What is no number is hidden; a cell that a file does not have for a block says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.data.files.plain_files.numbers import POINT
from sekisho.errors import FaultsError, MissingColumnsError, ParameterError
from sekisho.tables.files.released import HIGH, LOW, read_numbers, split_ends
from sekisho.tables.files.rows import find_doubled
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.margins import names_margin
from sekisho.tables.model.table import Floats, Key, Mask
from sekisho.words import Said, name_setting

LARGEST = 1_000_000
"""So many joint cells at most: they are listed for every published cell."""
ALL = ""
"""The block of files without a column of blocks."""
BLOCK = name_setting("block")


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleTables:
    """Published cells of the same people.

    Attributes:
        dims: the dimensions.
        codes: the leaves of each.
        keys: of each published cell the number of its file and its codes.
        rows: a row for each published cell, a column for each joint cell.
        inner: the published cells that are no sums of others of their file.
        blocks: the names of the blocks.
        shown: the number shown of each published cell, by block; NaN where none is.
        low: what the files' own columns say that it is at least, minus infinity where nothing.
        high: at most.
        notices: how the files were read.
    """

    dims: tuple[str, ...]
    codes: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[int, Key], ...]
    rows: csr_array
    inner: Mask
    blocks: tuple[str, ...]
    shown: Floats
    low: Floats
    high: Floats
    notices: tuple[Said, ...]

    @property
    def sums(self) -> csr_array | None:
        """The published cells that each is the sum of, an inner one of itself; None if a file lacks some of them."""
        file, size = np.array([number for number, _ in self.keys]), np.diff(self.rows.indptr)
        shared = (self.rows @ self.rows.T).tocoo()
        one, two = shared.coords
        within = self.inner[two] & (file[one] == file[two]) & (shared.data == size[two])
        sums = csr_array((np.ones(int(within.sum())), (one[within], two[within])), shape=shared.shape)
        return sums if np.array_equal(sums @ size, size) else None

    def name_cell(self, at: int) -> str:
        """Return what a cell is called, the cells of the blocks standing one after another."""
        block, cell = divmod(at, len(self.keys))
        told = {dim: code for dim, code in zip(self.dims, self.keys[cell][1], strict=True) if code != ALL}
        name = self.blocks[block]
        return ", ".join([*([name] if name != ALL else []), *(f"{dim}={code}" for dim, code in told.items())])

    def count_truth(self, source: Path, form: TableForm, block: str) -> NDArray[np.int64]:
        """Return the joint histograms, by block, of a file of records.

        Raises:
            MissingColumnsError: a column is missing.
            ParameterError: a record has a code or a block that no table has.
        """
        frame = _take_columns(form.read_frame(source)[0], source, (*self.dims, *([block] if block else [])))
        names = frame[block] if block else pl.Series([ALL] * len(frame), dtype=pl.String)
        places = [_place(names, self.blocks), *(_place(frame[dim], codes) for dim, codes in self._axes)]
        strange = np.flatnonzero(np.min(places, axis=0) < 0)
        if strange.size:
            at = int(strange[0])
            rule = Said("have codes and blocks of the tables only, which row {row} has not", row=at + 1)
            told = [frame[name][at] for name in (*([block] if block else []), *self.dims)]
            raise ParameterError("microdata", rule, ",".join(told))
        out = np.zeros((len(self.blocks), self.rows.shape[1]), dtype=np.int64)
        np.add.at(out, (places[0], np.ravel_multi_index(tuple(places[1:]), tuple(map(len, self.codes)))), 1)
        return out

    @property
    def _axes(self) -> list[tuple[str, tuple[str, ...]]]:
        return list(zip(self.dims, self.codes, strict=True))


def _place(column: pl.Series, codes: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each text among some codes, -1 for none."""
    place = {code: at for at, code in enumerate(codes)}
    return column.replace_strict(place, default=-1, return_dtype=pl.Int64).to_numpy()


def read_people_tables(
    sources: Sequence[Path], form: TableForm, *, dims: Sequence[str], count: str, block: str = "", ends: bool = False
) -> PeopleTables:
    """Return the published cells of some files; with ``ends`` their columns ``low`` and ``high`` instead of a count.

    Raises:
        MissingColumnsError: a file has no count, no block, or none of the dimensions.
        FaultsError: a cell stands twice.
        ParameterError: a dimension is in no file, or there are too many joint cells.
    """
    numbers, beside = [LOW, HIGH] if ends else [count], [block] if block else []
    read = [form.read_frame(source, numbers, otherwise=POINT) for source in sources]
    frames = [
        _take_columns(frame, source, (*numbers, *beside)) for source, (frame, _) in zip(sources, read, strict=True)
    ]
    for source, frame in zip(sources, frames, strict=True):
        _refuse_doubled(source, frame, (*beside, *(dim for dim in dims if dim in frame.columns)), block)
    own = [[dim for dim in dims if dim in frame.columns] for frame in frames]
    codes = [_list_leaves(dim, frames, form) for dim in dims]
    size = int(np.prod([len(some) for some in codes]))
    if not 0 < size <= LARGEST:
        rule = Said("have at most {most:,} cells together, and each dimension some code", most=LARGEST)
        raise ParameterError("dims", rule, size)
    keys: dict[tuple[int, Key], int] = {}
    blocks: dict[str, int] = {}
    places: list[tuple[int, int]] = []
    for number, (frame, named) in enumerate(zip(frames, own, strict=True)):
        names = frame[block].to_list() if block else [ALL] * len(frame)
        columns = [frame[dim].to_list() if dim in named else [ALL] * len(frame) for dim in dims]
        for name, key in zip(names, zip(*columns, strict=True), strict=True):
            row = keys.setdefault((number, key), len(keys))
            places.append((blocks.setdefault(name, len(blocks)), row))
    told = np.full((len(numbers), len(blocks), len(keys)), np.nan)
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    told[:, at[:, 0], at[:, 1]] = [np.concatenate([read_numbers(frame[name]) for frame in frames]) for name in numbers]
    rows, inner = _lay_rows(dims, codes, form, tuple(keys))
    shown, low, high = split_ends(told)
    return PeopleTables(
        dims=tuple(dims),
        codes=tuple(codes),
        keys=tuple(keys),
        rows=rows,
        inner=inner,
        blocks=tuple(blocks),
        shown=shown,
        low=low,
        high=high,
        notices=tuple(notice for _, notice in read),
    )


def _refuse_doubled(source: Path, frame: pl.DataFrame, columns: Sequence[str], block: str) -> None:
    """Refuse a file in which a cell stands twice."""
    doubled = find_doubled(list(frame.select(columns).iter_rows()))
    if doubled:
        hint = "" if block else Said("a column of areas, each with its own table, is named by {block}", block=BLOCK)
        raise FaultsError(source, doubled, hint=hint)


def _lay_rows(
    dims: Sequence[str], codes: list[tuple[str, ...]], form: TableForm, keys: Sequence[tuple[int, Key]]
) -> tuple[csr_array, Mask]:
    """Return the joint cells of each published one, and which of these are no sums of others of their file."""
    spans = [
        {code: _span(dim, code, some, form) for code in {key[axis] for _, key in keys}}
        for axis, (dim, some) in enumerate(zip(dims, codes, strict=True))
    ]
    start, index = [0], list[NDArray[np.int64]]()
    shape = tuple(map(len, codes))
    for _, key in keys:
        grid = np.ix_(*(spans[axis][code] for axis, code in enumerate(key)))
        index.append(np.ravel_multi_index(grid, shape).ravel())
        start.append(start[-1] + len(index[-1]))
    rows = csr_array(
        (np.ones(start[-1], dtype=np.int64), np.concatenate(index), np.array(start)),
        shape=(len(keys), int(np.prod(shape))),
    )
    return rows, _find_inner(spans, keys)


def _find_inner(spans: list[dict[str, NDArray[np.int64]]], keys: Sequence[tuple[int, Key]]) -> Mask:
    """Return the cells none of whose codes has another code of the same file below it."""
    used: dict[tuple[int, int], set[str]] = {}
    for number, key in keys:
        for axis, code in enumerate(key):
            used.setdefault((number, axis), set()).add(code)
    upper = {
        (number, axis, code)
        for (number, axis), some in used.items()
        for code in some
        if any(
            len(spans[axis][other]) < len(spans[axis][code]) and _is_below(spans[axis], other, code) for other in some
        )
    }
    return np.array([all((number, axis, code) not in upper for axis, code in enumerate(key)) for number, key in keys])


def _is_below(spans: Mapping[str, NDArray[np.int64]], one: str, other: str) -> bool:
    return bool(np.isin(spans[one], spans[other]).all())


def _take_columns(frame: pl.DataFrame, source: Path, needed: Sequence[str]) -> pl.DataFrame:
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise MissingColumnsError(source, missing, frame.columns)
    return frame.select(pl.all().cast(pl.String).fill_null("").str.strip_chars())


def _is_total(dim: str, code: str, form: TableForm) -> bool:
    said = form.margins.of.get(dim, form.margins.everywhere)
    return code in {ALL, said} or (said is None and names_margin(code))


def _list_leaves(dim: str, frames: Sequence[pl.DataFrame], form: TableForm) -> tuple[str, ...]:
    """Return the leaves of a dimension: of its tree, or all codes that are no total."""
    if dim in form.trees:
        return form.trees[dim].tree.leaves
    having = [frame[dim] for frame in frames if dim in frame.columns]
    found = dict.fromkeys(code for column in having for code in column.unique(maintain_order=True))
    return tuple(code for code in found if not _is_total(dim, code, form))


def _span(dim: str, code: str, leaves: Sequence[str], form: TableForm) -> NDArray[np.int64]:
    """Return the places of the leaves that a code stands for.

    Raises:
        ParameterError: the tree does not have it.
    """
    place = {leaf: at for at, leaf in enumerate(leaves)}
    if code in place:
        return np.array([place[code]], dtype=np.int64)
    if _is_total(dim, code, form):
        return np.arange(len(leaves))
    below = form.trees[dim].spans.get(code) if dim in form.trees else None
    if not below:
        raise ParameterError("tree", Said("have the code {code!r} of {dim}", code=code, dim=dim), dim)
    return np.array(sorted(place[leaf] for leaf in below), dtype=np.int64)
