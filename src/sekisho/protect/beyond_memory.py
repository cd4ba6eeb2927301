"""Files beyond memory: what a method is given of one, and the release that it makes where the rows are.

A method that declares a place beside memory (:class:`sekisho.data.shape.Place`) has its way there in
``ENGINE_METHODS``, under its own name. What it hands over is complete but for its place: whoever asked looks at it,
counts what was promised again from the rows that are written, and gives it its place or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.cells import Cells
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.identity.identifying import Identifying
from sekisho.data.records.microdata import TextColumns
from sekisho.data.shape import Place, read_abilities
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.protect import Method
from sekisho.provenance import Provenance
from sekisho.registry import Registry
from sekisho.safety.terms import Terms
from sekisho.seeds import Seed
from sekisho.words import Said

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.data.engines.scan import Scan


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTask:
    """A file whose rows stay with an engine, and where its release goes.

    Attributes:
        source: the file.
        terms: under which it is read.
        out: the release.
        choice: the engine.
        ordered: whether the rows of records stand in the original's order, and those that are left out are listed.
        size: the most distinct records of a part; None: as many as fit the memory.
        secret: whether a method draws from the operating system, so that nobody can repeat it.
        texts: of a file whose cells are texts as they stand, which are read; None where the terms say what cells mean.
        say: is told what was found out, left out or dropped in reading.
        tell: is told how far the work is.
    """

    source: Path
    terms: Terms
    out: Path
    choice: EngineChoice
    ordered: bool = False
    size: int | None = None
    secret: bool = False
    texts: TextColumns | None = None
    say: Callable[[Notice], None] = lambda _: None
    tell: Callable[[str], None] = lambda _: None

    def require_own(self) -> SchemaFile:
        """Return the schema of a file of one's own.

        Raises:
            ParameterError: the terms are a contest's.
        """
        if self.terms.layout.strict:
            raise ParameterError("engine", Said("be given for a file of one's own"), self.terms.name)
        return self.terms.layout.described

    def require_texts(self) -> TextColumns:
        """Return what is read of a file whose cells are texts as they stand.

        Raises:
            ParameterError: terms say what cells mean.
        """
        if self.texts is None:
            rule = Said("be given for a file whose cells are texts as they stand, without a schema")
            raise ParameterError("engine", rule, self.choice.engine.value)
        return self.texts

    def keeps_rows(self, method: Method) -> bool:
        """Tell whether the rows need not pass this machine's memory, by what their method declares.

        Of a method that can also send pieces of its work to a cluster, that is so where the cluster reads and writes
        the file itself, which is one's own.
        """
        places, choice = read_abilities(method).runs_on, self.choice
        if Place.CLUSTER not in places:
            return Place.ENGINE in places
        if choice.engine is not Engine.SPARK:
            return Place.ENGINE in places
        return choice.holds(self.source, self.out) and not self.terms.layout.strict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodedValues:
    """The distinct values of a column, the cell that each becomes, and how many records bear it."""

    data: Dataset
    cells: Cells
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EngineRelease:
    """A release that an engine made: complete, but for its place.

    Attributes:
        published: the rows, as whoever gets them reads them.
        put: gives them their place.
        records: how many rows the original has.
        kept: how many of them are released.
        provenance: what made it.
        detail: what the method tells of it, as plain data.
        terms: those of the task, with nothing left open.
        kinds: of columns, as far as they are known.
        holder: of a history the column of the pseudonyms; empty where a row is a person.
        lasting: columns of the original that are known to name people and to leave.
        drawn: whether records that are not released were not asked for.
        raw: how many people of a history are published as they were.
        errors: of a history by column the mean error of its cells; none of records.
        told: what else there is to say of it, as plain data.
        deleted: a file that lists the rows that are left out, if it was asked for.
        trees: of columns whose cells are labels.
        coded: columns whose cells are known without being read; if there are any, all others are left as they were.
        distinct: by key how many different values the original has.
        unchanged: whether every cell that is written is known to be the original's, and no row is gone.
    """

    published: Scan
    put: Callable[[], None]
    records: int
    kept: int
    provenance: Provenance
    detail: Mapping[str, object]
    terms: Terms
    kinds: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    holder: str = ""
    lasting: tuple[Identifying, ...] = ()
    drawn: bool = False
    raw: int = 0
    errors: Mapping[str, float] = field(default_factory=dict[str, float])
    told: Mapping[str, object] = field(default_factory=dict[str, object])
    deleted: Path | None = None
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    coded: Mapping[str, CodedValues] = field(default_factory=dict[str, CodedValues])
    distinct: Mapping[str, int] = field(default_factory=dict[str, int])
    unchanged: bool = False


class EngineMethod(Protocol):
    """The way of a method where the rows are; it is made with the method, ``method=``."""

    def release(self, task: EngineTask, seed: Seed) -> AbstractContextManager[EngineRelease]:
        """Give the release of a file, as long as the work is open; the same chance as in memory.

        Args:
            task: the file.
            seed: of the run; the method's own chance is its child by the method's name.
        """
        ...


ENGINE_METHODS: Registry[EngineMethod] = Registry(
    kind="method",
    group="sekisho.engine_methods",
    builtin={
        "code": "sekisho.protect.records.engine.code_file:EngineCode",
        "groups": "sekisho.protect.history.engine.release:EngineGroups",
        "partition": "sekisho.protect.records.engine.recode_file:EnginePartition",
        "pram": "sekisho.protect.records.engine.release:EnginePram",
        "sample": "sekisho.protect.records.engine.release:EngineSample",
    },
)
