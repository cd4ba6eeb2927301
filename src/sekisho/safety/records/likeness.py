"""beta-likeness and delta-disclosure: how much surer of a sensitive value a class makes, value by value.

Against whom: one who knows a person's keys and that he is in the release. p is a value's share in the release, q its
share in the person's class, both among the known values (no missing or suppressed cell); a small p that becomes a large
q tells most, and t-closeness, which adds up differences, does not see it.

- basic beta-likeness: (q - p) / p <= beta for every value that the class has more often than the release.
- enhanced: (q - p) / p <= min(beta, -ln p), so that frequent values gain less.
- delta-disclosure: |log2(q / p)| < delta for every value that the class has; base 2 as in ARX (pycanon: the natural
  logarithm). A value that a class does not have at all would be infinite; as in both it is not counted.

Source: Cao, Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5 (11), 2012, definitions 2 and 3;
Brickell, Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data publishing", KDD 2008,
definition 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import CrossTable
from sekisho.safety.records.published import KEYS_HELP, SENSITIVE_HELP, add_unknown_classes, read_classes
from sekisho.words import Said, join_words

SLACK = 1e-12


def measure_gains(table: CrossTable) -> NDArray[np.float64]:
    """Return for each class the largest gain (q - p) / p of a value; 0 where no value gains."""
    return np.maximum(table.max_by_class(_compute_lift(table) - 1.0), 0.0)


def find_overgained(table: CrossTable) -> NDArray[np.bool_]:
    """Tell which classes have a value whose gain is above -ln p: no beta makes them alike in the enhanced sense."""
    share = table.totals[table.value] / table.rows
    gain = _compute_lift(table) - 1.0
    return table.max_by_class(np.where(gain > SLACK, gain + np.log(share), -1.0)) > SLACK


def measure_disclosure(table: CrossTable) -> NDArray[np.float64]:
    """Return for each class the largest |log2(q / p)| of a value that it has."""
    return table.max_by_class(np.abs(np.log2(_compute_lift(table))))


def _compute_lift(table: CrossTable) -> NDArray[np.float64]:
    return table.count * float(table.rows) / (table.sizes[table.owner] * table.totals[table.value].astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class BetaLikeness:
    """No class makes a sensitive value likelier by more than beta times its share in the release.

    Source: Cao, Karras, PVLDB 5 (11), 2012.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.SECRET

    beta: float = field(default=1.0, metadata={"help": "The largest relative gain of a value.", "recipe": "beta"})
    enhanced: bool = field(default=False, metadata={"help": "Whether no gain may be above -ln p either."})
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    sensitive: str = field(default="", metadata={"help": SENSITIVE_HELP})

    def __post_init__(self) -> None:
        if not 0 < self.beta < np.inf:
            raise ParameterError("beta", Said("be above 0"), self.beta)

    def check(self, release: Release) -> Finding:
        """Return whether no class gains too much, and the class that gains most."""
        published = read_classes(release, self.keys, self.sensitive)
        known = published.count_known()
        table = known.table
        if not len(table.sizes):
            return published.find_nothing(self.beta)
        gains = measure_gains(table)
        over = find_overgained(table) & self.enhanced
        worst = int(np.where(over, np.inf, gains).argmax())
        words = Said(
            "a value gains {gain:.4g} of its share in the worst class, {beta:g} is allowed",
            gain=float(gains[worst]),
            beta=self.beta,
        )
        if over.any():
            words = join_words([words, Said("a value gains more than -ln of its share")], "; ")
        return published.find(
            int(known.classes[worst]),
            kept=bool(gains[worst] <= self.beta + SLACK) and not over.any(),
            figure=float(gains[worst]),
            wanted=self.beta,
            words=add_unknown_classes(words, known.unknown),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeltaDisclosure:
    """No class that has a sensitive value has it 2^delta times as often, or as rarely, as the release.

    Source: Brickell, Shmatikov, KDD 2008.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.SECRET

    delta: float = field(
        default=1.0, metadata={"help": "What the binary logarithm of q / p must stay below.", "recipe": "delta"}
    )
    keys: tuple[str, ...] = field(default=(), metadata={"help": KEYS_HELP})
    sensitive: str = field(default="", metadata={"help": SENSITIVE_HELP})

    def __post_init__(self) -> None:
        if not 0 < self.delta < np.inf:
            raise ParameterError("delta", Said("be above 0"), self.delta)

    def check(self, release: Release) -> Finding:
        """Return whether no class discloses too much, and the class that discloses most."""
        published = read_classes(release, self.keys, self.sensitive)
        known = published.count_known()
        if not len(known.table.sizes):
            return published.find_nothing(self.delta)
        found = measure_disclosure(known.table)
        worst = int(found.argmax())
        words = Said(
            "|log2(q / p)| is {found:.4g} in the worst class, less than {delta:g} is asked for",
            found=found[worst],
            delta=self.delta,
        )
        return published.find(
            int(known.classes[worst]),
            kept=bool(found[worst] < self.delta),
            figure=float(found[worst]),
            wanted=self.delta,
            words=add_unknown_classes(words, known.unknown),
        )
