"""Which edition of a page it is, and what it says on top: it may leave the house, it awaits review, or it stays.

Provenance as rows of words, for both media.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Facts
from sekisho.report.kit.words import Words
from sekisho.words import Said


def origin_facts(steps: Sequence[Provenance]) -> tuple[tuple[str, Facts], ...]:
    """Return, step by step, its name and what is needed to run it again."""
    return tuple((step.name, Facts(pairs=_pairs(step))) for step in steps)


def _pairs(step: Provenance) -> tuple[tuple[Words, Words], ...]:
    pairs: list[tuple[Words, Words]] = [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in step.parameters.items()
    ]
    if step.seed is not None:
        pairs.append((Said("seed"), str(step.seed)))
    pairs += [(Said("SHA-256 of {name}", name=name), value) for name, value in step.inputs.items()]
    pairs.append((Said("Sekisho version"), step.version))
    return tuple(pairs)


class Edition(StrEnum):
    """Who may read a page.

    The public edition leaves out whatever names a person, an original identifier, row or cell, and whatever helps to
    undo the protection: the seed (who has it draws the same pseudonyms), digests of inputs (who knows all but a few
    cells tries them until the digest fits), which suppressed cells of a table are unsafe, and what hiding them cost.
    """

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"


class Badge(StrEnum):
    """What may become of a page, said above everything else; its colour is the style sheet's.

    That a page may leave is a verdict's to say. A page without secrets has not left for that: until somebody says
    *release*, it awaits review.
    """

    MAY_LEAVE = "public"
    AWAITS_REVIEW = "proposed"
    STAYS = "confidential"


BADGES = {
    Badge.MAY_LEAVE: Said("May leave the house"),
    Badge.AWAITS_REVIEW: Said("Awaits review: must not leave before a person has decided"),
    Badge.STAYS: Said("Confidential: stays in the house"),
}
USUAL_BADGES = {Edition.PUBLIC: Badge.AWAITS_REVIEW, Edition.CONFIDENTIAL: Badge.STAYS}


def choose_badge(asked: Badge | None, edition: Edition | None) -> Badge | None:
    """Return the badge that was asked for, else the usual one of an edition; None where there is neither."""
    return asked if asked is not None or edition is None else USUAL_BADGES[edition]


def withhold_secrets(steps: Iterable[Provenance], *, parameters: bool = False) -> tuple[Provenance, ...]:
    """Return what made a result without seeds and digests of inputs, and without the parameters if these are secret."""
    bare = tuple(replace(step, seed=None, inputs={}) for step in steps)
    return tuple(replace(step, parameters={}) for step in bare) if parameters else bare
