"""Rules of a contest over records: one row per person, some deleted, the others changed within a limit.

A broken condition disqualifies: the risk is 1 whatever the attacks do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sekisho.contest.rules import MAX_BYTES, HistoryRules, Title, read_rules, rules_path
from sekisho.data.grammar import FieldRules
from sekisho.data.io import decode, read_bytes
from sekisho.data.records import FARTHEST, RecordSpace, check_cuts
from sekisho.data.schema import Schema
from sekisho.data.settings import parse_settings, parse_toml
from sekisho.data.sheet import SheetRules
from sekisho.errors import ParameterError

MOST = {"members": 1_000_000, "others": 1_000_000, "answers": 100}
"""The largest test set, and the most rows named for a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRules:
    """What the measures look at: the outcome, the columns that explain it, which are rounded to tens and which are cut where."""

    outcome: str
    explaining: tuple[str, ...]
    rounded: tuple[str, ...] = ()
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])

    def __post_init__(self) -> None:
        check_cuts(self.cuts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRules:
    """How large a test set is and how many rows may be named for a record."""

    __test__ = False

    members: int = 50
    others: int = 50
    answers: int = 3

    def __post_init__(self) -> None:
        for name, value in (("members", self.members), ("others", self.others), ("answers", self.answers)):
            if not 1 <= value <= MOST[name]:
                raise ParameterError(name, f"lie between 1 and {MOST[name]:,}", value)


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

    def __post_init__(self) -> None:
        for name in ("iloss", "rate", "cor", "odds", "uniqrt", "kept", "delta"):
            if not 0 <= getattr(self, name) <= FARTHEST:
                raise ParameterError(name, f"lie between 0 and {FARTHEST:,}", getattr(self, name))


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


def read_rulebook(which: str) -> HistoryRules | RecordRules:
    """Return the rules of any contest, built-in or in a TOML file, as their ``kind`` says."""
    path = rules_path(which)
    text = decode(read_bytes(path, max_bytes=MAX_BYTES), path)
    kind = parse_toml(text, path).get("kind")
    return parse_settings(text, RecordRules, source=str(path)) if kind == "records" else read_rules(which)


def read_record_rules(which: str) -> RecordRules:
    """Return the rules of a contest over records."""
    rules = read_rulebook(which)
    if not isinstance(rules, RecordRules):
        raise ParameterError("rules", "be of a contest over records", which)
    return rules
