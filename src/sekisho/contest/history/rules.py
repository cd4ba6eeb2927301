"""Rules of a contest over histories: rows generalised and deleted truthfully, people named by pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import polars as pl

from sekisho.contest.rules.columned_rules import ColumnedRules
from sekisho.data.files.grammar import FieldRules, Grammar, check_pattern
from sekisho.data.files.settings import parse_settings
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.data.frame.schema import Kind, Role
from sekisho.data.shape import Shape
from sekisho.errors import InputError, ParameterError
from sekisho.safety.rejection import Bound, RejectionRule

MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudonymRules:
    """How pseudonyms look in a release."""

    pattern: str

    def __post_init__(self) -> None:
        check_pattern(self.pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityRules:
    """Which measure ranks the releases, by its name in the room of utility."""

    measure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRules:
    """When an attack is effective.

    Attributes:
        p: the chance of naming one person that a safe release allows.
        alpha: the level of the test.
        thresholds: the normative file of lines ``n,r(n)`` beside the rules; where formula and file differ, the file
            wins.
    """

    p: Fraction
    alpha: Fraction
    thresholds: str = ""

    def __post_init__(self) -> None:
        RejectionRule(p=self.p, alpha=self.alpha)


@dataclass(frozen=True, kw_only=True)
class HistoryRules(ColumnedRules):
    """A contest over histories: many rows per person, generalised and deleted truthfully, people under pseudonyms."""

    grammar: Grammar
    pseudonym: PseudonymRules
    utility: UtilityRules
    verdict: VerdictRules
    normative: Mapping[int, int] = field(default_factory=dict[int, int], metadata={"derived": True})

    def __post_init__(self) -> None:
        holders = [rules for rules in self.columns if rules.role is Role.IDENTIFIER]
        if len(holders) != 1 or holders[0].kind is not Kind.CATEGORY:
            raise ParameterError(
                "columns", "hold exactly one identifier, a category", [rules.name for rules in holders]
            )

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return Shape.HISTORY

    def parameters(self, bound: Bound | None = None) -> dict[str, object]:
        """Return what the rules say to methods and adversaries that leave it open, by the parameter's name."""
        parameters: dict[str, object] = {
            "p": self.verdict.p,
            "alpha": self.verdict.alpha,
            "max_set": self.grammar.max_set,
        }
        return parameters if bound is None else parameters | {"bound": bound}

    @cached_property
    def holder(self) -> FieldRules:
        """The column of people."""
        return next(rules for rules in self.columns if rules.role is Role.IDENTIFIER)

    def rejection(self, bound: Bound) -> RejectionRule:
        """Return the test with one of the bounds."""
        return RejectionRule(p=self.verdict.p, alpha=self.verdict.alpha, bound=bound)

    def threshold(self, claimed: int, bound: Bound) -> int:
        """Return the fewest effective hits: under ``union`` the normative file's where it has the number."""
        if bound is Bound.UNION and claimed in self.normative:
            return self.normative[claimed]
        return self.rejection(bound).threshold(claimed)


def parse_history_rules(text: str, path: Path) -> HistoryRules:
    """Return the rules in a TOML text, the thresholds read from the file beside it."""
    rules = parse_settings(text, HistoryRules, source=str(path))
    if not rules.verdict.thresholds:
        return rules
    return _read_thresholds(rules, path.parent / rules.verdict.thresholds)


def _read_thresholds(rules: HistoryRules, path: Path) -> HistoryRules:
    text = decode_text(read_bytes(path, max_bytes=MAX_BYTES), path)
    parts = (
        pl.Series(text.splitlines(), dtype=pl.String).str.extract_groups(r"^([0-9]{1,9}),([0-9]{1,9})$").struct.unnest()
    )
    wrong = parts.to_series(0).is_null().arg_true().to_list()
    if wrong:
        raise InputError(path, f"line {wrong[0] + 1} is not of the form n,r(n)")
    claimed, hits = (parts.to_series(i).cast(pl.Int64).to_list() for i in range(2))
    return replace(rules, normative=dict(zip(claimed, hits, strict=True)))
