"""How often somebody who knows a part of the records is right about a sample: measured on the holder's own file.

The risk of a sample rests on an assumption about the records that the adversary does not know. The holder has them all,
so he can try: he draws by chance the part that the adversary knows, several times, lets him claim whoever is single
both in that part and in the sample, and counts. Given the file and the sample the draws are independent, so the exact
interval of Clopper and Pearson holds for the rate over all such parts.

By blind chance a claim is right once in as many as there are records: a person is drawn with chance m/n, and then is
one record of m.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.cell_adversary import draw_known_rows, match_single_rows
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import number_equal_rows
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.protect.records.sample import DrawnSample, SampleRelease
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.sampling import SampleRisk
from sekisho.seeds import Seed
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.protect.beyond_memory import EngineRelease

DRAWS = 20
"""How many known parts are tried: 20 give hundreds of claims on a file with uniques, and so a narrow interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPartAttack:
    """What the attack came to, all known parts together.

    Attributes:
        known: how many records he knows.
        draws: how many parts of that size were tried.
        records: how many records there are.
        rate: how many of his claims were right.
    """

    known: int
    draws: int
    records: int
    rate: HitRate

    @property
    def by_chance(self) -> float:
        """How often a claim is right that is made blindly: one person of all, one record of the sample."""
        return 1 / self.records

    def refutes(self, risk: SampleRisk | None) -> bool:
        """Tell whether he was right more often than the risk says he can be, beyond doubt."""
        return risk is not None and self.rate.low > risk.risk

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "known": self.known,
            "draws": self.draws,
            "claimed": self.rate.trials,
            "right": self.rate.hits,
            "rate": self.rate.value,
            "low": self.rate.low,
            "high": self.rate.high,
            "by_chance": self.by_chance,
        }


class SampledRecords(Protocol):
    """A sample and all records, wherever they are."""

    @property
    def records(self) -> int:
        """How many there are."""
        ...

    def count_claims(self, parts: Iterable[NDArray[np.intp]]) -> HitRate:
        """Return how often he is right who claims whoever is single in the rows that he knows and in the sample.

        Args:
            parts: the rows that he knows; all are counted together.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledRows:
    """A sample of rows in memory.

    Attributes:
        data: all records.
        drawn: the rows of the sample.
    """

    data: Dataset
    drawn: NDArray[np.intp]

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.data)

    def count_claims(self, parts: Iterable[NDArray[np.intp]]) -> HitRate:
        """Return how often he is right who claims whoever is single in the rows that he knows and in the sample."""
        names = [column.name for column in self.data.schema.attributes]
        (everybody,) = number_equal_rows(self.data, columns=names)
        sample = everybody[self.drawn]
        claimed = right = 0
        for rows in parts:
            who, where = match_single_rows(everybody[rows], sample)
            claimed, right = claimed + len(who), right + int(np.sum(self.drawn[where] == rows[who]))
        return HitRate(hits=right, trials=claimed)


def attack_with_known_part(sample: SampledRecords, known: int, *, seed: Seed, draws: int = DRAWS) -> KnownPartAttack:
    """Let the adversary who knows so many records, drawn by chance, attack a sample; count all draws."""
    records, most = sample.records, min(known, sample.records)
    parts = (draw_known_rows(records, most, rng=seed.child(f"known part {number}").rng()) for number in range(draws))
    return KnownPartAttack(known=most, draws=draws, records=records, rate=sample.count_claims(parts))


def try_known_part(data: Dataset, release: Release, *, seed: Seed) -> KnownPartAttack | None:
    """Let the adversary attack whom a sample was drawn against; None of other releases, and where nobody was named."""
    if not isinstance(release, SampleRelease) or release.known is None:
        return None
    return attack_with_known_part(SampledRows(data=data, drawn=release.drawn), release.known, seed=seed)


def list_promise_reasons(release: Release | EngineRelease, tried: KnownPartAttack | None) -> Iterator[Reason]:
    """Give why what a method was asked to promise does not hold: it cannot promise it, or an attack refutes it."""
    risk = release.risk if isinstance(release, DrawnSample) else None
    promised = release.promised if isinstance(release, DrawnSample) else release.detail.get("guaranteed") is not False
    if not promised:
        yield make_reason(
            "guarantee broken",
            Said("{name}: what was asked for is not promised", name=name_label(release.provenance.name)),
        )
    if tried is not None and tried.refutes(risk):
        yield make_reason(
            "promise refuted", Said("{hits} of {trials} named rightly", hits=tried.rate.hits, trials=tried.rate.trials)
        )
