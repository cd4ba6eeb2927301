"""Rules of a contest over records: one row per person, some deleted, the others changed within a limit.

A broken condition disqualifies: the risk is 1 whatever the attacks do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sekisho.contest.title import Title
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.sheet import SheetRules
from sekisho.data.frame.schema import Schema
from sekisho.data.records.space import RecordSpace
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRules:
    """What the measures look at: the outcome, the columns that explain it, which are rounded to tens and which are cut where."""

    outcome: str
    explaining: tuple[str, ...]
    rounded: tuple[str, ...] = ()
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRules:
    """How large a test set is and how many rows may be named for a record."""

    __test__ = False

    members: int = 50
    others: int = 50
    answers: int = 3

    def __post_init__(self) -> None:
        for name, value in (("members", self.members), ("others", self.others), ("answers", self.answers)):
            if value < 1:
                raise ParameterError(name, "be at least 1", value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRules:
    """The conditions of one round and the delta of its risk.

    Attributes:
        kept: the least share of the records that must be kept.
    """

    iloss: float
    rate: float
    cor: float
    odds: float
    uniqrt: float
    kept: float
    delta: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RecordRules:
    """A contest over records."""

    kind: str
    name: str
    title: Title
    round: str
    sheet: SheetRules
    space: RecordSpace
    measures: MeasureRules
    test: TestRules
    rounds: Mapping[str, RoundRules]
    columns: tuple[FieldRules, ...]

    def __post_init__(self) -> None:
        names = self.schema.names
        asked = [*self.space.measured, *self.space.compared, self.measures.outcome, *self.measures.explaining]
        unknown = sorted(set(asked) - set(names))
        if unknown:
            raise ParameterError("columns", "hold every column that space and measures name", unknown)
        self.chosen(self.round)

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    def parameters(self, round_name: str = "") -> dict[str, object]:
        """Return what the rules say to methods and adversaries that leave it open, by the parameter's name."""
        asked = self.chosen(round_name)
        limits = {rules.name: rules.bounds() for rules in self.columns if rules.kind.numeric}
        return {
            "measured": self.space.measured,
            "compared": self.space.compared,
            "limit": asked.iloss,
            "delta": asked.delta,
            "answers": self.test.answers,
            "low": {name: low for name, (low, _) in limits.items() if low is not None},
            "high": {name: high for name, (_, high) in limits.items() if high is not None},
        }

    @cached_property
    def schema(self) -> Schema:
        """The original's columns."""
        return Schema(tuple(rules.column for rules in self.columns))

    def chosen(self, name: str) -> RoundRules:
        """Return a round by name; the empty name means the usual one."""
        name = name or self.round
        if name not in self.rounds:
            raise ParameterError("round", f"be one of {', '.join(self.rounds)}", name)
        return self.rounds[name]
