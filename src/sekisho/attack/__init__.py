"""Ways to find people again in what has left.

An adversary is a frozen value; ``guess(release, knowledge, *, rng)`` sees what is published and what he knows of the people, never
how it was made. A new adversary is one file here, one line in ``ADVERSARIES``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sekisho.attack.guess import Guess, RecordGuess
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
        "chance": "sekisho.attack.history.chance:Chance",
        "containment": "sekisho.attack.history.containment:Containment",
        "maximum-knowledge": "sekisho.attack.history.maximum_knowledge:MaximumKnowledge",
        "unique-rows": "sekisho.attack.history.unique_rows:UniqueRows",
    },
)

MICRODATA_ADVERSARIES: Registry[Adversary] = Registry(
    kind="adversary of files of records",
    group="sekisho.microdata_adversaries",
    builtin={"posterior": "sekisho.attack.records.posterior:Posterior"},
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
        "band": "sekisho.attack.records.partner_guess:BandPartner",
        "calibrated": "sekisho.attack.records.calibrated_linkage:CalibratedLinkage",
        "density": "sekisho.attack.records.density:DensityMembership",
        "farthest": "sekisho.attack.records.partner_guess:FarthestRows",
        "index": "sekisho.attack.records.index_alignment:IndexAlignment",
        "largest-loss": "sekisho.attack.records.partner_guess:LargestLoss",
        "mixture": "sekisho.attack.records.partner_guess:Mixture",
        "nearest": "sekisho.attack.records.nearest:NearestRows",
        "random-partner": "sekisho.attack.records.partner_guess:RandomPartner",
        "swapback": "sekisho.attack.records.swap_back:SwapBack",
    },
)
