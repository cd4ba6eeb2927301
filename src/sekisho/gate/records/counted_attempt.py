"""What an attack came to, in three words that are never mixed: possible, chance, found.

possible  what is counted and certain: values that are left, people proven absent
chance    the level without the release, or by the rule of the method alone
found     what the attack got right, with intervals

An attack refutes a release if the share that it surely finds is above what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sekisho.gate.outcome import Certainty, Reason, Statement
from sekisho.gate.policy import make_reason
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedAttempt:
    """What an attack came to that counts what is possible beside what it found.

    Attributes:
        adversary: by his label.
        subject: what a statement about it is about.
        possible: what is counted and certain.
        chance: the level without the release; None where there is none to compute.
        found: what the attack got right, with intervals.
        surely: the share that it surely finds.
        allowed: the largest that is allowed; None where its figures are told and nothing is held against them.
        detail: it in words.
        certain: what is possible, in words; nothing where that is not known.
        summary: what was found, in a few words.
        warnings: what a reader must know of the figures.
        disproved: whether what the release means to hide is certainly known of somebody, however few they are.
        stated: whether it decides anything; else its figures are told only.
    """

    adversary: str
    subject: str
    possible: Mapping[str, int | None]
    chance: float | None
    found: Mapping[str, object]
    surely: float
    allowed: float | None
    detail: Said
    certain: Said | str
    summary: Said
    warnings: tuple[Said, ...] = field(default=())
    disproved: bool = False
    stated: bool = True

    @property
    def refutes(self) -> bool:
        """Tell whether it finds more than is allowed."""
        return self.allowed is not None and self.surely > self.allowed

    @property
    def standing(self) -> Certainty:
        """How sure it is that the release keeps what it means to hide."""
        return Certainty.REFUTED if self.refutes or self.disproved else Certainty.NOT_REFUTED

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data: possible, chance and found are never mixed."""
        return {
            "adversary": self.adversary,
            "possible": dict(self.possible),
            "chance": self.chance,
            "found": dict(self.found),
            "warnings": list(self.warnings),
        }


def list_counted_reasons(attempts: Sequence[CountedAttempt]) -> Iterator[Reason]:
    """Give what such attacks have against a release."""
    for each in attempts:
        if each.refutes:
            yield make_reason("effective attack", each.detail)


def state_counted(attempts: Sequence[CountedAttempt]) -> Iterator[Statement]:
    """Give what such attacks say, each for itself; of several on one subject the strongest."""
    strongest: dict[str, CountedAttempt] = {}
    for each in (one for one in attempts if one.stated):
        if each.subject not in strongest or each.surely > strongest[each.subject].surely:
            strongest[each.subject] = each
    for subject, each in strongest.items():
        yield Statement(standing=each.standing, subject=subject, detail=each.detail, figures=each.as_dict())
