"""Public boxes as classes: a record goes into the box that admits it, whatever the others are.

The boxes come from a file that anybody may know before the records are seen: an earlier release, a grid, labels of
trees. A row of it is a box; its cells are values, ranges ``[low;high]``, sets ``{a;b}``, labels of a category's tree,
or ``*``. No two boxes may have a record in common, so that each record's box hangs on the record alone; rows in boxes
of fewer than k records, and rows in none, are left out. Then nothing is learnt from which boxes there are
(docs/proofs/downcoding.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import read_table
from sekisho.data.frame.cells import Cells, RangeCells, drop_gaps, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_column import PLAIN
from sekisho.errors import InputError, ParameterError
from sekisho.words import Said

STAR = "*"
MOST_BOXES = 20_000
"""All pairs of boxes are compared, so there may not be more."""
WIDE = np.int64(1) << 61
"""Beyond every number of a grid."""
MOST_LOOKS = 1 << 24
"""So many pairs of a record and a box are looked at at a time."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxKey:
    """One key of the boxes.

    Attributes:
        name: of the key.
        texts: the distinct cells.
        which: of each box, which of them it has.
        admits: cells by codes of the data, whether the cell admits the value.
        meet: cells by cells, whether they have a value in common, one that the data lack too.
        cells: what each distinct cell admits of the data's values.
        cost: the certainty penalty of each.
    """

    name: str
    texts: tuple[str, ...]
    which: NDArray[np.int64]
    admits: NDArray[np.bool_]
    meet: NDArray[np.bool_]
    cells: Cells
    cost: NDArray[np.float64]


def read_boxes(path: Path, data: Dataset, keys: Sequence[str], trees: Mapping[str, Tree]) -> tuple[BoxKey, ...]:
    """Return public boxes, read beside the data that are to be put into them.

    Raises:
        InputError: the file lacks a key, has a cell that means nothing, or has too many boxes.
        ParameterError: two boxes have a record in common.
    """
    frame = read_table(path, CsvForm()).frame
    missing = [name for name in keys if name not in frame.columns]
    if missing:
        raise InputError(path, Said("has no column {names}", names=", ".join(missing)))
    boxes = frame.select(pl.col(name).cast(pl.String).fill_null("") for name in keys).unique(maintain_order=True)
    if not 0 < boxes.height <= MOST_BOXES:
        raise InputError(
            path, Said("must have 1 to {most:,} boxes, not {boxes:,}", most=MOST_BOXES, boxes=boxes.height)
        )
    read = tuple(_read_key(path, boxes[name], data, trees.get(name)) for name in keys)
    _refuse_common(path, read)
    return read


def _read_key(path: Path, texts: pl.Series, data: Dataset, tree: Tree | None) -> BoxKey:
    distinct = texts.unique(maintain_order=True)
    place = {text: number for number, text in enumerate(distinct.to_list())}
    which = np.array([place[text] for text in texts.to_list()], dtype=np.int64)
    if data.schema[texts.name].kind.numeric:
        return _read_numbers(path, distinct, which, data)
    return _read_values(path, distinct, which, data, tree)


def _read_numbers(path: Path, texts: pl.Series, which: NDArray[np.int64], data: Dataset) -> BoxKey:
    column = data.schema[texts.name]
    inner = texts.str.strip_prefix("[").str.strip_suffix("]")
    parts = inner.str.split(";")
    (low, low_read), (high, high_read) = (
        PLAIN.read(ends.fill_null(""), column.kind, column.decimals) for ends in (parts.list.first(), parts.list.last())
    )
    star = (texts == STAR).to_numpy()
    _refuse_unread(path, texts, star | (low_read & high_read & (low <= high)))
    low, high = np.where(star, -WIDE, low), np.where(star, WIDE, high)
    values = np.unique(data.grid(texts.name))
    admits = ((low[:, None] <= values) & (values <= high[:, None])) | star[:, None]
    numbers = drop_gaps(values)
    span = float(numbers[-1] - numbers[0]) if len(numbers) > 1 else 1.0
    cells = RangeCells(lower=np.where(star, 0, low), upper=np.where(star, 0, high), suppressed=star)
    return BoxKey(
        name=texts.name,
        texts=tuple(texts.to_list()),
        which=which,
        admits=admits,
        meet=(low[:, None] <= high) & (low <= high[:, None]),
        cells=cells,
        cost=np.where(star, 1.0, np.minimum(1.0, (cells.upper - cells.lower) / span)),
    )


