"""Rules of a contest over histories: rows generalised and deleted truthfully, people named by pseudonyms."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import polars as pl

from sekisho.contest.rules import ContestRules
from sekisho.contest.scoring import RELEASED
from sekisho.data.files.grammar import FieldRules, Grammar, check_pattern
from sekisho.data.files.layout import Layout
from sekisho.data.files.settings import build_settings
from sekisho.data.files.sheet import SheetRules
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import InputError
from sekisho.safety.terms import HistoryTerms, UtilityRules, VerdictRules
from sekisho.utility.schema_terms import HistorySchema
from sekisho.words import Said

MAX_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class HistoryRules(HistoryTerms):
    """A contest over histories: terms of judging, and what is said of the contest itself."""

    contest: ContestRules = field(default_factory=ContestRules)

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return (RELEASED,)

    @property
    def usual_round(self) -> str:
        """The round that is meant where none is named."""
        return self.contest.rounds[-1].name if self.contest.rounds else "final"

    def settle_contest(self) -> ContestRules:
        """Return the contest's own rules, with one round and the usual phases where none are listed."""
        return self.contest.settle_rounds(self.usual_round)


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudonymRules:
    """How pseudonyms look in a release."""

    pattern: str

    def __post_init__(self) -> None:
        check_pattern(self.pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRulesFile:
    """Rules of a contest over histories as their file has them."""

    kind: str
    name: str
    title: Title
    columns: tuple[FieldRules, ...]
    sheet: SheetRules
    grammar: Grammar
    pseudonym: PseudonymRules
    utility: UtilityRules
    verdict: VerdictRules
    contest: ContestRules = field(default_factory=ContestRules)

    def __post_init__(self) -> None:
        self.rules()

    def rules(self) -> HistoryRules:
        """Return the rules, without the thresholds that stand beside them."""
        return HistoryRules(
            name=self.name,
            title=self.title,
            layout=Layout(
                shape=Shape.HISTORY,
                columns=self.columns,
                grammar=self.grammar,
                sheet=self.sheet,
                pseudonym=self.pseudonym.pattern,
            ),
            utility=self.utility,
            verdict=self.verdict,
            contest=self.contest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryContestSchema(HistorySchema):
    """A history of one's own over which a contest is held."""

    contest: ContestRules = field(default_factory=ContestRules)

    def rules(self, stem: str) -> HistoryRules:
        """Return the rules."""
        terms = self.terms(stem)
        return HistoryRules(**{item.name: getattr(terms, item.name) for item in fields(terms)}, contest=self.contest)


def build_history_rules(table: dict[str, object], path: Path) -> HistoryRules:
    """Return the rules in a table of TOML, the thresholds read from the file beside it."""
    rules = build_settings(table, HistoryRulesFile, source=str(path)).rules()
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
        raise InputError(path, Said("line {wrong} is not of the form n,r(n)", wrong=wrong[0] + 1))
    claimed, hits = (parts.to_series(i).cast(pl.Int64).to_list() for i in range(2))
    return replace(rules, normative=dict(zip(claimed, hits, strict=True)))
