"""Ways to publish a table other than to hide cells: each shows something of every cell, and says what that tells.

A method is a frozen value; ``make(table, *, rng)`` gives a release of a table whose unsafe cells are flagged: what is
shown, what a reader learns of each cell (:mod:`sekisho.tables.audit.statements`), what it costs and what proves that.
Whether that is enough, the audit of the statements says, not the method. A new method is one file here and one line in
``TABLE_METHODS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from sekisho.data.shape import Shape
from sekisho.registry import Registry
from sekisho.tables.certificate.seal_release import ReleaseProof, ShownRelease
from sekisho.tables.files.records import RecordsBehind
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.evidence import CellEvidence
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MadeRelease:
    """A release, and what is told of how it was made.

    Attributes:
        release: what is shown and what it says.
        proof: of its bound.
        figures: what the answer tells, by key.
        remarks: what must not be overlooked, each a sentence.
        notices: what whoever makes it must know, and nobody else, each a sentence.
        evidence: what a reader holds likeliest of each cell, where the chances of the method are known.
        weakness: what a person must look at, whatever an audit finds; None if nothing.
        unconsidered: what may have left before and cannot be read beside it; None if nothing.
        audit_seconds: how long the audit may take; None for no limit.
    """

    release: ShownRelease
    proof: ReleaseProof = field(default_factory=ReleaseProof)
    figures: Mapping[str, object] = field(default_factory=dict[str, object])
    remarks: tuple[Said, ...] = ()
    notices: tuple[Said, ...] = ()
    evidence: CellEvidence | None = None
    weakness: Said | None = None
    unconsidered: Said | None = None
    audit_seconds: float | None = None


class TableMethod(Protocol):
    """A way to publish a table.

    Attributes:
        shapes: the data that it suits: tables.
        needs_records: whether it needs the records behind the cells.
    """

    shapes: ClassVar[frozenset[Shape]]
    needs_records: ClassVar[bool]

    @property
    def usual_width(self) -> float:
        """How wide a reader's interval of an unsafe cell must be at most where nobody says how wide."""
        ...

    def make(self, table: Table, *, rng: np.random.Generator, records: RecordsBehind | None = None) -> MadeRelease:
        """Return a release of a table whose unsafe cells are flagged; ``records`` are those behind it, where known.

        Raises:
            ParameterError: the table does not suit the method, or what is asked of it cannot be had.
            InfeasibleError: there is no such release.
        """
        ...


TABLE_METHODS: Registry[TableMethod] = Registry(
    kind="table method",
    group="sekisho.table_methods",
    builtin={
        "adjust": "sekisho.tables.methods.adjusting:AdjustMethod",
        "intervals": "sekisho.tables.methods.intervals:IntervalMethod",
        "perturb": "sekisho.tables.methods.perturbing:PerturbMethod",
        "round": "sekisho.tables.methods.rounding:RoundMethod",
    },
)
