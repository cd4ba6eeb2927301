"""Codes that are levels of a tree by their names, 01 above 01001, though nobody gave the tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sekisho.data.trees.tree_files import propose_tree
from sekisho.errors import Fault
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.limits import ABSOLUTE_SLACK, RELATIVE_SLACK
from sekisho.tables.model.margins import Margins, margin_fault
from sekisho.tables.model.table import Floats, Key
from sekisho.words import Said, name_setting


def prefix_sums(
    dimensions: Sequence[Dimension], keys: Sequence[Key], value: Floats, *, said: Margins, flat: Collection[str]
) -> list[Fault]:
    """Return a fault for each dimension without a tree whose codes are levels of one, by their names and their cells.

    01 stands above 01001 and 01002 (:func:`sekisho.data.trees.tree_files.propose_tree`), and wherever all three have a
    cell, that of 01 is the sum of the others: published beside them, it tells a hidden one.
    """
    cells = dict(zip(keys, value.tolist(), strict=True))
    faults: list[Fault] = []
    for axis, one in enumerate(dimensions):
        tree = propose_tree((code for code in one.codes if code != one.total), root=one.total)
        if one.name not in flat or tree is None:
            continue
        known = said.categories.get(one.name, ())
        upper = [code for code in tree.children if code != one.total and code not in known]
        adding = [code for code in upper if _adds_up(cells, axis, code, tree.children[code])]
        if adding:
            faults.append(_tell_levels(one.name, adding[0], tree.children[adding[0]]))
    return faults


def _adds_up(cells: Mapping[Key, float], axis: int, code: str, parts: Sequence[str]) -> bool:
    """Tell whether a code's cells are the sums of others', in two lines or more that are not 0, and nowhere not."""
    lines = [
        (amount, [cells.get((*key[:axis], part, *key[axis + 1 :])) for part in parts])
        for key, amount in cells.items()
        if key[axis] == code
    ]
    whole = [(amount, sum(filter(None, those))) for amount, those in lines if None not in those]
    agree = [abs(amount - total) <= ABSOLUTE_SLACK + RELATIVE_SLACK * abs(amount) for amount, total in whole]
    return all(agree) and sum(amount != 0 for amount, _ in whole) > 1 and len(parts) > 1


def _tell_levels(dim: str, code: str, parts: Sequence[str]) -> Fault:
    message = Said(
        "the cells of {code!r} are the sums of those of {parts}: codes of {dim} are levels of a tree; give it with "
        "{tree}, or say {category} if it is a category beside the others",
        code=code,
        parts=", ".join(map(repr, parts[:5])) + (", …" if parts[5:] else ""),
        dim=dim,
        tree=name_setting("tree", "FILE", dim),
        category=name_setting("category", code, dim),
    )
    return margin_fault(dim, "tree", code, message)
