"""Is this person in the file? What a release tells of it, counted on people who are and on people who are not.

The adversary has the person's record, a reference file of other people of the same population, and the release. He
gives everybody a score; how well it tells *members* from *controls* is counted (``safety.membership_rates``). Scores
are calibrated on controls, never on the release.

``likelihood``  the exact ratio P(release | in) / P(release | out) of a mechanism that is known: sampling, PRAM, Laplace
                noise, cells recoded by a fixed rule (:mod:`sekisho.attack.records.membership_likelihood`)
``distance``    how near the closest row is
``ratio``       the same over the distance of the closest record of the reference: near in a place where few are
``density``     rows within reach over reference records within reach, as shares; the reach is that of the fifth nearest
                record of the reference

The last three need no mechanism: they are for a stranger's synthetic file. Whoever no row can be, where every cell
admits the truth and nobody is left out, is *absent*, and that is proven, not scored.

Source: Neyman, Pearson 1933 (the ratio is the best test); Carlini et al., IEEE S&P 2022 (rates at low false positive
rates); Hayes et al., PETS 2019, and van Breugel et al., AISTATS 2023 (distance and density against synthetic data).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_linkage import CellLinkage, settle_columns
from sekisho.attack.records.control_group import ControlGroup, refuse_overlap
from sekisho.attack.records.downcode.answer import Roster
from sekisho.attack.records.known_others import compute_known_ratios
from sekisho.attack.records.membership_likelihood import ChanceMechanism, compute_ratios
from sekisho.attack.records.nearest_records import (
    MeasuredRecords,
    count_within,
    find_nearest_distance,
    find_reach,
)
from sekisho.data.files.whole_files import decode_text, read_bytes
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Abilities, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.mechanism import Mechanism, parse_mechanism
from sekisho.safety.membership_rates import ENOUGH, RATES, ScoreCurve, ScoredPeople
from sekisho.seeds import choose_words
from sekisho.words import Said

RANK = 5
"""The reach of ``density`` is that of so many nearest records of the reference."""
FEW = 0.01
"""Up to this share of rows a stranger's file may hold values that the original has not, and is no recoded one."""


