"""Contest rules as frozen types, read from TOML.

Rules are data: columns, grammar, limits, measures and verdict stand in the file; a built-in contest is a file in ``rulebooks``. The
``kind`` at the top says which type of contest it is. An unknown key or an impossible value is refused, all at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import polars as pl

from sekisho.data.grammar import FieldRules, Grammar, check_pattern
from sekisho.data.io import decode, read_bytes
from sekisho.data.schema import Kind, Role, Schema
from sekisho.data.settings import parse_settings
from sekisho.data.sheet import SheetRules
from sekisho.errors import InputError, ParameterError, UnknownNameError
from sekisho.safety.rejection import Bound, RejectionRule

RULEBOOKS = files("sekisho.contest") / "rulebooks"
MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A contest's name in both languages."""

    en: str
    ja: str


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
        thresholds: the normative file of lines ``n,r(n)`` beside the rules; where formula and file differ, the file wins.
    """

    p: Fraction
    alpha: Fraction
    thresholds: str = ""

    def __post_init__(self) -> None:
        RejectionRule(p=self.p, alpha=self.alpha)


@dataclass(frozen=True, kw_only=True)
class HistoryRules:
    """A contest over histories: many rows per person, generalised and deleted truthfully, people named by pseudonyms."""

    kind: str
    name: str
    title: Title
    columns: tuple[FieldRules, ...]
    grammar: Grammar
    sheet: SheetRules
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

    @cached_property
    def schema(self) -> Schema:
        """The original's columns."""
        return Schema(tuple(rules.column for rules in self.columns))

    @cached_property
    def holder(self) -> FieldRules:
        """The column of people."""
        return next(rules for rules in self.columns if rules.role is Role.IDENTIFIER)

    @cached_property
    def attributes(self) -> tuple[FieldRules, ...]:
        """The columns that are not the identifier."""
        return tuple(rules for rules in self.columns if rules.role is not Role.IDENTIFIER)

    def rejection(self, bound: Bound) -> RejectionRule:
        """Return the test with one of the bounds."""
        return RejectionRule(p=self.verdict.p, alpha=self.verdict.alpha, bound=bound)

    def threshold(self, claimed: int, bound: Bound) -> int:
        """Return the fewest effective hits: under ``union`` the normative file's where it has the number."""
        if bound is Bound.UNION and claimed in self.normative:
            return self.normative[claimed]
        return self.rejection(bound).threshold(claimed)


def builtin_rules() -> tuple[str, ...]:
    """Return the names of the contests shipped with the package."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in RULEBOOKS.iterdir() if entry.name.endswith(".toml"))
    )


def rules_path(which: str) -> Path:
    """Return the file of a built-in contest, by name, or the TOML file itself, by path."""
    path = Path(which)
    if path.suffix == ".toml":
        return path
    if which not in builtin_rules():
        raise UnknownNameError("rulebook", which, builtin_rules())
    return Path(str(RULEBOOKS / f"{which}.toml"))


def read_rules(which: str) -> HistoryRules:
    """Return the rules of a built-in contest, by name, or of a TOML file, by path."""
    path = rules_path(which)
    rules = parse_settings(decode(read_bytes(path, max_bytes=MAX_BYTES), path), HistoryRules, source=str(path))
    if not rules.verdict.thresholds:
        return rules
    return _with_thresholds(rules, path.parent / rules.verdict.thresholds)


def _with_thresholds(rules: HistoryRules, path: Path) -> HistoryRules:
    text = decode(read_bytes(path, max_bytes=MAX_BYTES), path)
    parts = (
        pl.Series(text.splitlines(), dtype=pl.String).str.extract_groups(r"^([0-9]{1,9}),([0-9]{1,9})$").struct.unnest()
    )
    wrong = parts.to_series(0).is_null().arg_true().to_list()
    if wrong:
        raise InputError(path, f"line {wrong[0] + 1} is not of the form n,r(n)")
    claimed, hits = (parts.to_series(i).cast(pl.Int64).to_list() for i in range(2))
    return replace(rules, normative=dict(zip(claimed, hits, strict=True)))
