"""Files of populations of which some are parts of others: what is declared of them, and their tables or records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import polars as pl

from sekisho.cli.table.files.cell_files import Reading, split_names
from sekisho.cli.table.files.microdata import MicroFile
from sekisho.cli.table.options import PopulationOptions
from sekisho.errors import ParameterError
from sekisho.tables.model.linked.difference_records import subtract_records
from sekisho.tables.model.linked.populations import Populations, declare_populations
from sekisho.tables.model.table import Table
from sekisho.tables.model.tabulate import Tabulation
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationFiles:
    """The files of several populations, the first being the whole that all others are parts of.

    Attributes:
        sources: the files; their names are those of the populations.
        how: how a file of cells is read.
        micro: how a file of records is; None if the files hold cells.
        declared: which is a part of which.
    """

    sources: tuple[Path, ...]
    how: Reading
    micro: MicroFile | None
    declared: PopulationOptions

    def __post_init__(self) -> None:
        if len(set(self.names)) != len(self.names) or len(self.names) < 2:
            raise ParameterError("FILE", Said("be at least two files of different names"), ", ".join(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The populations."""
        return tuple(source.name for source in self.sources)

    def read(self) -> tuple[Populations, dict[str, Table] | None]:
        """Return the populations, and of records the table of each difference by name."""
        if self.micro is None:
            return self._declare([self.how.read_table(source) for source in self.sources]), None
        form = self.micro.form
        frames = {path.name: form.read_frame(path, self.micro.numbers) for path in self.sources}
        tabulation = self.micro.tabulation(frames[self.names[0]], self.sources[0])
        tables = [tabulation.table(frames[path.name], source=path) for path in self.sources]
        populations = self._declare(list[Table](tables))
        return populations, _survey_differences(populations, frames, tabulation)

    def apply_patterns(self, populations: Populations, patterns: Sequence[Path]) -> Populations:
        """Return the populations, each suppressed as its pattern says."""
        tables = zip(populations.tables.values(), patterns, self.sources, strict=True)
        return populations.with_tables([self.how.apply_pattern(*each) for each in tables])

    def _declare(self, tables: list[Table]) -> Populations:
        pairs = [_split_word(word, "within", "PART=WHOLE") for word in self.declared.within or ()]
        inside: dict[str, str] = {}
        for part, whole in pairs:
            name = self._find(part, "within")
            if name in inside:
                raise ParameterError(
                    "within", Said("name {name} once as a part: which others it lies in follows", name=name), part
                )
            inside[name] = self._find(whole, "within")
        splits: dict[str, tuple[str, ...]] = {}
        for word in self.declared.splits or ():
            whole, parts = _split_word(word, "split", "WHOLE=PART,PART")
            name = self._find(whole, "split")
            if name in splits:
                raise ParameterError("split", Said("be given once for {name}", name=name), word)
            splits[name] = tuple(self._find(part, "split") for part in split_names(parts))
        return declare_populations(dict(zip(self.names, tables, strict=True)), within=inside, splits=splits)

    def _find(self, word: str, option: str) -> str:
        """Return the population of a file's name, or of its name without the suffix."""
        matches = [path.name for path in self.sources if word in (path.name, path.stem)]
        if word not in self.names and len(matches) != 1:
            raise ParameterError(option, Said("name files: {names}", names=", ".join(self.names)), word)
        return word if word in self.names else matches[0]


def _survey_differences(
    populations: Populations, frames: Mapping[str, pl.DataFrame], tabulation: Tabulation
) -> dict[str, Table]:
    """Return each difference as its records make it; one without records is left out."""
    numbers = [name for name in (tabulation.value, tabulation.weight) if name is not None]
    texts = [name for name in tabulation.columns if name not in numbers]
    surveyed: dict[str, Table] = {}
    for each in populations.differences:

        def take(left: pl.DataFrame, part: str) -> pl.DataFrame:
            return subtract_records(left, frames[part], texts=texts, numbers=numbers, source=part)

        left = reduce(take, each.parts, frames[each.whole])
        if left.height:
            surveyed[each.name] = tabulation.table(left, source=each.name)
    return surveyed


def _split_word(text: str, option: str, form: str) -> tuple[str, str]:
    first, mark, rest = map(str.strip, text.partition("="))
    if not mark or not first or not rest:
        raise ParameterError(option, Said("be written as {form}", form=form), text)
    return first, rest


def describe_populations(populations: Populations, unsafe: Mapping[str, int], condition: str) -> dict[str, object]:
    """Return which differences are formed, how many cells of each are unsafe, and the condition of the promise."""
    formed = [
        {"name": each.name, "whole": each.whole, "parts": list(each.parts), "unsafe": unsafe.get(each.name, 0)}
        for each in populations.differences
    ]
    return {"formed": formed, **({"promised_if": condition} if condition else {})}