def _read_values(path: Path, texts: pl.Series, which: NDArray[np.int64], data: Dataset, tree: Tree | None) -> BoxKey:
    domain = data.domain(texts.name)
    below = {} if tree is None else _list_leaves(tree)
    named = [
        None if text == STAR and text not in domain else below.get(text) or _split_set(text) for text in texts.to_list()
    ]
    leaves = {leaf for values in below.values() for leaf in values}
    _refuse_unread(path, texts, np.array([tree is None or one is None or set(one) <= leaves for one in named]))
    values = sorted({*domain, *leaves, *(value for one in named if one is not None for value in one)})
    at = {value: number for number, value in enumerate(values)}
    holds = np.zeros((len(named), len(values) + 1), dtype=np.bool_)  # the last: a value that nobody names
    for number, one in enumerate(named):
        holds[number, [at[value] for value in one] if one is not None else slice(None)] = True
    admits = holds[:, [at[value] for value in domain]]
    rows, codes = np.nonzero(admits)
    every = len(leaves) if leaves else len(domain)
    return BoxKey(
        name=texts.name,
        texts=tuple(texts.to_list()),
        which=which,
        admits=admits,
        meet=holds.astype(np.float32) @ holds.T.astype(np.float32) > 0,
        cells=gather_sets(rows.astype(np.int64), codes.astype(np.int32), len(named), domain),
        cost=np.minimum(1.0, (holds[:, :-1].sum(axis=1) - 1.0) / max(1, every - 1)),
    )


def _split_set(text: str) -> tuple[str, ...]:
    return tuple(text[1:-1].split(";")) if text[:1] == "{" and text[-1:] == "}" else (text,)


def _list_leaves(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Return the leaves under each label of a tree."""
    below: dict[str, tuple[str, ...]] = {}
    for place in reversed(range(len(tree.codes))):
        code = tree.codes[place]
        below.setdefault(code, (code,))
        if tree.parents[place] >= 0:
            above = tree.codes[tree.parents[place]]
            below[above] = (*below.get(above, ()), *below[code])
    return below


def _refuse_unread(path: Path, texts: pl.Series, readable: NDArray[np.bool_]) -> None:
    if not readable.all():
        wrong = texts.to_list()[int(np.argmin(readable))]
        raise InputError(
            path, Said("column {name}: {value!r} is no value, range, set or label", name=texts.name, value=wrong)
        )


def _refuse_common(path: Path, keys: Sequence[BoxKey]) -> None:
    boxes = len(keys[0].which)
    step = max(1, MOST_LOOKS // boxes)
    for begin in range(0, boxes, step):
        meet = np.ones((min(step, boxes - begin), boxes), dtype=np.bool_)
        for key in keys:
            meet &= key.meet[np.ix_(key.which[begin : begin + step], key.which)]
        one, other = np.nonzero(meet)
        pairs = np.flatnonzero(one + begin < other)
        if len(pairs):
            first, second = int(one[pairs[0]]) + begin, int(other[pairs[0]])
            both = [", ".join(key.texts[key.which[box]] for key in keys) for box in (first, second)]
            rule = Said("have no two boxes with a record in common ({one} and {other})", one=both[0], other=both[1])
            raise ParameterError("boxes", rule, str(path))


def put_into_boxes(data: Dataset, keys: Sequence[BoxKey]) -> NDArray[np.int64]:
    """Return the box of each record, -1 where none admits it."""
    codes = [_code_values(data, key.name) for key in keys]
    distinct, which = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    boxes = len(keys[0].which)
    owner, step = np.full(len(distinct), -1, dtype=np.int64), max(1, MOST_LOOKS // boxes)
    for begin in range(0, len(distinct), step):
        some = distinct[begin : begin + step]
        inside = np.ones((len(some), boxes), dtype=np.bool_)
        for place, key in enumerate(keys):
            inside &= key.admits[:, some[:, place]][key.which].T
        owner[begin : begin + step] = np.where(inside.any(axis=1), inside.argmax(axis=1), -1)
    return owner[which.reshape(-1)]


def _code_values(data: Dataset, name: str) -> NDArray[np.int64]:
    if data.schema[name].kind.numeric:
        return np.unique(data.grid(name), return_inverse=True)[1].reshape(-1).astype(np.int64)
    return data.codes(name).astype(np.int64)
