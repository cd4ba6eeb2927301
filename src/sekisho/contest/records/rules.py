"""Rules of a contest over records: one row per person, some deleted, the others changed within a limit.

A broken condition disqualifies: the risk is 1 whatever the attacks do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from sekisho.contest.rules.columned_rules import ColumnedRules
from sekisho.contest.rules.contest_rules import ContestRules
from sekisho.data.records.space import FARTHEST, RecordSpace, check_cuts
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError

FACTORS = ("recall", "precision", "topk")
"""What the risk of an attack may be the product of."""
MEASURED = ("rate", "odds", "cor", "iloss", "uniqrt", "kept")
"""The measures of a release that conditions limit."""
MOST = {"members": 1_000_000, "others": 1_000_000, "answers": 100}
"""The largest test set, and the most rows named for a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRules:
    """What the measures look at: the outcome, the columns that explain it, which are rounded to tens, which cut where.

    Where outcome or columns are not said, the roles of the columns say them: the only sensitive one, and the
    quasi-identifiers.
    """

    outcome: str = ""
    explaining: tuple[str, ...] = ()
    rounded: tuple[str, ...] = ()
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])

    def __post_init__(self) -> None:
        check_cuts(self.cuts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRules:
    """How large a test set is, how many rows may be named for a record, and what the risk is the product of."""

    __test__ = False

    members: int = 50
    others: int = 50
    answers: int = 3
    factors: tuple[str, ...] = FACTORS

    def __post_init__(self) -> None:
        if not self.factors or set(self.factors) - set(FACTORS) or len(set(self.factors)) < len(self.factors):
            raise ParameterError("factors", f"be some of {', '.join(FACTORS)}, each once", list(self.factors))
        for name, value in (("members", self.members), ("others", self.others), ("answers", self.answers)):
            if not 1 <= value <= MOST[name]:
                raise ParameterError(name, f"lie between 1 and {MOST[name]:,}", value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRules:
    """The conditions of one round and the delta of its risk; a measure without a limit is reported only.

    Attributes:
        kept: the least share of the records that must be kept.
        order_attacks: whether attackers may use the order of the rows, where the rules have them in the original's.
    """

    iloss: float | None = None
    rate: float | None = None
    cor: float | None = None
    odds: float | None = None
    uniqrt: float | None = None
    kept: float | None = None
    delta: float = 0.0
    order_attacks: bool = True

    def __post_init__(self) -> None:
        for item in fields(self):
            value: float | None = getattr(self, item.name)
            if item.name != "order_attacks" and value is not None and not 0 <= value <= FARTHEST:
                raise ParameterError(item.name, f"lie between 0 and {FARTHEST:,}", value)


@dataclass(frozen=True, kw_only=True)
class RecordRules(ColumnedRules):
    """A contest over records.

    Attributes:
        in_order: whether a release must have its rows in the original's order; else they are shuffled before they
            leave.
    """

    round: str
    space: RecordSpace
    measures: MeasureRules
    test: TestRules
    rounds: Mapping[str, RoundRules]
    in_order: bool = True

    def __post_init__(self) -> None:
        asked = [*self.space.measured, *self.space.compared, self.measures.outcome, *self.measures.explaining]
        unknown = sorted({name for name in asked if name} - set(self.schema.names))
        if unknown and (self.own is None or not self.own.open_columns):
            raise ParameterError("columns", "hold every column that space and measures name", unknown)
        self.find_round(self.round)
        shown = self.contest.ranking.measure
        if shown and shown not in MEASURED:
            raise ParameterError("contest.ranking.measure", f"be one of {', '.join(MEASURED)}", shown)

    @property
    def usual_round(self) -> str:
        """The round that is meant where none is named."""
        return self.round

    def settle_contest(self) -> ContestRules:
        """Return the contest's own rules; each of its rounds must have conditions."""
        settled = self.contest.settle_rounds(self.usual_round)
        for each in settled.rounds:
            self.find_round(each.name)
        return settled

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.RECORDS

    def parameters(self, round_name: str = "") -> dict[str, object]:
        """Return what the rules say to methods and adversaries that leave it open, by the parameter's name."""
        round_rules = self.find_round(round_name)
        limits = {rules.name: rules.bounds() for rules in self.columns if rules.kind.numeric}
        return {
            "measured": self.space.measured,
            "compared": self.space.compared,
            "limit": round_rules.iloss,
            "delta": round_rules.delta,
            "answers": self.test.answers,
            "low": {name: low for name, (low, _) in limits.items() if low is not None},
            "high": {name: high for name, (_, high) in limits.items() if high is not None},
        }

    def find_round(self, name: str) -> RoundRules:
        """Return a round by name; the empty name means the usual one."""
        name = name or self.round
        if name not in self.rounds:
            raise ParameterError("round", f"be one of {', '.join(self.rounds)}", name)
        return self.rounds[name]