class MembershipScore(StrEnum):
    """What people are ordered by."""

    LIKELIHOOD = "likelihood"
    RATIO = "ratio"
    DISTANCE = "distance"
    DENSITY = "density"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MembershipAnswer:
    """What the attack came to.

    Attributes:
        scored: the scores of members and controls.
        score: which one.
        absent: controls of whom it is proven that they are not in the file; None where that cannot be proven.
        equal: controls whose whole record also stands in the file.
        overlapping: records of the reference that also stand in the file or among the controls.
        members: how many members there are, of whom those scored were drawn.
        controls: the same of controls.
        roster: what he knows of people beside the one he asks about.
    """

    scored: ScoredPeople
    score: MembershipScore
    absent: int | None
    equal: int
    overlapping: int
    members: int
    controls: int
    roster: Roster = Roster.ONE

    @property
    def curve(self) -> ScoreCurve:
        """How well the score tells members from controls."""
        return self.scored.trace()

    @property
    def sampled(self) -> bool:
        """Whether only some of the people were scored."""
        return len(self.scored.members) < self.members or len(self.scored.controls) < self.controls

    def count_claims(self, curve: ScoreCurve) -> HitRate:
        """Return how many are called members without chance at the largest rate, and how many of them are."""
        rate = curve.find_rate(RATES[0])
        hits = round(rate.strict * len(self.scored.members))
        return HitRate(hits=hits, trials=hits + round(rate.strict_fpr * len(self.scored.controls)))

    def list_warnings(self) -> tuple[Said, ...]:
        """Return what a reader must know of the figures, each a sentence."""
        doubtful = ", ".join(f"{float(fpr):g}" for fpr in self.scored.list_doubtful())
        few = Said(
            "fewer than {enough} controls decide at the rates {rates}: indicative only", enough=ENOUGH, rates=doubtful
        )
        equal = Said(
            "{equal:,} controls have a record that also stands in the file, as chance explains", equal=self.equal
        )
        reference = Said(
            "{records:,} records of the reference equal records of the file or of the controls, as chance explains",
            records=self.overlapping,
        )
        unproven = Said("nobody's absence is proven: rows were left out, or some cell does not admit the truth")
        some = Said(
            "sampled: {members:,} of {all_members:,} members and {controls:,} of {all_controls:,} controls were scored",
            members=len(self.scored.members),
            all_members=self.members,
            controls=len(self.scored.controls),
            all_controls=self.controls,
        )
        told = (
            (bool(doubtful), few),
            (self.equal > 0, equal),
            (self.overlapping > 0, reference),
            (self.absent is None and self.score is MembershipScore.LIKELIHOOD, unproven),
            (self.sampled, some),
        )
        return tuple(words for speaks, words in told if speaks)

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        curve = self.curve
        claims = self.count_claims(curve)
        everybody = len(self.scored.members) + len(self.scored.controls)
        return {
            "claimed": claims.trials,
            "hits": claims.hits,
            "chance": len(self.scored.members) / everybody,
            "interval": [claims.low, claims.high],
            "members": len(self.scored.members),
            "controls": len(self.scored.controls),
            "score": self.score.value,
            "area": float(curve.area),
            "at": self.scored.list_rates(curve),
            "absent": self.absent,
            "advantage": float(curve.advantage),
            "against": {"people": self.roster.value},
            "sampled": self.sampled,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class MembershipAttack:
    """Tells by a score whether people are in the file, on members and on controls.

    Source: Neyman, Pearson 1933; Carlini et al., IEEE S&P 2022.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(reads_cells=True)

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that he knows, a,b,c; all that are published if none."}
    )
    score: MembershipScore | None = field(
        default=None,
        metadata={"help": "likelihood, ratio, distance or density; likelihood where a mechanism is known, else ratio."},
    )
    mechanism: Path | Mechanism | None = field(
        default=None, metadata={"help": "What was done, where it was PRAM: the file that says so."}
    )
    noise: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By column, the inverse of the scale of the Laplace noise that was added: column=value,…"},
    )
    fixed: bool = field(
        default=False,
        metadata={"help": "What was done is a sample, or cells recoded by a fixed rule; ranges and sets mean that."},
    )
    independent: bool = field(
        default=False,
        metadata={"help": "Take the columns as independent in the population, else as they stand."},
    )
    household: str = field(
        default="", metadata={"help": "The column that says who lives together; nobody's household is on both sides."}
    )
    people: Roster = field(
        default=Roster.ONE,
        metadata={"help": "What he knows of people: one, the person he asks about; others, every record but one."},
    )
    tree: Mapping[str, Path | Tree] | None = field(
        default=None, metadata={"help": "What labels in a file mean: name=FILE, a tree as node,parent or leaf;level…"}
    )

    def __post_init__(self) -> None:
        if self.score not in (None, MembershipScore.LIKELIHOOD) and self.explained:
            raise ParameterError("score", Said("be likelihood where a mechanism is said"), self.score)
        if self.people is Roster.ALL:
            raise ParameterError("people", Said("be one or others: who knows all knows who is in"), self.people.value)
        if self.people is Roster.OTHERS and (not self.explained or self.independent):
            rule = Said("be one where no mechanism is said, or columns are taken as independent")
            raise ParameterError("people", rule, self.people.value)
        if not all(0 < value < np.inf for value in self.noise.values()):
            raise ParameterError("noise", Said("have values above 0"), dict(self.noise))

    @property
    def explained(self) -> bool:
        """Whether it is said what was done."""
        return self.mechanism is not None or bool(self.noise) or self.fixed

    def attack(
        self,
        release: MaskedTable,
        original: Dataset,
        controls: Dataset,
        reference: Dataset,
        *,
        rng: np.random.Generator,
        most: int | None = None,
    ) -> MembershipAnswer:
        """Attack a release.

        Args:
            release: what is published.
            original: the people it was made from.
            controls: people of the same population who are not among them.
            reference: still others of the same population, who the adversary has.
            rng: of who is scored.
            most: how many of either are scored at most.

        Raises:
            ParameterError: a column is unknown, somebody stands in two of the files, or the score does not suit.
        """
        overlapping = sum(
            refuse_overlap("reference", reference, side, household=self.household) for side in (original, controls)
        )
        limits = {} if most is None else {"most": most}
        group = ControlGroup.draw(original, controls, rng=rng, household=self.household, **limits)
        columns = settle_columns(release, original, self._list_columns(release, original))
        score = self.settle_score(release, columns)
        people, absent = group.join(), None
        if self.people is Roster.OTHERS:
            mechanism = self.read_mechanism(len(original))
            asked = (group.members, group.controls)
            sides = compute_known_ratios(release, original, asked, reference, mechanism, columns=columns, rng=rng)
            values = np.concatenate(sides)
            absent = None if bool((sides[0] == 0).any()) else int((sides[1] == 0).sum())
        elif score is MembershipScore.LIKELIHOOD:
            mechanism = self.read_mechanism(len(original))
            ratios = compute_ratios(
                release, people, reference, mechanism, columns=columns, independent=self.independent
            )
            values = ratios.ratio
            if mechanism.truthful and len(release) == len(original):
                gone = ratios.possible == 0
                absent = None if bool(gone[: len(group.members)].any()) else int(gone.sum())
        else:
            values = _score_by_distance(score, release, people, reference, columns)
        split = len(group.members)
        return MembershipAnswer(
            scored=ScoredPeople(members=values[:split], controls=values[split:]),
            score=score,
            absent=absent,
            equal=group.equal,
            overlapping=overlapping,
            members=len(original),
            controls=len(controls),
            roster=self.people,
        )

    def settle_score(self, release: MaskedTable, columns: tuple[str, ...]) -> MembershipScore:
        """Return the score that is used: as asked, or as suits what is known."""
        if self.score is not None:
            return self.score
        whole = np.ones(len(release), dtype=np.bool_)
        for name in columns:
            whole &= release.columns[name].is_exact()
        blurred = len(release) > 0 and float(whole.mean()) < 1 - FEW
        return MembershipScore.LIKELIHOOD if self.explained or blurred else MembershipScore.RATIO

    def read_mechanism(self, records: int) -> ChanceMechanism:
        """Return what was done to so many records.

        Raises:
            InputError: the file is no mechanism.
            ParameterError: the mechanism is of another number of records.
        """
        if self.mechanism is None:
            return ChanceMechanism(records=records, noise=self.noise)
        pram = self.mechanism
        if not isinstance(pram, Mechanism):
            pram = parse_mechanism(decode_text(read_bytes(pram), pram), pram)
        if pram.records != records:
            rule = Said("speak of the {records:,} records of the original", records=records)
            raise ParameterError("mechanism", rule, pram.records)
        return ChanceMechanism(records=records, pram=pram, noise=self.noise)

    def _list_columns(self, release: MaskedTable, original: Dataset) -> tuple[str, ...]:
        names = {column.name for column in original.schema.attributes}
        return self.keys or tuple(name for name in release.columns if name in names and name != self.household)


def _score_by_distance(
    score: MembershipScore,
    release: MaskedTable,
    people: Dataset,
    reference: Dataset,
    columns: tuple[str, ...],
) -> NDArray[np.float64]:
    """Return the scores of people that need no mechanism; the larger, the nearer."""
    exact = all(bool(release.columns[name].is_exact().all()) for name in columns)
    if not exact and score is MembershipScore.DENSITY:
        rule = Said("be likelihood, ratio or distance where cells are ranges, sets or suppressed")
        raise ParameterError("score", rule, score.value)
    schema = Schema(tuple(column for column in release.schema.attributes if column.name in columns))
    table = MaskedTable(schema=schema, columns={name: release.columns[name] for name in schema.names})
    rows = (table.to_dataset(),) if exact else ()
    asked, others, *published = MeasuredRecords.measure(columns, people, reference, *rows)
    if score is MembershipScore.DENSITY:
        reach = find_reach(asked, others, RANK)
        near = (count_within(asked, published[0], reach) + 0.5) / (len(published[0]) + 1)
        return near / ((count_within(asked, others, reach) + 0.5) / (len(others) + 1))
    if exact:
        distance = find_nearest_distance(asked, published[0])
    else:
        linkage = CellLinkage.of(release, people, columns)
        distance = linkage.list_nearest().distance[linkage.person]
    if score is MembershipScore.DISTANCE:
        return -distance
    apart = find_nearest_distance(asked, others)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = distance / apart
    return -np.where((distance == 0) & (apart == 0), 1.0, share)


def split_reference(controls: Dataset, *, rng: np.random.Generator, household: str = "") -> tuple[Dataset, Dataset]:
    """Return controls in two halves, one to be the reference; no household is in both."""
    homes = np.arange(len(controls), dtype=np.uint64)
    if column := household or controls.schema.household:
        homes = np.unique(controls.text(column).to_numpy().astype(str), return_inverse=True)[1].astype(np.uint64)
    chosen = choose_words(rng).draw("reference", homes.reshape(-1)) % np.uint64(2) == 0
    frames = (controls.frame.filter(chosen), controls.frame.filter(~chosen))
    return Dataset(frames[1], controls.schema), Dataset(frames[0], controls.schema)
