"""Which engine works on a file beyond memory, and within how much memory.

polars streams and takes what memory it needs; DuckDB keeps a limit and moves what does not fit to files beside the
output; Spark works on many machines, each with the memory that its cluster gives it.

Files beyond this machine: addresses such as ``hdfs://host/people.parquet``, which only a cluster can open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from sekisho.data.files.plain_table import is_parquet
from sekisho.errors import ParameterError
from sekisho.extras import require_extra
from sekisho.provenance import digest_files
from sekisho.words import Said

ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])")
"""A path that begins with a scheme of two letters or more; a path has lost the second of its slashes."""
FILE = "file"


def is_address(path: Path) -> bool:
    """Tell whether a path is an address; ``host:/folder`` is one, too: name a folder like that by ``./``."""
    return ADDRESS.match(str(path)) is not None


def name_place(path: Path) -> str:
    """Return what a cluster calls a path: an address as it was given, anything else from the root on."""
    if not is_address(path):
        return str(path.resolve())
    return ADDRESS.sub(_write_scheme, str(path), count=1)


def _write_scheme(match: re.Match[str]) -> str:
    """Return a scheme with its slashes; files of this machine have no host."""
    return f"{match[1]}:{'///' if match[1] == FILE else '//'}"


def digest_inputs(paths: Iterable[Path]) -> dict[str, str]:
    """Return the digests of files and of those in folders, by name; of what only a cluster reaches there are none."""
    return {name: digest for path in paths if not is_address(path) for name, digest in digest_files(path).items()}


UNITS = {"": 1, "B": 1} | {
    f"{letter}{ending}": step**power
    for power, letter in enumerate("KMGT", 1)
    for ending, step in (("B", 1000), ("iB", 1024))
}
AMOUNT = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([A-Za-z]{0,3})\s*")
LEAST = 512 * 1000**2
"""Below this nothing is left for the work beside Python and its libraries."""


class Engine(StrEnum):
    """What works on a file beyond memory."""

    POLARS = "polars"
    DUCKDB = "duckdb"
    SPARK = "spark"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineChoice:
    """An engine and what it may use.

    Attributes:
        engine: which.
        memory: in bytes, for DuckDB; None: as much as it takes.
        master: the cluster's address, for Spark.
    """

    engine: Engine = Engine.DUCKDB
    memory: int | None = None
    master: str = ""

    def __post_init__(self) -> None:
        if self.memory is not None and self.engine is not Engine.DUCKDB:
            raise ParameterError(
                "memory", Said("be given with duckdb, the engine that keeps a limit"), self.engine.value
            )
        if self.memory is not None and self.memory < LEAST:
            raise ParameterError("memory", Said("be at least {least} MB", least=LEAST // 1000**2), self.memory)
        if self.engine is not Engine.SPARK:
            require_extra("large", "engine", self.engine.value)
        if bool(self.master) is not (self.engine is Engine.SPARK):
            raise ParameterError(
                "master", Said("be given with spark, and only with it"), self.master or self.engine.value
            )

    def reaches(self, path: Path) -> bool:
        """Tell whether a path is an address beyond this machine, and the engine can open it."""
        return self.engine is Engine.SPARK and is_address(path)

    def holds(self, source: Path, out: Path) -> bool:
        """Tell whether a file and its release can stay with the engine: it reads the one, and writes the other."""
        return self.engine is Engine.SPARK and (is_parquet(out) or self.reaches(source))

    def check_release(self, out: Path) -> None:
        """Refuse a place for a release that the engine does not write to.

        Raises:
            ParameterError: it writes Parquet only.
        """
        if self.engine is Engine.SPARK and not is_parquet(out):
            raise ParameterError("out", Said("end in .parquet: Spark writes a folder of Parquet files"), str(out))


def choose_engine(engine: Engine | None, memory: str, master: str) -> EngineChoice | None:
    """Return the engine that options ask for; None where they ask for none, and the work is done in memory.

    Args:
        engine: by name; if not given, Spark where a master is, else DuckDB where a memory is.
        memory: such as ``2GB``; empty: no limit.
        master: of Spark; empty: none.
    """
    if engine is None and not memory and not master:
        return None
    return EngineChoice(
        engine=engine or (Engine.SPARK if master else Engine.DUCKDB),
        memory=parse_memory(memory) if memory else None,
        master=master,
    )


def parse_memory(text: str) -> int:
    """Return an amount of memory such as ``2GB`` or ``1.5GiB`` in bytes.

    Raises:
        ParameterError: it is none, or too little to work with.
    """
    match = AMOUNT.fullmatch(text)
    unit = None if match is None else _find_unit(match[2])
    if match is None or unit is None:
        raise ParameterError("memory", Said("be an amount such as 2GB, 800MB or 1.5GiB"), text)
    amount = int(Decimal(match[1]) * unit)
    if amount < LEAST:
        raise ParameterError("memory", Said("be at least {least} MB", least=LEAST // 1000**2), text)
    return amount


def _find_unit(text: str) -> int | None:
    word = text[:1].upper() + text[1:-1].lower() + text[-1:].upper() if len(text) > 1 else text.upper()
    return UNITS.get(word if len(word) != 1 or word == "B" else f"{word}B")
