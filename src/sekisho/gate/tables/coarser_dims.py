"""Dimensions of a table told more coarsely than their trees allow: some levels less, or some codes without their parts.

By dimension: a number (so many of the finest levels of its tree are not told), or codes of the tree whose parts are
joined. Records of a finer code are counted with the code that is told; finished cells of a finer code are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.errors import ParameterError
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarserDims:
    """Which dimensions are told more coarsely, and how; none where nothing is said."""

    dims: Mapping[str, object] = field(default_factory=dict[str, object])

    def apply(self, form: TableForm) -> TableForm:
        """Return how a file is read, with these dimensions coarser.

        Raises:
            ParameterError: a tree has fewer levels, or no such inner code.
        """
        trees, joined = dict(form.trees), dict[str, Mapping[str, str]]()
        for dim, how in self.dims.items():
            tree = trees[dim].tree
            joined[dim] = join_parts(tree, _choose_tops(f"coarser.{dim}", tree, how))
            trees[dim] = Hierarchy(tree=cut_tree(tree, joined[dim]))
        return form.join_codes(trees, joined)


def _choose_tops(place: str, tree: Tree, how: object) -> list[str]:
    """Return the codes whose parts are not told."""
    if isinstance(how, int) and not isinstance(how, bool):
        deepest = max(tree.depths)
        if not 1 <= how < deepest:
            raise ParameterError(
                place, Said("lie between 1 and {most}: one level of the tree must stay", most=max(1, deepest - 1)), how
            )
        level = deepest - how
        return [code for code, depth in zip(tree.codes, tree.depths, strict=True) if depth == level]
    codes = [str(code) for code in cast("list[object]", how)] if isinstance(how, list | tuple) else []
    wrong = [code for code in codes if code not in tree.children or code == tree.root]
    if not codes or wrong:
        rule = Said("be a number of levels, or codes of the tree that have parts, the total apart")
        raise ParameterError(place, rule, wrong[0] if wrong else how)
    return codes


def join_parts(tree: Tree, tops: Collection[str]) -> dict[str, str]:
    """Return by code that is not told the code that is told instead of it."""
    told: dict[str, str] = {}
    for code, parent in zip(tree.codes[1:], tree.parents[1:], strict=True):
        above = tree.codes[parent]
        if above in told or above in tops:
            told[code] = told.get(above, above)
    return told


def cut_tree(tree: Tree, joined: Mapping[str, str]) -> Tree:
    """Return a tree without the codes that are not told."""
    pairs = zip(tree.codes[1:], tree.parents[1:], strict=True)
    return Tree.of([(code, tree.codes[parent]) for code, parent in pairs if code not in joined], root=tree.root)


def rank_branches(tree: Tree, table: Table, dim: str) -> Iterator[tuple[str, int]]:
    """Give the inner codes whose parts are leaves, by how many unsafe cells stand at these parts, the most first.

    Codes without such a cell are left out.
    """
    place = table.dims.index(dim)
    unsafe = [table.keys[cell][place] for cell in np.flatnonzero(table.primary).tolist()]
    codes, numbers = np.unique(np.array(unsafe, dtype=object), return_counts=True)
    counts: dict[str, int] = dict(zip(codes.tolist(), numbers.tolist(), strict=True))
    branches = [
        (code, sum(counts.get(part, 0) for part in parts))
        for code, parts in tree.children.items()
        if code != tree.root and not any(part in tree.children for part in parts)
    ]
    yield from sorted(((code, count) for code, count in branches if count), key=lambda pair: -pair[1])
