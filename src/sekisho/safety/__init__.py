"""What can be promised about a release, or refuted: thresholds, guarantees and exact risks.

A guarantee is a frozen value that says which shapes of data it suits; ``check(release)`` tells whether a release keeps
it. A new guarantee is one file here, one line in ``GUARANTEES``, and a page in docs/methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from sekisho.registry import Registry

if TYPE_CHECKING:  # thresholds need no frames
    from sekisho.data.frame.release import Release
    from sekisho.data.shape import Shape
    from sekisho.safety.guarantee import Finding


class Guarantee(Protocol):
    """Something that a release keeps or breaks."""

    shapes: ClassVar[frozenset[Shape]]

    def check(self, release: Release) -> Finding:
        """Return whether a release keeps it, and its worst case."""
        ...


GUARANTEES: Registry[Guarantee] = Registry(
    kind="guarantee",
    group="sekisho.guarantees",
    builtin={
        "beta-likeness": "sekisho.safety.records.likeness:BetaLikeness",
        "delta-disclosure": "sekisho.safety.records.likeness:DeltaDisclosure",
        "delta-presence": "sekisho.safety.records.presence:DeltaPresence",
        "k-anonymity": "sekisho.safety.records.anonymity:KAnonymity",
        "k-map": "sekisho.safety.records.presence:KMap",
        "l-diversity": "sekisho.safety.records.diversity:LDiversity",
        "population-uniqueness": "sekisho.safety.records.uniques.population:PopulationUniqueness",
        "prosecutor-risk": "sekisho.safety.records.reidentification:ProsecutorRisk",
        "secret-values": "sekisho.safety.secret_values:SecretValues",
        "t-closeness": "sekisho.safety.records.closeness:TCloseness",
    },
)
