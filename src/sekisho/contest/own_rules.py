"""Rules of one's own: a schema of one's data, and what a contest's rules would say, each of which may be left out.

::

    shape = "history"            # the schema: docs/guide/schema.md
    [verdict]
    p = "1/3"
    alpha = "1/2000"
    [utility]
    measure = "cell-error"
    [grammar]
    max_set = 100

For records: ``[measures]``, ``[space]``, ``[test]`` and ``[rounds.*]`` as in a contest's rules; a round has only the
limits one wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction

from sekisho.contest.history.rules import HistoryRules, PseudonymRules, UtilityRules, VerdictRules
from sekisho.contest.records.rules import MeasureRules, RecordRules, RoundRules, TestRules
from sekisho.contest.rules.contest_rules import ContestRules
from sekisho.contest.rules.title import Title
from sekisho.data.files.grammar import Grammar
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.files.sheet import SheetRules
from sekisho.data.frame.schema import Role
from sekisho.data.records.space import RecordSpace
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.utility import MEASURES

ONLY_ROUND = "own"
PSEUDONYM = "[1-9][0-9]{0,8}"
USUAL_MEASURE = "cell-error"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnVerdict:
    """When an attack is effective: at how small a chance of naming one person, at which level of the test."""

    p: Fraction = Fraction(1, 3)
    alpha: Fraction = Fraction(1, 2000)

    def __post_init__(self) -> None:
        VerdictRules(p=self.p, alpha=self.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnGrammar:
    """How large a set may be in a generalised cell."""

    max_set: int = 100

    def __post_init__(self) -> None:
        Grammar(max_set=self.max_set)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnUtility:
    """Which measure ranks the releases."""

    measure: str = USUAL_MEASURE

    def __post_init__(self) -> None:
        try:
            MEASURES.find_class(self.measure, Shape.HISTORY)
        except (UnknownNameError, ParameterError) as error:
            raise ParameterError("measure", f"be a measure of histories ({error})", self.measure) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile(SchemaFile):
    """A schema, and what the data are called.

    Attributes:
        name: in results; the file's own if empty.
        title: on pages; the name if not said.
        contest: what is said of a contest over the data.
    """

    name: str = ""
    title: Title | None = None
    contest: ContestRules = field(default_factory=ContestRules)

    def choose_title(self, stem: str) -> tuple[str, Title]:
        """Return name and title of data whose schema is in a file of this name."""
        name = self.name or stem
        return name, self.title or Title(en=name, ja=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnHistory(OwnFile):
    """A history of one's own and its rules."""

    verdict: OwnVerdict = field(default_factory=OwnVerdict)
    utility: OwnUtility = field(default_factory=OwnUtility)
    grammar: OwnGrammar = field(default_factory=OwnGrammar)

    def rules(self, stem: str) -> HistoryRules:
        """Return the rules."""
        name, title = self.choose_title(stem)
        return HistoryRules(
            kind=Shape.HISTORY.value,
            name=name,
            title=title,
            columns=self.fields(),
            grammar=Grammar(max_set=self.grammar.max_set),
            sheet=SheetRules(),
            pseudonym=PseudonymRules(pattern=PSEUDONYM),
            utility=UtilityRules(measure=self.utility.measure),
            verdict=VerdictRules(p=self.verdict.p, alpha=self.verdict.alpha),
            contest=self.contest,
            own=self,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRecords(OwnFile):
    """Records of one's own and their rules.

    Attributes:
        round: which of the rounds is the usual one; the first if empty.
        in_order: whether a release must keep its rows in the original's order; else they are shuffled before they
            leave.
    """

    round: str = ""
    in_order: bool = False
    space: RecordSpace = field(default_factory=RecordSpace)
    measures: MeasureRules = field(default_factory=MeasureRules)
    test: TestRules = field(default_factory=TestRules)
    rounds: Mapping[str, RoundRules] = field(default_factory=lambda: {ONLY_ROUND: RoundRules()})

    def __post_init__(self) -> None:
        super(OwnRecords, self).__post_init__()
        if not self.rounds:
            raise ParameterError("rounds", "hold at least one", [])
        limited = [name for name, each in self.rounds.items() if each.rate is not None or each.odds is not None]
        sensitive = [each for each in self.columns if each.role is Role.SENSITIVE]
        if limited and not self.measures.outcome and len(sensitive) != 1:
            rule = "be given, or one column be sensitive, where rate or odds have a limit"
            raise ParameterError("measures.outcome", rule, self.measures.outcome)

    def rules(self, stem: str) -> RecordRules:
        """Return the rules."""
        name, title = self.choose_title(stem)
        return RecordRules(
            kind=Shape.RECORDS.value,
            name=name,
            title=title,
            round=self.round or next(iter(self.rounds)),
            sheet=SheetRules(),
            space=self.space,
            measures=self.measures,
            test=self.test,
            rounds=self.rounds,
            in_order=self.in_order,
            columns=self.fields(),
            contest=self.contest,
            own=self,
        )


def own_rules(schema: SchemaFile, name: str) -> HistoryRules | RecordRules:
    """Return rules for data of one's own: what the schema does not say is as usual.

    Args:
        schema: of the data; one that came from options says nothing but columns.
        name: what the data are called where the schema does not say it.
    """
    kind = OwnHistory if schema.shape is Shape.HISTORY else OwnRecords
    if isinstance(schema, OwnHistory | OwnRecords):
        return schema.rules(name)
    values = {item.name: getattr(schema, item.name) for item in fields(schema)}
    return kind(**values).rules(name)
