"""Rules of a contest over records: one row per person, some deleted, the others changed within a limit.

A broken condition disqualifies: the risk is 1 whatever the attacks do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from sekisho.contest.rules import ContestRules
from sekisho.contest.scoring import DELETED, RELEASED
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.layout import Layout
from sekisho.data.files.sheet import SheetRules
from sekisho.data.records.space import RecordSpace
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.safety.terms import MeasureRules, RecordTerms, RoundRules, TestRules
from sekisho.utility.schema_terms import RecordSchema
from sekisho.words import Said

MEASURED = ("rate", "odds", "cor", "iloss", "uniqrt", "kept")
"""The measures of a release that conditions limit."""


@dataclass(frozen=True, kw_only=True)
class RecordRules(RecordTerms):
    """A contest over records: terms of judging, and what is said of the contest itself."""

    contest: ContestRules = field(default_factory=ContestRules)

    def __post_init__(self) -> None:
        super().__post_init__()
        shown = self.contest.ranking.measure
        if shown and shown not in MEASURED:
            raise ParameterError(
                "contest.ranking.measure", Said("be one of {round_names}", round_names=", ".join(MEASURED)), shown
            )

    @property
    def release_files(self) -> tuple[str, ...]:
        """What the files of a release are."""
        return (RELEASED, DELETED)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRulesFile:
    """Rules of a contest over records as their file has them."""

    kind: str
    name: str
    title: Title
    columns: tuple[FieldRules, ...]
    sheet: SheetRules
    round: str
    space: RecordSpace
    measures: MeasureRules
    test: TestRules
    rounds: Mapping[str, RoundRules]
    in_order: bool = True
    contest: ContestRules = field(default_factory=ContestRules)

    def __post_init__(self) -> None:
        self.rules()

    def rules(self) -> RecordRules:
        """Return the rules."""
        return RecordRules(
            name=self.name,
            title=self.title,
            layout=Layout(shape=Shape.RECORDS, columns=self.columns, sheet=self.sheet),
            round=self.round,
            space=self.space,
            measures=self.measures,
            test=self.test,
            rounds=self.rounds,
            in_order=self.in_order,
            contest=self.contest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordContestSchema(RecordSchema):
    """Records of one's own over which a contest is held."""

    contest: ContestRules = field(default_factory=ContestRules)

    def rules(self, stem: str) -> RecordRules:
        """Return the rules."""
        terms = self.terms(stem)
        return RecordRules(**{item.name: getattr(terms, item.name) for item in fields(terms)}, contest=self.contest)
