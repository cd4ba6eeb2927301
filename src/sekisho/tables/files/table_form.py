"""How a file of a table is written: its form, what its columns are, its margins, and what its codes add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.plain_files.number_forms import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT, UNDECIDED
from sekisho.data.files.plain_table import read_frame
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.schema_files.blocks import settle_said
from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.data.trees.tree_files import read_groups, read_tree
from sekisho.errors import ParameterError
from sekisho.tables.model.margins import Margins, names_margin
from sekisho.words import Said, join_words


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForm:
    """How a file is written, what its margins are called and what its codes add up to; None is to be found out.

    ``joined`` are by dimension the codes that are not told, each with the one that is told instead of it; ``kinds`` say
    what columns are.
    """

    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    decimal: str | None = None
    kinds: tuple[SaidKind, ...] = ()
    margins: Margins = field(default_factory=Margins)
    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    groups: Mapping[str, tuple[Relation, ...]] = field(default_factory=dict[str, tuple[Relation, ...]])
    joined: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise ParameterError("decimal", Said("be . or ,"), self.decimal)

    @property
    def options(self) -> dict[str, object]:
        """What was said of margins and columns, for the provenance of a result; nothing if nothing was."""
        margins = self.margins
        totals = [
            *([] if margins.everywhere is None else [margins.everywhere]),
            *(f"{dim}={code}" for dim, code in margins.of.items()),
        ]
        others = [f"{dim}={code}" for dim, codes in margins.categories.items() for code in codes]
        kinds = [f"{each.column}={each.words}" for each in self.kinds]
        return {name: words for name, words in (("total", totals), ("category", others), ("kind", kinds)) if words}

    def refuse_strange(self, dims: Sequence[str]) -> None:
        """Refuse trees, groupings and margins of other dimensions than these."""
        for option, names in (("tree", self.trees), ("grouping", self.groups)):
            strange = [name for name in names if name not in dims]
            if strange:
                raise ParameterError(option, Said("be of one of {dims}", dims=", ".join(dims)), strange[0])
        self.margins.refuse_strange(dims)

    def only(self, dims: Sequence[str], columns: Sequence[str]) -> TableForm:
        """Return what concerns these dimensions, and these columns of a file."""
        return replace(
            self,
            kinds=tuple(each for each in self.kinds if each.column in columns),
            margins=self.margins.only(dims),
            trees={name: tree for name, tree in self.trees.items() if name in dims},
            groups={name: groups for name, groups in self.groups.items() if name in dims},
        )

    def join_codes(self, trees: Mapping[str, Hierarchy], joined: Mapping[str, Mapping[str, str]]) -> TableForm:
        """Return the form with other trees, which lack the codes that are joined."""
        return replace(self, trees=trees, joined=joined)

    def join_records(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return records with the codes that are told."""
        return frame.with_columns(
            pl.col(dim).cast(pl.String).str.strip_chars().replace(dict(codes))
            for dim, codes in self.joined.items()
            if dim in frame.columns
        )

    def drop_finer(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return finished cells without those of codes that are not told: their sums are there already."""
        for dim, codes in self.joined.items():
            if dim in frame.columns:
                frame = frame.filter(~pl.col(dim).cast(pl.String).str.strip_chars().is_in(list(codes)))
        return frame

    def list_columns(self, source: Path) -> list[str]:
        """Return the columns of a file."""
        return read_frame(source, separator=self.separator, encoding=self.encoding, sheet=self.sheet).frame.columns

    def read_frame(
        self,
        source: Path,
        numbers: Sequence[str] = (),
        *,
        left_out: LeftOut = LeftOut.NOTES,
        otherwise: str = UNDECIDED,
    ) -> tuple[pl.DataFrame, Said]:
        """Return the frame of a file, and how it was read; totals are left out only where that is asked for.

        ``otherwise`` is the decimal mark where the texts do not decide it.
        """
        file = read_frame(source, separator=self.separator, encoding=self.encoding, sheet=self.sheet, left_out=left_out)
        frame, notices = self.settle_kinds(file.frame, source)
        said = [each.column for each in self.kinds if each.column in numbers]
        frame = settle_numbers(frame, said, POINT, source)
        others = [name for name in numbers if name not in said]
        frame = settle_numbers(frame, others, self.decimal, source, otherwise=otherwise)
        reason = join_words([file.form, *file.notices, *notices], "; ")
        return frame, Said("{source}: {reason}", source=source, reason=reason)

    def settle_kinds(self, frame: pl.DataFrame, source: Path) -> tuple[pl.DataFrame, list[str]]:
        """Return a frame with columns as they are said to be, but for codes of margins, which are of no kind."""
        codes = {each.column: self._find_margins(frame, each.column) for each in self.kinds}
        held = {name: frame[name] for name in codes if name in frame.columns and codes[name].any()}
        plain = frame.with_columns(column.cast(pl.String).set(codes[name], "") for name, column in held.items())
        settled, notices = settle_said(plain, self.kinds, source)
        restored = [
            settled[name].zip_with(~codes[name], column.cast(pl.String)).alias(name) for name, column in held.items()
        ]
        return settled.with_columns(restored), notices

    def _find_margins(self, frame: pl.DataFrame, name: str) -> pl.Series:
        if name not in frame.columns:
            return pl.Series(dtype=pl.Boolean)
        texts = frame[name].cast(pl.String).fill_null("").str.strip_chars()
        said = {self.margins.everywhere, self.margins.of.get(name), *self.margins.categories.get(name, ())}
        margins = [text for text in texts.unique() if text and (text in said or names_margin(text))]
        return texts.is_in(margins)


def read_trees(files: Mapping[str, Path]) -> dict[str, Hierarchy]:
    """Return the trees of dimensions."""
    return {name: Hierarchy(tree=read_tree(file)) for name, file in files.items()}


def read_groupings(files: Mapping[str, Sequence[Path]]) -> dict[str, tuple[Relation, ...]]:
    """Return the further sums of dimensions."""
    return {name: tuple(group for file in each for group in read_groups(file)) for name, each in files.items()}
