"""How several files of linked tables are read: each has its own of the dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sekisho.cli.table.cell_files import Reading, Written, reading
from sekisho.data.files.frames import read_frame
from sekisho.errors import InputError, ParameterError
from sekisho.tables.model.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Several files and how each is read: its dimensions are those of the given names that it has."""

    sources: tuple[Path, ...]
    readings: tuple[Reading, ...]

    def tables(self) -> list[Table]:
        """Return the tables."""
        return [how.table(source) for how, source in zip(self.readings, self.sources, strict=True)]


def reading_all(
    sources: Sequence[Path],
    dims: str,
    *,
    count: str,
    value: str,
    contributors: str,
    trees: Sequence[str],
    groupings: Sequence[str],
    written: Written,
) -> Linked:
    """Return how to read several files: each has its own of the dimensions, with their trees and groupings.

    Raises:
        ParameterError: fewer than two files, two of one name, or a tree or grouping of a dimension that is not named.
        InputError: a file has none of the dimensions.
    """
    names = [source.name for source in sources]
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParameterError("FILE", "be at least two files of different names", ", ".join(names))
    asked = [part.strip() for part in dims.split(",") if part.strip()]
    for option, words in (("tree", trees), ("grouping", groupings)):
        strange = [word for word in words if "=" in word and _dimension(word) not in asked]
        if strange:
            raise ParameterError(option, f"be of one of {', '.join(asked)}", _dimension(strange[0]))
    written.margins.refuse_strange(asked)
    how: list[Reading] = []
    for source in sources:
        held = frozenset(read_frame(source, separator=written.separator, encoding=written.encoding).frame.columns)
        own = [name for name in asked if name in held]
        if not own:
            raise InputError(source, f"has none of the dimensions {', '.join(asked)}")
        how.append(
            reading(
                ",".join(own),
                count=count,
                value=value,
                contributors=contributors,
                trees=[word for word in trees if "=" not in word or _dimension(word) in own],
                groupings=[word for word in groupings if "=" not in word or _dimension(word) in own],
                written=replace(written, margins=written.margins.only(own)),
            )
        )
    return Linked(sources=tuple(sources), readings=tuple(how))


def _dimension(word: str) -> str:
    return word.partition("=")[0].strip()
