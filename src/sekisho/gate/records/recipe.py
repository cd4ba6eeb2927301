"""What the gate does with records: rules and round, the ways to protect them, who attacks, up to which risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sekisho.attack import Adversary
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.keys import Standard
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.safety.terms import RecordTerms

TESTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordsRecipe:
    """A recipe for records, its methods and adversaries made.

    Attributes:
        rules: the contest's, or one's own.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        target: the mean risk that no adversary may reach.
        tests: how many test sets are drawn for each adversary.
        round_name: whose conditions hold; the rules' usual one if empty.
        shuffled: whether the rows are published in an order that tells nothing.
        policy: which verdict each rule asks for.
        title: on pages; the rules' own if None.
        standards: what the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
    """

    rules: RecordTerms
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    target: float
    tests: int = TESTS
    round_name: str = ""
    shuffled: bool = True
    policy: Policy = field(default_factory=Policy)
    title: Title | None = None
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if not 0 < self.target <= 1:
            raise ParameterError("target", "lie above 0 and be at most 1", self.target)
        if self.tests < 1:
            raise ParameterError("tests", "be at least 1", self.tests)
        self.rules.find_round(self.round_name)

    @property
    def called(self) -> Title:
        """What the data are called."""
        return self.title or self.rules.title
