"""Hierarchies and groupings from files as the dimensions of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.files.rows import fault
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.table import TOTAL
from sekisho.words import Said


def dimension_of(name: str, hierarchy: Hierarchy, *, total: str | None = None) -> Dimension:
    """Return a hierarchy as a table's dimension; the margin's code is its root's if not told."""
    tree = hierarchy.tree
    again = [code for code, _ in hierarchy.groups if code in tree]
    if again:
        raise ParameterError(
            Said("groups of {name}", name=name), Said("have codes of their own; link two tables instead"), again[0]
        )
    margin = total or tree.root or TOTAL
    above = [margin if parent == 0 else tree.codes[parent] for parent in tree.parents[1:]]
    return Dimension(
        name=name,
        parent=dict(zip(tree.codes[1:], above, strict=True)),
        groupings=dict(hierarchy.groups),
        total=margin,
    )


def group_dimension(dimension: Dimension, groups: Sequence[Relation]) -> Dimension:
    """Return a dimension with further groupings.

    Raises:
        FaultsError: a group's members are unknown or overlap, or its code is one of the tree's; all at once.
    """
    if not groups:
        return dimension
    more = replace(dimension, groupings={**dimension.groupings, **dict(groups)})
    overlapping = [code for code, _ in groups if more.spread()[[more.place[code]]].data.max(initial=0.0) > 1]
    if overlapping:
        raise FaultsError(
            Said("dimension {name}", name=more.name),
            [
                fault(
                    0,
                    more.name,
                    "disjoint",
                    code,
                    Said("the grouping {code!r} is a sum of members that overlap", code=code),
                )
                for code in overlapping
            ],
        )
    return more
