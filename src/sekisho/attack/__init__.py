"""Ways to find people again in what has left.

An adversary is a frozen value; ``guess(release, knowledge, *, rng)`` sees what is published and what he knows of the people, never
how it was made. A new adversary is one file here, one line in ``ADVERSARIES``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sekisho.attack.claims import Guess, RecordGuess
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.registry import Registry


class Adversary(Protocol):
    """A way to attack a published table."""

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return whom the adversary names; same input and same generator state give the same guess."""
        ...


ADVERSARIES: Registry[Adversary] = Registry(
    kind="adversary",
    group="sekisho.adversaries",
    builtin={
        "chance": "sekisho.attack.chance:Chance",
        "containment": "sekisho.attack.containment:Containment",
        "maximum-knowledge": "sekisho.attack.maximum:MaximumKnowledge",
        "unique-rows": "sekisho.attack.uniquerows:UniqueRows",
    },
)

MICRODATA_ADVERSARIES: Registry[Adversary] = Registry(
    kind="adversary of files of records",
    group="sekisho.microdata_adversaries",
    builtin={"posterior": "sekisho.attack.posterior:Posterior"},
)
"""Adversaries of files of records, one line a person, that no contest's rules describe."""


class RecordAdversary(Protocol):
    """A way to attack published records of which he knows some originals."""

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> RecordGuess:
        """Return which known records he calls members and which rows he names for them."""
        ...


RECORD_ADVERSARIES: Registry[RecordAdversary] = Registry(
    kind="adversary on records",
    group="sekisho.record_adversaries",
    builtin={
        "band": "sekisho.attack.partnerguess:BandPartner",
        "calibrated": "sekisho.attack.membership:CalibratedLinkage",
        "density": "sekisho.attack.density:DensityMembership",
        "farthest": "sekisho.attack.partnerguess:FarthestRows",
        "index": "sekisho.attack.index:IndexAlignment",
        "largest-loss": "sekisho.attack.partnerguess:LargestLoss",
        "mixture": "sekisho.attack.partnerguess:Mixture",
        "nearest": "sekisho.attack.nearest:NearestRows",
        "random-partner": "sekisho.attack.partnerguess:RandomPartner",
        "swapback": "sekisho.attack.swapback:SwapBack",
    },
)
