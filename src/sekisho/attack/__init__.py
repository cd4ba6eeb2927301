"""Ways to find people again in what has left.

An adversary is a frozen value that says which shapes of data he suits; ``guess(release, knowledge, *, rng)`` sees what
is published and what he knows of the people, never how it was made. A new adversary is one file here, one line in
``ADVERSARIES``, and a page in docs/methods. No adversary names a column, and none has thresholds of his own: those come
from the schema and the rules.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from sekisho.attack.guess import Guess
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape
from sekisho.registry import Registry


class Adversary(Protocol):
    """A way to attack what is published; what he can do beside it he declares as ``abilities``."""

    shapes: ClassVar[frozenset[Shape]]

    def guess(self, release: MaskedTable, knowledge: Dataset, *, rng: np.random.Generator) -> Guess:
        """Return whom the adversary names; same input and same generator state give the same guess."""
        ...


@runtime_checkable
class KnowsMore(Protocol):
    """An adversary who must know columns beside those released."""

    def list_known_columns(self) -> tuple[str, ...]:
        """Return their names."""
        ...


class ControlledAttack(Protocol):
    """A way to attack what is published that is counted on people in the file and on people who are not."""

    shapes: ClassVar[frozenset[Shape]]


AGAINST_CONTROLS: Registry[ControlledAttack] = Registry(
    kind="adversary",
    group="sekisho.adversaries",
    builtin={
        "attribute": "sekisho.attack.records.attribute:AttributeAttack",
        "membership": "sekisho.attack.records.membership:MembershipAttack",
    },
)
"""Those who need controls; a recipe names them among its adversaries."""

ADVERSARIES: Registry[Adversary] = Registry(
    kind="adversary",
    group="sekisho.adversaries",
    builtin={
        "band": "sekisho.attack.records.partner_guess:BandPartner",
        "calibrated": "sekisho.attack.records.density:CalibratedLinkage",
        "chance": "sekisho.attack.history.chance:Chance",
        "composition": "sekisho.attack.records.composition:EarlierReleases",
        "containment": "sekisho.attack.history.containment:Containment",
        "density": "sekisho.attack.records.density:DensityMembership",
        "farthest": "sekisho.attack.records.partner_guess:FarthestRows",
        "index": "sekisho.attack.records.index_alignment:IndexAlignment",
        "largest-loss": "sekisho.attack.records.partner_guess:LargestLoss",
        "maximum-knowledge": "sekisho.attack.history.maximum_knowledge:MaximumKnowledge",
        "mixture": "sekisho.attack.records.partner_guess:Mixture",
        "nearest": "sekisho.attack.records.row_scores:NearestRows",
        "nearest-cell": "sekisho.attack.records.cell_adversary:NearestCell",
        "partial-knowledge": "sekisho.attack.records.cell_adversary:SingleMatch",
        "posterior": "sekisho.attack.records.posterior:Posterior",
        "prosecutor": "sekisho.attack.records.cell_adversary:Prosecutor",
        "random-partner": "sekisho.attack.records.partner_guess:RandomPartner",
        "swapback": "sekisho.attack.records.density:SwapBack",
        "unique-rows": "sekisho.attack.history.unique_rows:UniqueRows",
    },
)
