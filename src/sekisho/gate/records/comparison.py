"""Several releases of one file of records, side by side: how small their classes are, what they lost, who is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import Release, SyntheticRelease, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.review import ReleaseReview
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.candidate import AnyRecordsCandidate
from sekisho.gate.records.cell_attacks import PEOPLE, CellAttack, attack_cells
from sekisho.gate.records.control_attacks import (
    WITHIN,
    ControlFiles,
    ControlledScene,
    list_controlled,
)
from sekisho.gate.records.copies import attack_copies
from sekisho.gate.records.counted_attempt import CountedAttempt
from sekisho.parameters import checked
from sekisho.provenance import Provenance
from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
from sekisho.safety.records.classes import ColumnCodes, code_values
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.seeds import Seed
from sekisho.utility import Measure
from sekisho.utility.records.distributions import Associations, DistributionDistance, Marginals, PairTables
from sekisho.utility.records.information_loss import CertaintyPenalty, Discernibility, EntropyLoss
from sekisho.utility.score import Score
from sekisho.words import Said

ORIGINAL = "original"
"""What the unchanged file is called beside its releases."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseFigures:
    """What was counted of a release beside its original, wherever its rows are.

    Attributes:
        name: of the release.
        classes: of equal keys as they are written, what they tell about sensitive columns, and the chances of those
            who know the keys.
        scores: by measure.
        review: what a person must look at before it leaves.
        verdict: what should happen with it, as far as that is seen without holding it to a risk.
        account: what covers what leaves; an empty one where nobody accounted for it, None of the original.
    """

    name: str
    classes: RecordRisk
    scores: Mapping[str, Score]
    review: ReleaseReview = field(default_factory=ReleaseReview)
    verdict: Verdict = Verdict.RELEASE
    account: Account | None = None

    @property
    def k(self) -> int:
        """The size of the smallest class of equal keys."""
        return self.classes.k

    @property
    def uniques(self) -> int:
        """How many records are alone in their class."""
        return self.classes.uniques

    @property
    def diversity(self) -> int | None:
        """The fewest distinct sensitive values of a class; None where no column is sensitive."""
        return self.classes.diversity

    @property
    def rows(self) -> int:
        """How many records were released."""
        return self.classes.rows

    def describe_rows(self) -> dict[str, object]:
        """Return what more is known of the rows, as plain data."""
        return {}

    def describe_attacks(self) -> dict[str, object]:
        """Return what attackers found, as plain data."""
        return {}

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "release": self.name,
            "rows": self.rows,
            **self.describe_rows(),
            "k": self.k,
            "uniques": self.uniques,
            "classes": self.classes.classes,
            "l": self.diversity,
            "t": self.classes.closeness,
            "measures": {name: score.value for name, score in self.scores.items()},
            "detail": {name: dict(score.detail) for name, score in self.scores.items()},
            **self.describe_attacks(),
            "identifying": list(self.review.names),
            "warnings": self.review.list_warnings(),
            **({} if self.account is None else self.account.as_dict()),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared(ReleaseFigures):
    """A release whose records stand beside the original's, and what was found about it.

    Attributes:
        release: itself.
        ordered: whether its rows are known to stand in the original's order.
        attacks: everybody's.
        controlled: those that were counted on people who are not in the original as well.
    """

    release: Release
    ordered: bool
    attacks: tuple[CellAttack, ...]
    controlled: tuple[CountedAttempt, ...] = ()

    @property
    def rows(self) -> int:
        """How many records were released."""
        return int((~self.release.deleted).sum())

    @property
    def risk(self) -> float | None:
        """The share of the people that a prosecutor with all keys finds; None of a synthetic file."""
        return (self.attacks[0].share or 0.0) if self.attacks else None

    def describe_rows(self) -> dict[str, object]:
        """Return what more is known of the rows, as plain data."""
        synthetic = isinstance(self.release, SyntheticRelease)
        return {"left_out": int(self.release.deleted.sum()), "in_order": self.ordered, "synthetic": synthetic}

    def describe_attacks(self) -> dict[str, object]:
        """Return what attackers found, as plain data."""
        controlled = [each.as_dict() for each in self.controlled]
        return {
            "attacks": [attack.as_dict() for attack in self.attacks],
            **({"controlled": controlled} if controlled else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Comparison:
    """What is compared.

    Attributes:
        keys: what an adversary may know; all quasi-identifiers if none is named.
        sensitive: what must stay hidden; it is also what models predict.
        trees: of keys whose cells are labels.
        subsets: what weaker prosecutors know; the first half of the keys if none is named.
        people: how many people are looked for at most.
        controls: people who are not in the original, on whom attacks are counted as well; None if there are none.
        within: how near a guessed number must be.
    """

    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    subsets: tuple[tuple[str, ...], ...] = ()
    people: int = PEOPLE
    controls: ControlFiles | None = None
    within: str = WITHIN

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ParameterError("people", Said("be at least 1"), self.people)

    def settle(self, data: Dataset) -> Comparison:
        """Return what is compared with every column named.

        Raises:
            ParameterError: a column is unknown or is named as two things.
        """
        require_one_row(data)
        names = [column.name for column in data.schema.attributes]
        sensitive = self.sensitive or data.schema.with_role(Role.SENSITIVE)
        keys = self.keys or tuple(name for name in data.schema.with_role(Role.QUASI) if name not in sensitive)
        named = [*keys, *sensitive, *(name for some in self.subsets for name in some), *self.trees]
        unknown = sorted({name for name in named if name not in names})
        if unknown:
            raise ParameterError("columns", Said("be among {names}", names=", ".join(names)), unknown)
        if not keys or set(keys) & set(sensitive) or len(set(keys)) < len(keys):
            raise ParameterError("keys", Said("be at least one, distinct, and not sensitive"), keys)
        strange = [some for some in self.subsets if not some or not set(some) <= set(keys)]
        if strange:
            raise ParameterError("known", Said("be keys"), strange)
        half = keys[: -(-len(keys) // 2)]
        subsets = self.subsets or ((half,) if len(half) < len(keys) else ())
        return replace(self, keys=keys, sensitive=tuple(sensitive), subsets=subsets)

    def run(self, data: Dataset, releases: Iterable[AnyRecordsCandidate], *, seed: Seed) -> Iterator[Compared]:
        """Give the original and then each release, with all that was found about it.

        The same people are attacked in every release, wherever its file lies: only so can figures be compared.

        Args:
            data: the original.
            releases: as they were looked at.
            seed: of the attacks.
        """
        settled = self.settle(data)
        yield settled.examine(data, ORIGINAL, leave_unchanged(data), ordered=True, seed=seed.child(ORIGINAL))
        same = seed.child("release")
        for one in releases:
            figures = settled.examine(data, one.label, one.release, ordered=one.ordered, seed=same)
            yield replace(figures, review=one.review, verdict=one.verdict, account=one.account)

    def examine(self, data: Dataset, name: str, release: Release, *, ordered: bool, seed: Seed) -> Compared:
        """Return what is found about one release; the columns are settled."""
        attacks: tuple[CellAttack, ...] = ()
        if not isinstance(release, SyntheticRelease):  # no row of which is anybody's
            attacks = attack_cells(
                data, release, ordered=ordered, keys=self.keys, subsets=self.subsets, seed=seed, most=self.people
            )
        return Compared(
            name=name,
            release=release,
            ordered=ordered,
            classes=self.assess_classes(release),
            scores=self.measure(data, release, ordered=ordered),
            attacks=attacks,
            controlled=self._attack_controls(data, release, seed.child("controls")),
        )

    def _attack_controls(self, data: Dataset, release: Release, seed: Seed) -> tuple[CountedAttempt, ...]:
        files = None if self.controls is None else self.controls.with_roles(data)
        copies = attack_copies(release, data, None if files is None else files.controls, allowed=1.0)
        if files is None:
            return copies
        scene = ControlledScene(
            original=data,
            files=files,
            keys=self.keys,
            allowed=1.0,
            people=self.people,
        )
        usual = list_controlled(data, self.sensitive, release, within=self.within)
        return (*copies, *scene.attack(release, usual, seed))

    def measure(self, data: Dataset, release: Release, *, ordered: bool) -> dict[str, Score]:
        """Return what one release is worth, by measure; the columns are settled."""
        return {name: each.compare(data, release) for name, each in self.list_measures(data, ordered=ordered).items()}

    def assess_classes(self, release: Release) -> RecordRisk:
        """Return what the classes of a release tell, generalised cells taken as they are written.

        Of a sensitive column of numbers or dates that are all exact, t heeds their order.
        """
        frame = publish_values(release).frame
        left = release.table.take(~release.deleted)
        numbers: dict[str, ColumnCodes] = {}
        for name in self.sensitive:
            cells = left.columns[name]
            if isinstance(cells, RangeCells) and bool((cells.is_exact() & ~cells.is_missing()).all()):
                numbers[name] = code_values(pl.Series(name, cells.lower))
        texts = {
            name: ColumnCodes.of(frame[name].cast(pl.String))
            for name in (*self.keys, *self.sensitive)
            if name not in numbers
        }
        return RiskQuestion().assess(
            KeyedRecords(
                keys={name: texts[name] for name in self.keys},
                sensitive={name: (numbers | texts)[name] for name in self.sensitive},
                ordered=frozenset(numbers),
            )
        )

    def list_measures(self, data: Dataset, *, ordered: bool) -> dict[str, Measure]:
        """Return the measures by name; a sensitive column is predicted by the model that suits it, if one does."""
        columns = (*self.keys, *self.sensitive)
        measures: dict[str, Measure] = {
            "ncp": CertaintyPenalty(keys=self.keys, tree=self.trees),
            "discernibility": Discernibility(keys=self.keys),
            "entropy": EntropyLoss(keys=self.keys, expected=not ordered),
            "marginals": Marginals(columns=columns),
            "earth-mover": Marginals(columns=columns, distance=DistributionDistance.EARTH_MOVER),
            "pair-tables": PairTables(columns=columns),
            "associations": Associations(columns=columns),
        }
        if not self.sensitive:
            return measures
        from sekisho.utility.records.transfer import MOST_CLASSES, ClassifierTransfer, RegressionTransfer

        for name in self.sensitive:
            numeric = data.schema[name].kind.numeric
            if not numeric and len(data.domain(name)) > MOST_CLASSES:
                continue
            model = RegressionTransfer if numeric else ClassifierTransfer
            measures[f"{'regression' if numeric else 'classifier'} of {name}"] = model(target=name, columns=self.keys)
        return measures


def leave_unchanged(data: Dataset) -> Release:
    """Return the original as if it were released as it is."""
    deleted = np.zeros(len(data), dtype=np.bool_)
    return Release(table=exact_table(data), deleted=deleted, provenance=Provenance(name=ORIGINAL))
