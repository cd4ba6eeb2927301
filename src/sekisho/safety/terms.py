"""Terms of judging: under which layout data are read, and what is asked of a release of them and of attacks on it.

Terms of a history hold the test of H0 and the measure that ranks releases; terms of records the test set, what the
measures look at, and the limits of each round. Terms come from a schema of one's own, where everything may be left out,
or from a contest's rules, which are terms that also say how the contest goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Self

from sekisho.data.files.layout import Layout, SchemaLayout
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.dataset import Kind, Role, Schema
from sekisho.data.records.space import FARTHEST, RecordSpace, check_cuts
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.safety.rejection import Bound, RejectionRule
from sekisho.words import Said

USUAL_MEASURE = "cell-error"
ONLY_ROUND = "own"
FACTORS = ("recall", "precision", "topk")
"""What the risk of an attack may be the product of."""
MOST = {"members": 1_000_000, "others": 1_000_000, "answers": 100}
"""The largest test set, and the most rows named for a record."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityRules:
    """Which measure ranks the releases, by its name in the room of utility."""

    measure: str


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
            raise ParameterError(
                "factors", Said("be some of {factors}, each once", factors=", ".join(FACTORS)), list(self.factors)
            )
        for name, value in (("members", self.members), ("others", self.others), ("answers", self.answers)):
            if not 1 <= value <= MOST[name]:
                raise ParameterError(name, Said("lie between 1 and {most_files:,}", most_files=MOST[name]), value)


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
                raise ParameterError(
                    item.name, Said("lie between 0 and {longest_grace:,}", longest_grace=FARTHEST), value
                )


@dataclass(frozen=True, kw_only=True)
class NamedTerms:
    """What terms of every shape have.

    Attributes:
        name: what the data are called in results.
        title: the same on pages.
        layout: how files look.
    """

    name: str
    title: Title
    layout: Layout

    def with_layout(self, layout: Layout) -> Self:
        """Return the terms with another layout, such as one that data have settled."""
        return replace(self, layout=layout)

    def adopt_schema(self, schema: SchemaFile) -> Self:
        """Return the terms for files that another schema describes, such as one that data have settled."""
        return self.with_layout(SchemaLayout.of(schema, grammar=self.layout.grammar))

    @property
    def shape(self) -> Shape:
        """What a row is."""
        return self.layout.shape

    @property
    def schema(self) -> Schema:
        """The original's columns."""
        return self.layout.schema


@dataclass(frozen=True, kw_only=True)
class HistoryTerms(NamedTerms):
    """Terms of a history: many rows per person, generalised and deleted truthfully, people under pseudonyms.

    Attributes:
        utility: which measure ranks the releases.
        verdict: the test of H0.
        normative: by number of claims the fewest effective hits, where a table has it.
    """

    utility: UtilityRules
    verdict: VerdictRules
    normative: Mapping[int, int] = field(default_factory=dict[int, int])

    def __post_init__(self) -> None:
        holders = [rules for rules in self.layout.columns if rules.role is Role.IDENTIFIER]
        if len(holders) != 1 or holders[0].kind is not Kind.CATEGORY:
            raise ParameterError(
                "columns", Said("hold exactly one identifier, a category"), [rules.name for rules in holders]
            )

    def parameters(self, bound: Bound | None = None) -> dict[str, object]:
        """Return what the terms say to methods and adversaries that leave it open, by the parameter's name."""
        parameters: dict[str, object] = {
            "p": self.verdict.p,
            "alpha": self.verdict.alpha,
            "max_set": self.layout.grammar.max_set,
        }
        return parameters if bound is None else parameters | {"bound": bound}

    def rejection(self, bound: Bound) -> RejectionRule:
        """Return the test with one of the bounds."""
        return RejectionRule(p=self.verdict.p, alpha=self.verdict.alpha, bound=bound)

    def threshold(self, claimed: int, bound: Bound) -> int:
        """Return the fewest effective hits: under ``union`` the normative file's where it has the number."""
        if bound is Bound.UNION and claimed in self.normative:
            return self.normative[claimed]
        return self.rejection(bound).threshold(claimed)


@dataclass(frozen=True, kw_only=True)
class RecordTerms(NamedTerms):
    """Terms of records: one row per person, some deleted, the others changed within a limit.

    Attributes:
        round: which of the rounds is the usual one.
        space: how far one record is from another.
        measures: what the measures look at.
        test: how test sets are drawn and judged.
        rounds: by name the limits of each.
        in_order: whether a release must have its rows in the original's order; else they are shuffled before they
            leave.
    """

    round: str
    space: RecordSpace
    measures: MeasureRules
    test: TestRules
    rounds: Mapping[str, RoundRules]
    in_order: bool

    def __post_init__(self) -> None:
        asked = [*self.space.measured, *self.space.compared, self.measures.outcome, *self.measures.explaining]
        unknown = sorted({name for name in asked if name} - set(self.schema.names))
        if unknown and not self.layout.open_columns:
            raise ParameterError("columns", Said("hold every column that space and measures name"), unknown)
        self.find_round(self.round)

    def parameters(self, round_name: str = "") -> dict[str, object]:
        """Return what the terms say to methods and adversaries that leave it open, by the parameter's name."""
        round_rules = self.find_round(round_name)
        limits = {rules.name: rules.bounds() for rules in self.layout.columns if rules.kind.numeric}
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
            raise ParameterError("round", Said("be one of {round_names}", round_names=", ".join(self.rounds)), name)
        return self.rounds[name]


Terms = HistoryTerms | RecordTerms
