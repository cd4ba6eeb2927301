"""Which edition of a page it is: the one that may leave the house, or the one that stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from sekisho.provenance import Provenance
from sekisho.report.kit.words import Text


class Edition(StrEnum):
    """Who may read a page.

    The public edition leaves out whatever names a person, an original identifier, row or cell, and whatever helps to
    undo the protection: the seed (who has it draws the same pseudonyms), digests of inputs (who knows all but a few
    cells tries them until the digest fits), which suppressed cells of a table are unsafe, and what hiding them cost.
    """

    PUBLIC = "public"
    CONFIDENTIAL = "confidential"


BADGES = {
    Edition.PUBLIC: Text("May leave the house", "社外に出せます"),
    Edition.CONFIDENTIAL: Text("Confidential: stays in the house", "社外秘：外部に出さないでください"),
}


def withhold_secrets(steps: Iterable[Provenance], *, parameters: bool = False) -> tuple[Provenance, ...]:
    """Return what made a result without seeds and digests of inputs, and without the parameters if these are secret."""
    bare = tuple(replace(step, seed=None, inputs={}) for step in steps)
    return tuple(replace(step, parameters={}) for step in bare) if parameters else bare
