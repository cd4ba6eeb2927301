"""Attacks on a release that are counted on people who are not in it, beside those who are.

A recipe, or a comparison, names a file of *controls*: people of the same population who are not in the original. Then
it is told of every release, whatever its cells, and of a stranger's synthetic file, whom it betrays:

possible  what is counted and certain: hidden values that every fitting row says alike, people proven absent
chance    the level without the release
found     what an attack got right among members and among controls, with intervals

An attack refutes a release if what it surely finds is above what is allowed: of attributes the lower end of the
guaranteed interval of R; of membership the lower end of the share of members that is found at a false positive rate of
0.01 (0.1 where there are fewer than 100 controls), without chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isinf
from pathlib import Path
from typing import TypeAlias

from sekisho.attack.records.attribute import AttributeAnswer, AttributeAttack
from sekisho.attack.records.membership import MembershipAnswer, MembershipAttack, MembershipScore, split_reference
from sekisho.data.files.layout import open_original
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, SyntheticRelease
from sekisho.errors import ParameterError
from sekisho.gate.names import name_label
from sekisho.gate.records.counted_attempt import CountedAttempt
from sekisho.protect.records.drawn_release import DrawnRelease
from sekisho.safety.ratio_interval import RatioMethod
from sekisho.safety.terms import RecordTerms
from sekisho.seeds import Seed
from sekisho.words import Said

ControlledAdversary: TypeAlias = AttributeAttack | MembershipAttack
WITHIN = "10%"
"""How near a guessed number must be where nobody says it."""
ATTRIBUTE, MEMBERSHIP = "attribute attack", "membership attack"
"""What statements are about."""
TRUSTED = 100
"""With so many controls the rate of 0.01 is answered."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ControlFiles:
    """People of the same population who are not in the original.

    Attributes:
        controls: who are attacked beside its people.
        reference: whom the adversary has; half of the controls if None.
    """

    controls: Dataset
    reference: Dataset | None = None

    @classmethod
    def read(cls, controls: Path, reference: Path | None, rules: RecordTerms) -> ControlFiles:
        """Read them under the rules of the original."""
        people = open_original(controls, rules)[0].data
        return cls(controls=people, reference=None if reference is None else open_original(reference, rules)[0].data)

    def with_roles(self, original: Dataset) -> ControlFiles:
        """Return them with each column in the role that the original's has.

        Raises:
            ParameterError: they have other columns.
        """
        for data in (self.controls, self.reference):
            if data is not None and data.schema.names != original.schema.names:
                names = ", ".join(original.schema.names)
                raise ParameterError("controls", Said("have the columns {names}", names=names), data.schema.names)
        other = None if self.reference is None else Dataset(self.reference.frame, original.schema)
        return ControlFiles(controls=Dataset(self.controls.frame, original.schema), reference=other)


def list_controlled(
    original: Dataset, sensitive: Sequence[str], release: Release, *, within: str = WITHIN
) -> dict[str, ControlledAdversary]:
    """Return who attacks where nobody is named: each sensitive column is guessed, and membership told.

    In a synthetic file by every score that needs no mechanism, by one who has the whole record of a person.
    """
    guessed: dict[str, ControlledAdversary] = {
        f"attribute sensitive={name}": AttributeAttack(
            sensitive=name, within=within if original.schema[name].kind.numeric else ""
        )
        for name in sensitive
    }
    if not isinstance(release, SyntheticRelease):
        return {**guessed, "membership": MembershipAttack()}
    columns = tuple(column.name for column in original.schema.attributes)
    whole = all(bool(release.table.columns[name].is_exact().all()) for name in columns)
    scores = [MembershipScore.RATIO, MembershipScore.DISTANCE, *([MembershipScore.DENSITY] if whole else [])]
    told = {f"membership score={score.value}": MembershipAttack(keys=columns, score=score) for score in scores}
    return {**guessed, **told}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ControlledScene:
    """Who is attacked, and what the adversaries know.

    Attributes:
        original: what releases were made from.
        files: people who are not in it.
        keys: what those know who name no keys.
        allowed: the largest share that one may surely find.
        people: how many members, and controls, are attacked at most.
    """

    original: Dataset
    files: ControlFiles
    keys: tuple[str, ...]
    allowed: float
    people: int

    def attack(
        self, release: Release, adversaries: Mapping[str, ControlledAdversary], seed: Seed
    ) -> tuple[CountedAttempt, ...]:
        """Let everybody attack a release."""
        return tuple(self._attack(label, each, release, seed.child(label)) for label, each in adversaries.items())

    def _attack(self, label: str, adversary: ControlledAdversary, release: Release, seed: Seed) -> CountedAttempt:
        published = release.table.take(~release.deleted)
        known = adversary if adversary.keys else replace(adversary, keys=self.keys)
        if isinstance(known, AttributeAttack):
            answer = known.attack(published, self.original, self.files.controls, rng=seed.rng(), most=self.people)
            return _describe_attribute(label, known.settle_sensitive(self.original).name, answer, self.allowed)
        controls, reference = self.files.controls, self.files.reference
        if reference is None:
            split = seed.child("reference").rng()
            controls, reference = split_reference(controls, rng=split, household=known.household)
        plain = isinstance(release, DrawnRelease) and not release.mechanism.strata and release.mechanism.units is None
        if isinstance(release, DrawnRelease) and plain and not known.explained:
            known = replace(known, mechanism=release.mechanism, score=None)
        scored = known.attack(published, self.original, controls, reference, rng=seed.rng(), most=self.people)
        return _describe_membership(label, scored, self.allowed)


