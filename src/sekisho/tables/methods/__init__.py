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
from sekisho.tables.model.table import Table
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MadeRelease:
    """A release, and what is told of how it was made.

    Attributes:
        release: what is shown and what it says.
        proof: of its bound.
        figures: what the answer tells, by key.
        remarks: what must not be overlooked, each a sentence.
    """

    release: ShownRelease
    proof: ReleaseProof = field(default_factory=ReleaseProof)
    figures: Mapping[str, object] = field(default_factory=dict[str, object])
    remarks: tuple[Said, ...] = ()


class TableMethod(Protocol):
    """A way to publish a table."""

    shapes: ClassVar[frozenset[Shape]]

    @property
    def usual_width(self) -> float:
        """How wide a reader's interval of an unsafe cell must be at most where nobody says how wide."""
        ...

    def make(self, table: Table, *, rng: np.random.Generator) -> MadeRelease:
        """Return a release of a table whose unsafe cells are flagged.

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
        "round": "sekisho.tables.methods.rounding:RoundMethod",
    },
)
