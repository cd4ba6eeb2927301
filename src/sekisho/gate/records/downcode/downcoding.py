"""What can be worked out of the cells of a release, asked of a method by its name.

An attack never sees a method's code; what needs both, such as how far a vector of levels is from being another one,
stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, Knows, Roster
from sekisho.attack.records.downcode.spanned import downcode_spanned, read_spanned_cells
from sekisho.attack.records.downcode.suppressed import (
    HIDDEN,
    HiddenCells,
    downcode_suppressed,
    read_hidden_cells,
    sum_listed,
)
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.records.downcode.diversity_downcoding import downcode_diversity
from sekisho.gate.records.downcode.lattice_downcoding import downcode_lattice, read_lattice_cells
from sekisho.parameters import checked
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure
from sekisho.protect.records.suppress import Matching, hide_until_alike, hide_until_matched
from sekisho.words import Said

MOST_RUNS = 20_000
"""So many originals are put through a program at most."""


class Recoder(StrEnum):
    """The methods whose cells are looked at."""

    SUPPRESS = "suppress"
    LATTICE = "lattice"
    PARTITION = "partition"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DowncodeQuestion:
    """How a release was made, and what the adversary knows.

    Attributes:
        method: that made it.
        keys: whose cells are looked at.
        k: of the method.
        matching: of suppress, what a hidden cell matches.
        knows: what he knows of the method.
        roster: what he knows of people.
        tree: by key its tree.
        suppress: of lattice, the largest share of records left out.
        measure: of lattice, what was minimised.
        sensitive: of lattice beside ``all``, the column that l speaks of; as the schema says if empty.
        distinct: l, the least number of distinct sensitive values of a class.
    """

    method: Recoder
    keys: tuple[str, ...]
    k: int
    matching: Matching = Matching.ANY
    knows: Knows = Knows.LEAST
    roster: Roster = Roster.ONE
    tree: Mapping[str, Path | Tree] = field(default_factory=dict[str, Path | Tree])
    suppress: Fraction = Fraction(0)
    measure: LatticeMeasure = LatticeMeasure.NCP
    sensitive: str = ""
    distinct: float | None = None

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        if not self.keys:
            raise ParameterError("keys", Said("be one column or more, each named once"), list(self.keys))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenRelease:
    """A release as it is attacked.

    Attributes:
        table: what is published.
        known: the original, or the values that the release itself names.
        rows: the row of the original that each published one was; None where nobody knows.
        original: whether what is known is the original itself.
    """

    table: MaskedTable
    known: Dataset
    rows: NDArray[np.int64] | None = None
    original: bool = True

    @classmethod
    def of_release(cls, release: Release, original: Dataset) -> SeenRelease:
        """Return a release beside its original, row by row."""
        kept = np.flatnonzero(~release.deleted)
        return cls(table=release.table.take(kept), known=original, rows=kept)


def downcode(question: DowncodeQuestion, seen: SeenRelease) -> Downcoded:
    """Return what the cells of a release still can be.

    Raises:
        ParameterError: a key is unknown, or what is asked does not suit the method.
    """
    unknown = [name for name in question.keys if name not in seen.table.columns]
    if unknown:
        names = ", ".join(seen.table.columns)
        raise ParameterError("keys", Said("be among the columns {names}", names=names), unknown)
    if question.roster is Roster.ALL and (question.method is not Recoder.LATTICE or question.distinct is None):
        rule = Said("be one or others without l: to one who knows everybody's keys no cell of a key is hidden")
        raise ParameterError("people", rule, question.roster.value)
    if question.distinct is not None and question.roster is not Roster.ALL:
        raise ParameterError("people", Said("be all beside l: sensitive values are asked about"), question.roster.value)
    if question.knows is Knows.TIE and question.method is Recoder.SUPPRESS:
        return _run_program(question, seen)
    if question.knows is Knows.TIE:
        raise ParameterError("knows", Said("be rule or least for {method}", method=question.method), question.knows)
    if question.method is Recoder.PARTITION:
        return _downcode_spanned(question, seen)
    if question.method is Recoder.LATTICE:
        return _downcode_lattice(question, seen)
    return _downcode_suppressed(question, seen)


def _downcode_spanned(question: DowncodeQuestion, seen: SeenRelease) -> Downcoded:
    if question.roster is Roster.OTHERS and seen.rows is None:
        rule = Said("be one where nobody says which row of the release is whose")
        raise ParameterError("people", rule, question.roster.value)
    trees = read_trees(question.tree)
    cells = read_spanned_cells(seen.table, seen.known, question.keys, trees, seen.rows)
    return downcode_spanned(cells, roster=question.roster)


def _downcode_lattice(question: DowncodeQuestion, seen: SeenRelease) -> Downcoded:
    if not seen.original:
        raise ParameterError("original", Said("be given for lattice: whether a vector is the best hangs on it"), None)
    trees = read_trees(question.tree)
    method = Lattice(
        keys=question.keys,
        k=question.k,
        tree=trees,
        suppress=question.suppress,
        measure=question.measure,
        sensitive=question.sensitive,
        l=question.distinct,
    )
    if question.roster is Roster.ALL:
        return downcode_diversity(method, seen.known, knows=question.knows)
    cells = read_lattice_cells(method, seen.known, trees)
    if len(cells.rows) != len(seen.table):
        rule = Said("be what lattice makes of the original with these parameters ({rows:,} rows)", rows=len(cells.rows))
        raise ParameterError("published", rule, len(seen.table))
    return downcode_lattice(method, cells, knows=question.knows, roster=question.roster)


def read_trees(trees: Mapping[str, Path | Tree]) -> dict[str, Tree]:
    """Return trees, those of files read."""
    return {name: tree if isinstance(tree, Tree) else read_tree(tree) for name, tree in trees.items()}


def _run_program(question: DowncodeQuestion, seen: SeenRelease) -> Downcoded:
    """Return what is left for one who puts every original that the rule leaves through the program itself."""
    hidden = _read_hidden(question, seen)
    gaps = np.argwhere(hidden.codes == HIDDEN)
    ways = prod(hidden.domains[key] for key in gaps[:, 1].tolist())
    if ways > MOST_RUNS:
        rule = Said("be rule or least: {ways} originals are too many to put through the program", ways=f"{ways:.3g}")
        raise ParameterError("knows", rule, question.knows.value)
    hide = hide_until_matched if question.matching is Matching.ANY else hide_until_alike
    seen_rows = sorted(map(tuple, hidden.codes.tolist()))
    left = [np.zeros(hidden.domains[key], dtype=np.int64) for key in gaps[:, 1].tolist()]
    for values in product(*(range(hidden.domains[key]) for key in gaps[:, 1].tolist())):
        original = hidden.codes.copy()
        original[tuple(gaps.T)] = values
        marks = hide(np.ascontiguousarray(original), [1.0] * len(question.keys), question.k)
        written = np.where(marks, HIDDEN, original)
        if sorted(map(tuple, written.tolist())) == seen_rows:  # the order of the rows tells nothing
            for counts, value in zip(left, values, strict=True):
                counts[value] += 1
    return sum_listed(hidden, gaps, left)


def add_downcode(release: Release, original: Dataset) -> Release:
    """Return a release of local suppression with what can be worked out of its hidden cells; another as it is."""
    made = release.provenance
    if made.name != Recoder.SUPPRESS.value or "matching" not in release.detail:
        return release
    promise = cast("Mapping[str, object]", release.detail.get("matched") or release.detail["alike"])
    question = DowncodeQuestion(
        method=Recoder.SUPPRESS,
        keys=tuple(cast("list[str]", promise["keys"])),
        k=cast("int", release.detail["wanted_k"]),
        matching=Matching(cast("str", release.detail["matching"])),
    )
    found = downcode(question, SeenRelease.of_release(release, original))
    if "guard" in release.detail:  # coins may have withheld any cell: what he rules out is only unlikely
        found = replace(found, certain=False)
    return replace(release, detail={**release.detail, "downcode": found.to_dict()})


def _downcode_suppressed(question: DowncodeQuestion, seen: SeenRelease) -> Downcoded:
    return downcode_suppressed(_read_hidden(question, seen), knows=question.knows)


def _read_hidden(question: DowncodeQuestion, seen: SeenRelease) -> HiddenCells:
    return read_hidden_cells(
        seen.table,
        seen.known,
        question.keys,
        k=question.k,
        alike=question.matching is Matching.ALIKE,
        rows=seen.rows,
    )