def _describe_attribute(label: str, column: str, answer: AttributeAnswer, allowed: float) -> CountedAttempt:
    added = answer.added
    guaranteed, interval = added.find_interval(RatioMethod.GUARANTEED), added.find_interval()
    detail = Said(
        "{adversary}: {hits:,} of {people:,} {people:member|members} and {control_hits:,} of "
        "{controls:,} {controls:control|controls} guessed rightly, {chance:.1%} without the release; R "
        "{low:.3f} to {high:.3f} ({method}), surely {surely:.3f}, {allowed:.4g} is allowed",
        adversary=name_label(label),
        hits=added.hits,
        people=added.trials,
        control_hits=added.control_hits,
        controls=added.control_trials,
        chance=answer.chance,
        low=interval.low,
        high=interval.high,
        method=interval.method.value,
        surely=guaranteed.low,
        allowed=allowed,
    )
    summary = Said(
        "R {value:.3f} ({low:.3f} to {high:.3f}, {method})",
        value=float("nan") if added.value is None else added.value,
        low=interval.low,
        high=interval.high,
        method=interval.method.value,
    )
    return CountedAttempt(
        adversary=label,
        certain=Said("disclosed {disclosed:,}", disclosed=answer.disclosed),
        summary=summary,
        subject=f"{ATTRIBUTE} of {column}",
        possible={"disclosed": answer.disclosed},
        chance=answer.chance,
        found=answer.to_dict(),
        surely=-1e300 if isinf(guaranteed.low) else guaranteed.low,
        allowed=allowed,
        detail=detail,
        warnings=answer.list_warnings(),
    )


def _describe_membership(label: str, answer: MembershipAnswer, allowed: float) -> CountedAttempt:
    found = answer.to_dict()
    curve, scored = answer.curve, answer.scored
    rates = scored.list_rates(curve)
    decisive = rates[1] if len(scored.controls) >= TRUSTED else rates[0]
    surely = decisive["low"] if isinstance(decisive["low"], float) else 0.0
    tpr = decisive["tpr"] if isinstance(decisive["tpr"], float) else 0.0
    detail = Said(
        "{adversary}: {share:.1%} of the members found at a false positive rate of {fpr:g}, area {area:.3f} by {score} "
        "(0.5 by chance); surely {surely:.3f}, {allowed:.4g} is allowed",
        adversary=name_label(label),
        share=tpr,
        fpr=decisive["fpr"],
        area=float(curve.area),
        score=answer.score.value,
        surely=surely,
        allowed=allowed,
    )
    summary = Said("area {area:.3f}, {tpr:.4f} at {fpr:g}", area=float(curve.area), tpr=tpr, fpr=decisive["fpr"])
    return CountedAttempt(
        adversary=label,
        certain="" if answer.absent is None else Said("absent {absent:,}", absent=answer.absent),
        summary=summary,
        subject=MEMBERSHIP,
        possible={"absent": answer.absent},
        chance=0.5,
        found=found,
        surely=surely,
        allowed=allowed,
        detail=detail,
        warnings=answer.list_warnings(),
    )
