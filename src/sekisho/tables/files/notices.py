"""What is found out about a file of a table, for a person to hear; each door says in its own words what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sekisho.data.trees.tree_files import propose_tree
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class TableNotice:
    """Something found out about a file, for a person to hear.

    Attributes:
        words: a sentence.
        margin: a dimension and the code that was taken for its margin for its name: it may be a category.
        tree: a dimension whose codes look like levels of a tree that nobody gave.
    """

    words: str
    margin: tuple[str, str] | None = None
    tree: str = ""

    def tell(self, advice: Said, tree_advice: Said) -> str:
        """Return it in words.

        Args:
            advice: says of a ``dim`` and a ``code`` what to do if a margin is a category.
            tree_advice: says of a ``dim`` how its tree is given.
        """
        if self.tree:
            return Said("{words}; if so, {advice}", words=self.words, advice=tree_advice.fill(dim=self.tree))
        if self.margin is None:
            return self.words
        dim, code = self.margin
        return Said("{words}; if it is a category, {advice}", words=self.words, advice=advice.fill(dim=dim, code=code))


def notice_margins(source: Path, margins: Iterable[tuple[str, str]]) -> Iterator[TableNotice]:
    """Give a notice of each code that was taken for a margin for its name."""
    for dim, code in margins:
        words = Said("{source}: {code} is read as the margin of {dim}", source=source, code=code, dim=dim)
        yield TableNotice(words=words, margin=(dim, code))


def notice_trees(source: Path, table: Table, said: Margins, trees: Collection[str]) -> Iterator[TableNotice]:
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
            "one another",
            source=source,
            dim=dim,
            upper=upper,
            lower=", ".join(tree.children[upper][:2]),
        )
        yield TableNotice(words=words, tree=dim)
