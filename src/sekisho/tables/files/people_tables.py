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

from sekisho.errors import MissingColumnsError, ParameterError
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.margins import names_margin
from sekisho.tables.model.table import Floats, Key, Mask
from sekisho.words import Said

LARGEST = 1_000_000
"""So many joint cells at most: they are listed for every published cell."""
ALL = ""
"""The block of files without a column of blocks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PeopleTables:
    """Published cells of the same people.

    Attributes:
        dims: the dimensions.
        codes: the leaves of each.
        rows: a row for each published cell, a column for each joint cell.
        inner: the published cells that are no sums of others of their file.
        blocks: the names of the blocks.
        shown: the number shown of each published cell, by block; NaN where none is.
    """

    dims: tuple[str, ...]
    codes: tuple[tuple[str, ...], ...]
    rows: csr_array
    inner: Mask
    blocks: tuple[str, ...]
    shown: Floats

    def count_truth(self, source: Path, form: TableForm, block: str) -> NDArray[np.int64]:
        """Return the joint histograms, by block, of a file of records.

        Raises:
            MissingColumnsError: a column is missing.
            ParameterError: a record has a code or a block that no table has.
        """
        frame = _read_columns(source, form, (*self.dims, *([block] if block else [])))
        names = frame[block] if block else pl.Series([ALL] * len(frame), dtype=pl.String)
        places = [_place(names, self.blocks), *(_place(frame[dim], codes) for dim, codes in self._axes)]
        strange = np.flatnonzero(np.min(places, axis=0) < 0)
        if strange.size:
            rule = Said("have codes and blocks of the tables only")
            raise ParameterError("microdata", rule, ",".join(map(str, frame.row(int(strange[0])))))
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
    sources: Sequence[Path], form: TableForm, *, dims: Sequence[str], count: str, block: str = ""
) -> PeopleTables:
    """Return the published cells of some files.

    Raises:
        MissingColumnsError: a file has no count, no block, or none of the dimensions.
        ParameterError: a dimension is in no file, a cell stands twice, or there are too many joint cells.
    """
    frames = [_read_columns(source, form, (count, *([block] if block else []))) for source in sources]
    own = [[dim for dim in dims if dim in frame.columns] for frame in frames]
    codes = [_list_leaves(dim, frames, form) for dim in dims]
    size = int(np.prod([len(some) for some in codes]))
    if not 0 < size <= LARGEST:
        rule = Said("have at most {most:,} cells together, and each dimension some code", most=LARGEST)
        raise ParameterError("dims", rule, size)
    keys: dict[tuple[int, Key], int] = {}
    blocks: dict[str, int] = {}
    lines: list[tuple[int, int, float]] = []
    for number, (frame, named) in enumerate(zip(frames, own, strict=True)):
        values = frame[count].cast(pl.Float64, strict=False).fill_null(np.nan).to_list()
        names = frame[block].to_list() if block else [ALL] * len(frame)
        columns = [frame[dim].to_list() if dim in named else [ALL] * len(frame) for dim in dims]
        for value, name, key in zip(values, names, zip(*columns, strict=True), strict=True):
            row = keys.setdefault((number, key), len(keys))
            lines.append((blocks.setdefault(name, len(blocks)), row, value))
    return _build(dims, codes, form, keys, blocks, lines)


def _build(
    dims: Sequence[str],
    codes: list[tuple[str, ...]],
    form: TableForm,
    keys: Mapping[tuple[int, Key], int],
    blocks: Mapping[str, int],
    lines: list[tuple[int, int, float]],
) -> PeopleTables:
    shown = np.full((len(blocks), len(keys)), np.nan)
    told = np.array([(at, row) for at, row, _ in lines], dtype=np.int64).reshape(-1, 2)
    if len(np.unique(told, axis=0)) < len(told):
        raise ParameterError("tables", Said("have each cell once in each block"), len(told))
    shown[told[:, 0], told[:, 1]] = [value for _, _, value in lines]
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
    inner = np.array(
        [all(len(spans[axis][code]) == 1 or code == ALL for axis, code in enumerate(key)) for _, key in keys]
    )
    return PeopleTables(dims=tuple(dims), codes=tuple(codes), rows=rows, inner=inner, blocks=tuple(blocks), shown=shown)


def _read_columns(source: Path, form: TableForm, needed: Sequence[str]) -> pl.DataFrame:
    frame, _ = form.read_frame(source)
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
