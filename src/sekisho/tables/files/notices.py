"""What is found out about a file of a table, for a person to hear."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from sekisho.data.trees.tree_files import propose_tree
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.words import Said, name_setting


def notice_margins(source: Path, margins: Iterable[tuple[str, str]]) -> Iterator[Said]:
    """Give a notice of each code that was taken for a margin for its name."""
    for dim, code in margins:
        words = Said(
            "{source}: {code} is read as the margin of {dim}; if it is a category, say {category}",
            source=source,
            code=code,
            dim=dim,
            category=name_setting("category", code, dim),
        )
        yield words


def notice_trees(source: Path, table: Table, said: Margins, trees: Collection[str]) -> Iterator[Said]:
    """Give a notice of each dimension whose codes look like levels of a tree, and of which no tree is given."""
    for place, (dim, margin) in enumerate(zip(table.dims, table.margins, strict=True)):
        if dim in trees or said.categories.get(dim):
            continue
        tree = propose_tree({key[place] for key in table.keys} - {margin}, root=margin)
        if tree is None:
            continue
        upper = next(code for code in tree.children if code != margin)
        words = Said(
            "{source}: codes of {dim} look like levels of a tree ({upper} above {lower}), and are read as codes beside "
            "one another; if so, give it with {tree}",
            source=source,
            dim=dim,
            tree=name_setting("tree", "FILE", dim),
            upper=upper,
            lower=", ".join(tree.children[upper][:2]),
        )
        yield words
