"""Does a release of records meet a round's conditions? One that breaks any is disqualified: its risk is 1.

A measure without a limit is reported beside them, where it is asked for, and is never broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError
from sekisho.safety.terms import RecordTerms
from sekisho.utility import MEASURES, Measure
from sekisho.words import Said

HAIR = 1e-12  # of float error in a ratio or a correlation; Iloss, uniqrt and the share kept are ratios of whole numbers


class Side(StrEnum):
    """Whether a value must stay below its limit or reach it."""

    AT_MOST = "at most"
    AT_LEAST = "at least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition: its value, its limit, and where there is no value the reason why.

    Attributes:
        value: None where the measure has none; the condition is then broken.
        limit: None where the rules set none; the value is then reported, and there is nothing to meet.
    """

    name: str
    value: float | None
    limit: float | None
    side: Side = Side.AT_MOST
    reason: str = ""

    @property
    def met(self) -> bool:
        """Tell whether the condition is kept."""
        if self.limit is None:
            return True
        if self.value is None:
            return False
        return self.value <= self.limit + HAIR if self.side is Side.AT_MOST else self.value >= self.limit - HAIR

    def as_dict(self) -> dict[str, object]:
        """Return the condition as plain data for JSON."""
        met = None if self.limit is None else self.met
        entries: dict[str, object] = {"value": self.value, "limit": self.limit, "met": met}
        return entries | ({"reason": self.reason} if self.reason else {})

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> Said:
        """Return the condition in words, its name and value in their columns."""
        value: str = Said("no value") if self.value is None else f"{self.value:.6f}"
        said = Said("{name:<8}{value:>12}  {asked}", name=self.name, value=value, asked=self._ask())
        return Said("{condition} ({reason})", condition=said, reason=self.reason) if self.reason else said

    def _ask(self) -> Said:
        if self.limit is None:
            return Said("no limit")
        verdict = Said("mark|met") if self.met else Said("BROKEN")
        if self.side is Side.AT_MOST:
            return Said("at most {limit:g}: {verdict}", limit=self.limit, verdict=verdict)
        return Said("at least {limit:g}: {verdict}", limit=self.limit, verdict=verdict)


def make_measures(rules: RecordTerms, schema: Schema | None = None) -> Mapping[str, Measure]:
    """Return the rules' measures by name.

    Each is imported when it is made, so that a check need not wait for a regression.

    Args:
        rules: of the contest, or one's own.
        schema: of the data; where neither rules nor schema say which column is the outcome, nothing is measured of it.
    """
    asked = rules.measures
    sensitive = (schema or rules.schema).with_role(Role.SENSITIVE)
    space = {"measured": rules.space.measured, "compared": rules.space.compared}
    explained: dict[str, Measure] = {}
    if asked.outcome or len(sensitive) == 1:
        explained = {
            "rate": MEASURES.make("rate", outcome=asked.outcome, columns=asked.explaining, cuts=asked.cuts),
            "odds": MEASURES.make("odds", outcome=asked.outcome, columns=asked.explaining),
        }
    return explained | {
        "cor": MEASURES.make("cor"),
        "iloss": MEASURES.make("iloss", **space),
        "uniqrt": MEASURES.make("uniqrt", columns=asked.explaining, rounded=asked.rounded),
    }


def check_conditions(
    rules: RecordTerms, original: Dataset, release: Release, *, round_name: str = "", limited: bool = False
) -> tuple[Condition, ...]:
    """Return every condition of a round, kept or broken.

    Args:
        rules: of the contest, or one's own.
        original: the data.
        release: made of them.
        round_name: the round; the rules' usual one if empty.
        limited: whether only measures that have a limit are asked for; the others are then not computed.
    """
    limits = rules.find_round(round_name)
    measures = make_measures(rules, original.schema)
    least: dict[str, float | None] = {name: getattr(limits, name) for name in measures}
    if limited:
        least = {name: limit for name, limit in least.items() if limit is not None}
    kept = float((~release.deleted).sum()) / len(original)
    if not kept:
        reason = Said("nothing is left")
        measured = [Condition(name=name, value=None, limit=limit, reason=reason) for name, limit in least.items()]
    else:
        measured = [_measure(name, measures[name], limit, original, release) for name, limit in least.items()]
    return (*measured, Condition(name="kept", value=kept, limit=limits.kept, side=Side.AT_LEAST))


def _measure(name: str, measure: Measure, limit: float | None, original: Dataset, release: Release) -> Condition:
    try:
        return Condition(name=name, value=measure.compare(original, release).value, limit=limit)
    except InfeasibleError as error:
        return Condition(name=name, value=None, limit=limit, reason=str(error))
