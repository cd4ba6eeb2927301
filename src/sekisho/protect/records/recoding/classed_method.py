"""What every method of recoding asks for: the keys and their trees, and what each class of a release keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Self

from sekisho.data.abilities import Abilities
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.parameters import renamed
from sekisho.protect.records.recoding.sensitive import SensitiveRule
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said

HARDLY_ANY_USE = 0.8
"""A release whose NCP is above this is of hardly any use: four fifths of what the keys tell is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
@renamed(least_l="l")
class ClassedMethod:
    """Records form classes of k or more whose keys are written alike; with l and t, of diverse sensitive values."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(writes_cells=True)

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that an adversary may know, a,b,c; all quasi-identifiers if none."}
    )
    k: int = field(default=5, metadata={"help": "Least number of records whose keys are written alike."})
    tree: Mapping[str, Path | Tree] | None = field(
        default=None,
        metadata={"help": "Keys with a tree of labels: name=FILE, as node,parent or leaf;level;level…"},
    )
    sensitive: str = field(
        default="", metadata={"help": "Beside --l or --t: the column that they speak of; as the schema says."}
    )
    l: float | None = field(default=None, metadata={"help": "Least diversity of the sensitive values of a class."})
    diversity: Diversity = field(default=Diversity.DISTINCT, metadata={"help": "What --l counts."})
    c: float = field(default=3.0, metadata={"help": "The c of recursive (c, l)-diversity."})
    t: float | None = field(
        default=None, metadata={"help": "Largest distance of a class's sensitive values from the whole file's, 0 to 1."}
    )
    ordered: bool = field(
        default=False, metadata={"help": "Let --t heed the order of a sensitive number or date (earth mover's)."}
    )
    suppress: Fraction = field(
        default=Fraction(0), metadata={"help": "Largest share of the records that may be left out, such as 0.02."}
    )

    def __post_init__(self) -> None:
        _ = self.rule
        if self.t is not None and self.suppress:
            rule = Said("be 0 beside t: leaving records out changes the shares that t compares with")
            raise ParameterError("suppress", rule, str(self.suppress))
        if not 0 <= self.suppress < 1:
            raise ParameterError("suppress", Said("lie between 0 and 1, 1 excluded"), str(self.suppress))

    def with_trees(self, trees: Mapping[str, Tree]) -> Self:
        """Return the same method with these trees."""
        return replace(self, tree=trees)

    @property
    def rule(self) -> SensitiveRule:
        """What every class must keep."""
        return SensitiveRule(
            k=self.k,
            column=self.sensitive,
            level=self.l,
            kind=self.diversity,
            c=self.c,
            t=self.t,
            ordered=self.ordered,
        )
