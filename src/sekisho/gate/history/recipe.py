"""What the gate does with a history: its rules, the ways to protect it, who attacks, which bound decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sekisho.attack import Adversary
from sekisho.data.title import Title
from sekisho.gate.fit import fit
from sekisho.gate.outcome import Reason
from sekisho.gate.output_files import BY_ROW, TRUTH, name_guess_files
from sekisho.gate.policy import Policy, list_useless_columns, make_reason
from sekisho.gate.recipes.keys import RecipeRelease, Standard
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import USUAL_MEASURE, HistoryTerms
from sekisho.safety.usefulness import MOST_ERROR, is_hardly_useful
from sekisho.utility.score import Score
from sekisho.words import Said


class ClaimPolicy(StrEnum):
    """What becomes of a release of which the safety claim H0 itself is not proven."""

    REQUIRED = "required"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class HistoryRecipe:
    """A recipe for a history, its methods and adversaries made.

    Attributes:
        rules: the contest's, or one's own.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        bound: the bound that decides.
        claim: whether a release whose claim H0 is not proven goes to review, or is judged by the attacks alone.
        releases: finished ones of one's own.
        limits: by measure the largest value that leaves without a look.
        policy: which verdict each rule asks for.
        title: on pages; the rules' own if None.
        standards: what the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
        coarser: the columns that are told more coarsely than they are known.
        leave_out: how many people, those hardest to hide, are left out altogether.

    Raises:
        ParameterError: a method would publish what the rules forbid.
    """

    rules: HistoryTerms
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    bound: Bound = Bound.EXACT
    claim: ClaimPolicy = ClaimPolicy.REQUIRED
    releases: tuple[RecipeRelease, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Policy = field(default_factory=Policy)
    title: Title | None = None
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    coarser: CoarserColumns = field(default_factory=CoarserColumns)
    leave_out: int = 0

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (BY_ROW, TRUTH, *name_guess_files(self.adversaries).values())

    @property
    def called(self) -> Title:
        """What the data are called."""
        return self.title or self.rules.title

    def __post_init__(self) -> None:
        for method in self.methods.values():
            fit(method, self.rules.parameters())

    def list_limits(self, score: Score, *, kept: int, rows: int, measure: Callable[[str], float]) -> Iterator[Reason]:
        """Give which limits a release exceeds, and whether it is of hardly any use, wherever its rows are.

        Args:
            score: of the usual measure.
            kept: how many rows are released.
            rows: of how many.
            measure: measures the release in another way, by name.
        """
        usual = self.rules.utility.measure
        for name, limit in self.limits.items():
            value = score.value if name == usual else measure(name)
            if value > limit:
                yield make_reason(
                    "limit exceeded",
                    Said("{name} is {value:.4g}, at most {limit:g} leaves unseen", name=name, value=value, limit=limit),
                )
        lost = score.value if usual == USUAL_MEASURE else 0.0
        if is_hardly_useful(kept=kept, records=rows, lost=lost, most=MOST_ERROR):
            detail = Said(
                "{kept:,} of {rows:,} rows left, {measure} {value:.3f}",
                kept=kept,
                rows=rows,
                measure=usual,
                value=score.value,
            )
            yield make_reason("hardly any use", detail)
        elif usual == USUAL_MEASURE and not self.rules.layout.strict:  # a contest has its own index for that
            yield from list_useless_columns(score.detail, left_out=self.coarser.left_out)
